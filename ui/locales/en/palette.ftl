# The palette: what it finds, and what can be done with it.
palette-name = Go to anything, or do it
palette-placeholder = A request, session, page, action or setting
palette-list = What is found
palette-found = { $n ->
    [one] { $n } entry
   *[other] { $n } entries
}
palette-nothing = Nothing holds these words.
palette-requests = Requests
palette-actions = Actions
palette-away = I’m away
palette-quiet-hour = Do not disturb for 1 hour
palette-quiet-morning = Do not disturb until the morning
palette-quiet-open = Do not disturb until I turn it off
palette-quiet-end = Turn do not disturb off
palette-browser = Open in browser
palette-key = Go to anything; in a reply: your snippets
