# Agents at work, notes to them, and how a workspace is called.
sessions-label = Sessions
sessions-working = Working
sessions-nobody = Nobody is working
sessions-ended = Ended within the hour
sessions-empty-title = No agent is here
sessions-empty-lead = A session begins when an agent first calls Review Gate. What it asks, how far its work is and where it could be taken back to is seen here, live.
sessions-empty-history = What earlier sessions said stays in the history.
sessions-empty-go = Open the history
sessions-quiet-since = Quiet since then
sessions-asks = { $n ->
    [one] asks you
   *[other] { $n } questions
}
sessions-asks-title = { $n ->
    [one] { $n } question for you
   *[other] { $n } questions for you
}
sessions-notes-waiting = { $n ->
    [one] { $n } note on its way
   *[other] { $n } notes on their way
}

sessions-progress = Progress
sessions-quiet = quiet for { $span }
sessions-steps = Steps
sessions-steps-done = { $done } of { $n ->
    [one] { $n } step
   *[other] { $n } steps
}
sessions-step-pending = to do
sessions-step-running = running
sessions-step-done = done
sessions-step-failed = failed
sessions-step-skipped = skipped

sessions-note = Add a note
sessions-note-placeholder = What the agent should know
sessions-note-hint = Delivered with the agent’s next call, whatever tool it uses. It isn’t interrupted.
sessions-note-send = Add note
sessions-note-sent = Note added: it goes with the agent’s next call
sessions-note-waiting = Not delivered yet
sessions-note-take-back = Take back
sessions-note-taken-back = Note taken back
sessions-note-too-long = A note holds up to { $n } characters.
sessions-note-ended = The session has ended. The agent gets the note if it speaks again.
sessions-broadcast = Note to all
sessions-broadcast-title = Note to all working agents
sessions-broadcast-send = { $n ->
    [one] Send to { $n } agent
   *[other] Send to { $n } agents
}
sessions-broadcast-sent = { $n ->
    [one] Note added for { $n } agent
   *[other] Note added for { $n } agents
}
sessions-broadcast-failed = { $n ->
    [one] { $n } agent doesn’t get the note
   *[other] { $n } agents don’t get the note
}

sessions-workspace = Name and colour of the workspace
sessions-workspace-name = Name
sessions-workspace-colour = Colour
sessions-workspace-colour-n = Colour { $n }
sessions-workspace-reset = As its folder
sessions-workspace-hint = Only here, for you: { $folder }

sessions-closed = Session closed
sessions-stays-closed = “{ $title }” stays closed
sessions-stays-closed-untitled = The session stays closed
sessions-other-failed = Another session couldn’t be changed
