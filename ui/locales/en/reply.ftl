# The reply: the box, the decision, what is put into it.
reply-text = Reply
reply-placeholder = Reply to the agent…
reply-saving = saving…
reply-saved = draft saved
reply-not-saved = draft not saved
reply-along = { $n ->
    [one] { $n } comment goes along
   *[other] { $n } comments go along
}
reply-take-back = Take back { $label }
reply-options = Options
reply-options-many = Choose any that fit
reply-recommended = recommended

# The decision.
reply-answer = Answer
reply-approve = Approve
reply-approve-with = Approve with your remark
reply-request-changes = Request changes
reply-only = Reply only
reply-send = Send reply
reply-next = Next request
reply-dismiss = Dismiss
reply-dismiss-title = Close the request without an answer
reply-dismiss-ask = Close it without an answer? The agent hears that it was dismissed.
reply-keep = Keep

# Later.
reply-later = Later
reply-later-title = Hide the window; the request stays (Esc)
reply-later-title-inbox = Go on to the next one; the request stays
reply-later-when = Come back to it…
reply-later-quarter = in 15 minutes
reply-later-hour = in an hour
reply-later-evening = this evening
reply-later-morning = tomorrow morning
reply-later-open = when I take it up again
reply-later-wake = Take it up now

# What was just done.
reply-sent = { $decision ->
    [approved] Approved
    [changes_requested] Changes requested:
   *[none] Replied to
} “{ $title }”
reply-undo-left = ({ $n } s)
reply-send-now = Send now
reply-put-off = “{ $title }” is put off until { $time }
reply-put-off-open = “{ $title }” is put off until you take it up

# What can't be sent yet.
reply-still-attaching = A file is still being attached. Send when it is done.
reply-still-speaking = You are still speaking. Finish, or cancel with Esc, then send.
reply-nothing = Nothing to send yet: write something or attach a file.
reply-nothing-or-option = Nothing to send yet: write something, choose an option or attach a file.

# Files.
reply-attachments = Attachments
reply-attach = Attach files
reply-attach-title = Attach files (or paste, or drop them here)
reply-drop = Drop to attach
reply-attaching = attaching { $size }…
reply-attaching-name = Attaching { $name }
reply-file-too-large = { $size } is more than the { $most } MiB a file may have.
reply-too-many-files = A reply holds up to { $most } files.
reply-file-unreadable = The file can’t be read.
reply-file-folders = Folders can’t be attached.
reply-file-view = Look at { $name }
reply-file-remove = Remove { $name }
reply-file-remove-title = Remove
reply-file-draw = Draw on { $name }
reply-file-draw-title = Draw on it
reply-file-restore = Restore the original
reply-file-broken = The picture can’t be shown: its bytes are damaged, or it isn’t one.
reply-file-cut = The rest isn’t shown here; the agent gets all of it.
reply-zoom-in = Zoom in
reply-zoom-out = Zoom out
reply-zoom-fit = Fit

# What is offered while typing.
reply-files = Files
reply-offered = { $n ->
    [one] { $n } suggestion. Enter takes it.
   *[other] { $n } suggestions. The arrow keys choose, Enter takes one.
}
reply-more-files = There are more: type on to narrow it down.
reply-no-file = No file of the workspace fits.
reply-no-workspace = The agent named no workspace, so there are no files to choose from.

# Snippets.
reply-snippets = Snippets
reply-snippets-title = Snippets ({ $key }, or / in an empty reply)
reply-snippets-none = No snippets yet.
reply-snippets-teach = Snippets are replies that you send often. Write one in the box below and save it here; then “/” or this list puts it in.
reply-snippet-not-found = No snippet fits.
reply-snippet-find = Find a snippet…
reply-snippet-save-reply = Save this reply as a snippet
reply-snippet-write-first = Write the reply first
reply-snippet-new = New snippet
reply-snippet-change = Change the snippet
reply-snippet-edit = Change “{ $name }”
reply-snippet-delete = Delete “{ $name }”
reply-snippet-deleted = “{ $name }” is deleted.
reply-snippet-name = Name
reply-snippet-text = Text
reply-snippet-save = Save snippet
reply-snippet-no-name = Give the snippet a name.
reply-snippet-long-name = A name has at most { $most } characters.
reply-snippet-no-text = Write what the snippet puts into a reply.
reply-snippet-long-text = A snippet has at most { $most } characters.

# Keys.
reply-key-undo = Take back what was just sent
reply-key-snippets = Snippets
reply-key-files = A file of the workspace
reply-key-snooze = Come back to it at another time
