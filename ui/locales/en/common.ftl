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
keys-answer = Answer
keys-approve = Approve
keys-request-changes = Request changes
keys-reply = Reply; never approves
keys-later = Leave the reply; then later
keys-not-typing = While you aren’t typing
keys-option = Choose an option
keys-write = Write a reply
keys-step = Next, previous request
keys-queue = All waiting requests
keys-history-here = History of this conversation
keys-sheet = This sheet
keys-message = In the agent’s message
keys-blocks = Next, previous block
keys-words = Select words of the block, with ⇧ more of them
keys-remark = Comment on the block or the selection
keys-quote = Quote it in the reply
keys-remarks = Next comment, with ⇧ the previous
keys-outline = Contents of a long message
keys-find = Find in it, or in a conversation
keys-context = Open or fold the context
keys-changes = In the changes
keys-pages = Pages
keys-where = A single key acts while the focus is in a list or in what is read beside it.
keys-search = Search
keys-hide = Close the window
keys-list = In a list
keys-rows = Previous, next; also K and J
keys-page = A page up, down
keys-ends = First, last
keys-open = Read, reply
keys-back = Back to the list, to the search
keys-inbox = In the inbox
keys-snooze = Snooze the request, or take it up again
keys-away = Here or away
keys-quiet = Do not disturb
keys-or = or

# Copying what connects an agent.
connect-agents = Agents
connect-copy = Copy for { $name }
connect-terminal = Run in a terminal

empty-title = No requests are waiting
empty-lead = When an agent needs you, its question comes up here: read it, write, and approve or ask for changes. Closing this window answers nothing.
empty-connect = Connect an agent
empty-tell = Then tell it when to ask:
empty-prompt = “Before you commit or decide something that is mine, ask me with review_gate_chat.”
empty-version = Review Gate { $version }
empty-history = History
empty-page-connect = Connect
empty-page-settings = Settings
empty-page-doctor = Doctor

queue-close = Close the list
queue-label = Waiting requests
queue-none = Nothing else is waiting.
queue-urgent = urgent
queue-who = { $who } · { $age }

toast-copy-path = Copy the path

search-clear = Clear the search

# Faults of the windows themselves.
fault-internal-mend = Try again; if it stays, restart Review Gate. Drafts are kept.
