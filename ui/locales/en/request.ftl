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
request-answered = { $decision ->
    [approved] Approved
    [changes_requested] Changes requested
   *[none] Answered
} { $where ->
    [main] in the main window
    [review] in the review window
    [app] in the app
    [browser] in a browser
    [terminal] in a terminal
    [form] in a form of the agent’s client
    [notification] in a notification
    [script] by a script
   *[elsewhere] elsewhere
}.
request-answered-unsent = What you wrote here was not sent.
request-withdrawn = The agent withdrew this request. Nothing was answered; your draft is kept.
request-expired = This request has expired. Nothing was answered; your draft is kept.
# Why nothing was done: the request had only just come up, or the mouse hasn’t moved since it did.
request-refused-typed = Just came up: what you typed did nothing.
request-refused-early = Nothing done: this has only just come up.
request-refused-still = Nothing done: move the pointer first.
# What of a repository is shown, where the gate itself has made the diff; `base` is the commit below it.
request-repository = { $kind ->
    [worktree] Work tree of { $name }
    [staged] What is staged in { $name }
    [range] { $what } of { $name }
   *[commit] Commit { $commit } of { $name }
} { $base ->
    [none] before any commit
   *[other] on { $base }
}, made by Review Gate
request-repository-tree = tree { $tree }
request-urgent = Urgent request from { $client }:
request-show = Show
