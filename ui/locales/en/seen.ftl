# What of a request wasn’t on the screen yet, where only what was can be approved.
seen-not-yet = Not seen yet:
seen-message = the end of the message
seen-more = { $n ->
    [one] { $n } more file
   *[other] { $n } more files
}
seen-show = Show
seen-keys-unseen = To what wasn’t seen yet
