# Words that several places share.
close = Close
cancel = Cancel
try-again = Try again
undo = Undo
copy = Copy
copied = Copied
back-to-list = Back to the list
no-question = No question yet
you = You
agent-unnamed = An agent
open-doctor = Open the doctor

# What a window’s title says, with how many requests wait.
window-title = { $n ->
    [0] { $what } – Review Gate
   *[other] ({ $n }) { $what } – Review Gate
}
window-title-bare = { $n ->
    [0] Review Gate
   *[other] ({ $n }) Review Gate
}

# How long ago, and how long.
age-now = just now
age-seconds = { $n } s ago
age-minutes = { $n } min ago
age-hours = { $n } h ago
age-days = { $n } d ago
span-now = now
span-seconds = { $n } s
span-minutes = { $n } min
span-hours = { $n } h
span-days = { $n } d

# Days, and a time on another day.
day-today = Today
day-yesterday = Yesterday
day-tomorrow = tomorrow
day-time = { $day }, { $time }

size-bytes = { $n } B
size-kilobytes = { $n } kB
size-megabytes = { NUMBER($n, minimumFractionDigits: 1, maximumFractionDigits: 1) } MB
percent = { $n } %

# What is counted.
count-messages = { $n ->
    [one] { $n } message
   *[other] { $n } messages
}
count-checkpoints = { $n ->
    [one] { $n } checkpoint
   *[other] { $n } checkpoints
}

# The sheet of keys.
keys = Keys

# Copying what connects an agent.
connect-agents = Agents
connect-copy = Copy for { $name }
connect-terminal = Run in a terminal

empty-connect = Connect an agent
empty-tell = Then tell it when to ask:
empty-prompt = “Before you commit or decide something that is mine, ask me with review_gate_chat.”

toast-copy-path = Copy the path

search-clear = Clear the search

# Faults of the windows themselves.
fault-internal-mend = Try again; if it stays, restart Review Gate. Drafts are kept.
