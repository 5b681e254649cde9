# Connecting the agents' clients.
clients-title = Connect your agents
clients-lead = One click writes the entry into a client’s own configuration. You see what is written before it is, everything else in the file stays as it is, and a backup is made.
clients-group-connected = Connected
clients-group-found = On this machine
clients-group-absent = { $n ->
    [one] { $n } more client, not found here
   *[other] { $n } more clients, not found here
}
clients-none = None of the clients that are known here was found on this machine. Connect one by hand with what stands below.
clients-other = Any other client
clients-other-lead = Every client that speaks MCP can be connected: give it this program.

clients-connected = connected
# The folders themselves follow.
clients-folders = connected only in
clients-elsewhere = older entry (V2)
clients-spoke = last spoke { $age }
clients-never-spoke = hasn’t spoken yet
clients-sessions = { $n ->
    [one] { $n } session active
   *[other] { $n } sessions active
}
clients-time-out = calls may take { $time }
clients-rules-written = rules written
clients-rules-changed = rules edited by hand
clients-allowed = asks without confirming
clients-reviews = takes part in reviews
clients-asks-here = permission questions come here
clients-asks-here-untrusted = permission questions come here once you trust its hook

clients-connect = Connect…
clients-connect-do = Connect
clients-connect-name = Connect { $name }
clients-change = Change…
clients-disconnect = Disconnect
clients-disconnect-name = Disconnect { $name }
clients-questions-take = Take out

clients-where = Where
clients-where-from = From where
clients-scope-user = Everywhere, for you
clients-scope-project = In this project only
clients-rules = Also write when to ask you
clients-rules-hint = A short rule for the agent: ask before it ends its turn and before risky steps.
clients-allow = Let its agents ask without confirming
clients-allow-hint = The client otherwise asks you before a tool of Review Gate may be called, and so before each question. This is for Review Gate’s own tools and the files that you attach; everything else is confirmed as before.
clients-takes-part = Let its agents review each other’s changes
clients-takes-part-hint = They get the tools by which one proposes a change and another reviews it before it is made. What they decide is an agent’s approval, never yours. The rules for it are in the settings.
clients-questions = Bring its permission questions here
clients-questions-hint = Its agents ask here, too, whether they may run a command or change a file. Nothing is allowed but what you allow: without Review Gate, or without an answer, they ask at their own prompt.
clients-questions-out = Only this is taken out. { $name } stays as it is otherwise, and asks at its own prompt alone.
clients-questions-cannot = Its permission questions can’t come here.
clients-questions-off = Permission questions are switched off in the settings: until they are on, it asks at its own prompt.
clients-take-over = Take over the entry of Review Gate V2
clients-take-over-hint = The old entry is replaced, so that the agent doesn’t find two gates.
clients-looking = Looking what would be written…
clients-nothing-to-write = Nothing needs to be written: it is all there.
clients-backup = The file as it is now is kept in { $path }.
clients-backup-is = The file as it was is kept in { $path }.
clients-done-connected = { $name } is connected.
clients-done-disconnected = { $name } is disconnected.
clients-done-questions-out = { $name } asks at its own prompt alone whether it may.

# Trying it. What is to be typed to an agent stands by itself, and is copied.
clients-try = Try it
clients-try-send = Send a test question
clients-try-lead = It comes up as an agent’s does, and you see how answering is. Nobody waits for it, and it leaves nothing in the history.
clients-try-waits = It has come up: answer it, or close it.
clients-try-seen = It came up, and you saw it. An agent’s question comes in the same way.
clients-try-say = Then have an agent ask you. Type to it:
clients-try-say-to = Then have { $name } ask you. Type there:
clients-try-words = Ask me with review_gate_chat which colour I like best, and tell me what I answered.
clients-try-copy = Copy what to type

clients-project = Also in a project
clients-project-none = No project
clients-project-other = Another folder…
clients-project-folder = The project’s folder, in full
