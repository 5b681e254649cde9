# The record: searching it and reading in it.
history-search = Search what was said
history-search-label = Search the history
history-status = Status
history-active = Active
history-completed = Completed
history-timeout = Gone quiet
history-stale = Disconnected
history-unindexed = Search is still catching up ({ $n ->
    [one] { $n } message
   *[other] { $n } messages
})
history-list = Conversations
history-you = You:
history-choose = Choose a conversation to read it.
history-empty-title = Nothing is recorded yet
history-empty-lead = Every question that an agent asks and every reply to it is kept here, with its progress and checkpoints: to be read, searched, exported, and taken back to. Agents can read it too.
history-empty-connect = Connect an agent
history-empty-import = What was exported as JSON elsewhere comes in with { $command }.

history-nothing = Nothing found
history-nothing-words = No conversation holds “{ $words }”.
history-nothing-status = No conversation that is { $status } is recorded.
history-nothing-both = No conversation that is { $status } holds “{ $words }”.
history-nothing-hint = Every word has to be in it. Quotes hold words together.
history-clear-both = Clear the search and the filter
history-clear-words = Clear the search
history-show-all = Show all
