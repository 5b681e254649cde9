# One conversation: what was said, its checkpoints, and what can be done with it.
conversation-answer = Answer
conversation-checkpoints = Checkpoints
conversation-close = Close session
conversation-close-title = Says that its work is done. Its agent can go on at any time.
conversation-reopen = Reopen
conversation-export = Export
conversation-export-markdown = Markdown
conversation-export-markdown-use = to read
conversation-export-json = JSON
conversation-export-json-use = to import again
conversation-delete = Delete the conversation
conversation-delete-ask = Delete this conversation?
conversation-delete-what = { $messages }, { $checkpoints } and the attachments that only they have go for good. It can’t be undone.
conversation-delete-yes = Delete
conversation-delete-no = Keep
conversation-deleted = Conversation deleted
conversation-session = session
conversation-session-title = Session { $id }
conversation-session-copy = Copy the session’s id
conversation-show-question = Show the question

conversation-waits = waits for you
conversation-withdrawn = withdrawn
conversation-expired = expired
conversation-note = note
conversation-approved = approved
conversation-changes = changes requested
conversation-allowed = allowed
conversation-allowed-edited = allowed, changed
conversation-allowed-rule = { $kind ->
    [allows] allowed for { $what }
    [mode] allowed, and from now on in the mode { $what }
    [folders] allowed, and opened { $what }
   *[other] allowed with the rule { $what }
}
conversation-denied = denied
conversation-asked-there = { $ended ->
    [off] not answered here: permission questions were switched off
    [away] not answered here: you were away
    [nobody] not answered here: no window was there to ask in
    [time_over] not answered here: its time was over
    [put_aside] put aside
    [answered_there] answered at the agent’s own prompt
    [gone] not answered here: the agent stopped waiting
    [unreadable] not answered here: it couldn’t be read whole
    [stopping] not answered here: Review Gate was stopped
    [anew] asked anew: a file had changed
   *[unknown] not answered here
}
conversation-asked-nowhere = { $ended ->
    [off] not answered here: permission questions were switched off; the agent takes that as a denial
    [away] not answered here: you were away; the agent takes that as a denial
    [nobody] not answered here: no window was there to ask in; the agent takes that as a denial
    [time_over] not answered here: its time was over; the agent takes that as a denial
    [put_aside] put aside; the agent takes that as a denial
    [answered_there] answered at the agent’s own prompt; the agent takes that as a denial
    [gone] not answered here: the agent stopped waiting; the agent takes that as a denial
    [unreadable] not answered here: it couldn’t be read whole; the agent takes that as a denial
    [stopping] not answered here: Review Gate was stopped; the agent takes that as a denial
    [anew] asked anew: a file had changed
   *[unknown] not answered here; the agent takes that as a denial
}
conversation-from-desktop = in the window
conversation-from-browser = on the gate’s page
conversation-from-terminal = at a terminal
conversation-from-script = by a script; nobody looked at it
conversation-from-form = in a form of the agent’s client
conversation-from-notification = in a notification
conversation-recorded = recorded only (L0)
conversation-recorded-help = Any process could have given this reply: nothing shows that it was you.
conversation-receipt = { $where } · { $level ->
    [L2] confirmed by the system (L2)
    [L3] with your security key (L3)
   *[other] { $level }
} · receipt { $id }{ $standing ->
    [held] {" · "}can be taken back
    [expired] {" · "}expired
    [set_aside] {" · "}its log was set aside
   *[other] {""}
}
conversation-receipt-title = What this reply is good for, and until when
conversation-revoked = revoked: { $at }
conversation-revoked-note = Revoked; it is good for nothing from now on
conversation-imported = from another record
conversation-imported-help = It was imported or restored. It answers nothing here.
conversation-chosen = Chosen
conversation-comments = Comments
conversation-comment-old = { $place } (old)
conversation-comment-range = { $first }–{ $last }
conversation-remarks = Remarks on the text
conversation-attachments = Attachments
conversation-log = Conversation
conversation-older = Earlier messages
conversation-news = New messages
conversation-none = Nothing has been said yet.
conversation-none-hint = The agent is connected and may report its progress. Its first question comes up in the review window, and stays here.
conversation-diff-show = Show diff
conversation-diff-hide = Hide diff

conversation-restore = Restore
conversation-restore-name = Restore checkpoint { $name }
conversation-restore-label = Restore the checkpoint
conversation-restore-none = Take the conversation’s context and progress back to here? No message came later.
conversation-restore-ask = Take the conversation back to here? { $n ->
    [one] { $n } later message is marked
   *[other] { $n } later messages are marked
} as superseded. Nothing is deleted, and you can undo it.
conversation-restore-no = Keep as it is
conversation-restored = Taken back to “{ $name }”
conversation-restored-when = Taken back to “{ $name }”, { $time }.
conversation-restored-none = No message came later.
conversation-restored-count = { $n ->
    [one] { $n } later message is superseded.
   *[other] { $n } later messages are superseded.
}
conversation-stays-restored = “{ $name }” stays restored
conversation-unrestored = Undone: { $n ->
    [one] { $n } message counts again
   *[other] { $n } messages count again
}
conversation-superseded = { $n ->
    [one] { $n } superseded message
   *[other] { $n } superseded messages
}
conversation-exported = Exported to { $path }
conversation-show-in-folder = Show in folder
conversation-busy = Something else is still being done with the conversation.
conversation-busy-mend = Undo it in the conversation when that is done.
