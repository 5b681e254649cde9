# What changed in a message since the one that the person answered last.
revision-changes = { $n ->
    [0] Unchanged since your last answer
    [one] { $n } change since your last answer
   *[other] { $n } changes since your last answer
}
revision-changes-show = Mark what changed
revision-changes-hide = No marks
revision-changes-next = Next change
revision-changes-previous = Previous change
revision-new = New since your last answer
revision-reworded = Reworded since your last answer
revision-before = Earlier wording
revision-removed = Removed: “{ $words }”
