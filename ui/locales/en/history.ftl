# The record: searching it and reading in it.
history-search = Search what was said
history-search-label = Search the history
history-unindexed = Search is still catching up ({ $n ->
    [one] { $n } message
   *[other] { $n } messages
})
history-list = Conversations
history-you = You:
history-you-answered = You, { $answer }:
history-choose = Choose a conversation to read it.
history-empty-title = Nothing is recorded yet
history-empty-lead = Every question that an agent asks and every reply to it is kept here, with its progress and checkpoints: to be read, searched, exported, and taken back to. Agents can read it too.
history-empty-connect = Connect an agent
history-empty-import = What was exported as JSON elsewhere comes in with { $command }.

# What it is narrowed down to.
history-filter = Filter
history-filter-title = Narrow the list down (F)
history-filters = Filters
history-narrowed = Narrowed down to
history-key-filters = Filters
history-chip-remove = Take away the filter “{ $filter }”
history-by-became = Decision
history-by-when = Time
history-by-client = Agent
history-by-workspace = Workspace
history-status = Status
history-active = Active
history-completed = Completed
history-timeout = Gone quiet
history-stale = Disconnected
history-became-approved = Approved or allowed
history-became-changes = Changes requested, or denied
history-became-answered = Answered without a decision
history-became-pending = Waits for you
history-became-cancelled = Withdrawn, dismissed, or not answered here
history-became-expired = Expired
history-when-days = { $n ->
    [one] Last { $n } day
   *[other] Last { $n } days
}
history-when-since = Since { $first }
history-when-until = Until { $last }
history-when-range = { $first } – { $last }
history-when-first = From
history-when-last = To
history-when-day = YYYY-MM-DD
history-when-wrong = Write a day as in 2026-11-21.
history-agent-alike = { $name } ({ $client })

history-nothing = Nothing found
history-nothing-words = No conversation holds “{ $words }”.
history-nothing-filters = No conversation fits this: { $filters }.
history-nothing-both = No conversation that holds “{ $words }” fits this: { $filters }.
history-nothing-hint = Every word has to be in it. Quotes hold words together.
history-hides = Something would be found:
history-without = Without { $filter }
history-words = “{ $words }”
history-clear-both = Clear the search and the filters
history-clear-words = Clear the search
history-show-all = Show all
