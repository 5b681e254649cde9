# The list of what waits.
queue-close = Close the list
queue-label = Waiting requests
queue-none = Nothing else is waiting.
queue-urgent = urgent
queue-who = { $who } · { $age }
