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

# What can't be sent yet.
reply-still-attaching = A file is still being attached. Send when it is done.
reply-still-speaking = You are still speaking. Finish, or cancel with Esc, then send.
reply-unseen = Not all of this was on the screen yet: E shows what wasn’t.
reply-nothing = Nothing to send yet: write something or attach a file.
reply-nothing-or-option = Nothing to send yet: write something, choose an option or attach a file.

# Files.
reply-attachments = Attachments
reply-attach = Attach files
reply-attach-title = Attach files (or paste, or drop them here)
reply-drop = Drop to attach
reply-file-too-large = { $size } is more than the { $most } MiB a file may have.
reply-too-many-files = A reply holds up to { $most } files.

# Snippets.
reply-snippets = Snippets
reply-snippets-title = Snippets ({ $key }, or / in an empty reply)
