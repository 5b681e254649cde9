# What happened to a request while it stood there.
happened-answered = { $decision ->
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
happened-answered-unsent = What you wrote here was not sent.
happened-withdrawn = The agent withdrew this request. Nothing was answered; your draft is kept.
happened-expired = This request has expired. Nothing was answered; your draft is kept.
happened-urgent = Urgent request from { $client }:
happened-show = Show
