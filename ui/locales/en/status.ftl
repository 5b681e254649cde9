# Where a session stands, in windows and in a terminal.
status-active = active
status-completed = completed
status-timeout = gone quiet
status-stale = disconnected
status-active-means = Its agent works, or may come back at any moment.
status-completed-means = The agent said that its work is done, a question of the command line is over, or you closed it.
status-timeout-means = Nothing was heard of it for a while.
status-stale-means = Its agent’s program has ended, or its connection broke.
