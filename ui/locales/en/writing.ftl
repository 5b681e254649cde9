# What is needed around a reply once a request was read: when to come back, what was just done, files, what is offered
# while typing, snippets.
writing-later-when = Come back to it…
writing-later-quarter = in 15 minutes
writing-later-hour = in an hour
writing-later-evening = this evening
writing-later-morning = tomorrow morning
writing-later-open = when I take it up again
writing-later-wake = Take it up now
writing-sent = { $decision ->
    [approved] Approved
    [changes_requested] Changes requested:
   *[none] Replied to
} “{ $title }”
writing-undo-left = ({ $n } s)
writing-send-now = Send now
writing-put-off = “{ $title }” is put off until { $time }
writing-put-off-open = “{ $title }” is put off until you take it up
writing-file-view = Look at { $name }
writing-file-remove = Remove { $name }
writing-file-remove-title = Remove
writing-file-draw = Draw on { $name }
writing-file-draw-title = Draw on it
writing-file-restore = Restore the original
writing-file-broken = The picture can’t be shown: its bytes are damaged, or it isn’t one.
writing-file-cut = The rest isn’t shown here; the agent gets all of it.
writing-zoom-in = Zoom in
writing-zoom-out = Zoom out
writing-zoom-fit = Fit
writing-files = Files
writing-offered = { $n ->
    [one] { $n } suggestion. Enter takes it.
   *[other] { $n } suggestions. The arrow keys choose, Enter takes one.
}
writing-more-files = There are more: type on to narrow it down.
writing-no-file = No file of the workspace fits.
writing-no-workspace = The agent named no workspace, so there are no files to choose from.
writing-snippets-none = No snippets yet.
writing-snippets-teach = Snippets are replies that you send often. Write one in the box below and save it here; then “/” or this list puts it in.
writing-snippet-not-found = No snippet fits.
writing-snippet-find = Find a snippet…
writing-snippet-save-reply = Save this reply as a snippet
writing-snippet-write-first = Write the reply first
writing-snippet-new = New snippet
writing-snippet-change = Change the snippet
writing-snippet-edit = Change “{ $name }”
writing-snippet-delete = Delete “{ $name }”
writing-snippet-deleted = “{ $name }” is deleted.
writing-snippet-name = Name
writing-snippet-text = Text
writing-snippet-save = Save snippet
writing-snippet-no-name = Give the snippet a name.
writing-snippet-long-name = A name has at most { $most } characters.
writing-snippet-no-text = Write what the snippet puts into a reply.
writing-snippet-long-text = A snippet has at most { $most } characters.
writing-attaching = attaching { $size }…
writing-attaching-name = Attaching { $name }
writing-file-unreadable = The file can’t be read.
writing-file-folders = Folders can’t be attached.
