# The request view: who asks, how long it waits, what happened meanwhile.
request-place = { $place } of { $total }
request-waiting = { $total } waiting
request-previous = Previous request
request-previous-title = Previous (K)
request-next = Next request
request-next-title = Next (J)
request-all-title = All waiting requests (L)
request-history = History of this conversation
request-history-title = History (Ctrl H)
request-is-urgent = urgent
request-waits = waits until { $time }
request-waits-short = until { $time }
request-not-waiting = agent isn’t waiting · your reply is kept for it
request-not-waiting-short = agent isn’t waiting
request-late = A later reply isn’t lost: it arrives with the agent’s next call.
request-snoozed = put off until { $time }
request-put-off = put off
request-work = How far the agent’s work is
# Why nothing was done: the request had only just come up, or the mouse hasn’t moved since it did.
request-refused-typed = Just came up: what you typed did nothing.
request-refused-early = Nothing done: this has only just come up.
request-refused-still = Nothing done: move the pointer first.
