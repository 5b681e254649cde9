# The inbox: requests whose agents are gone.
inbox-gone = { $n ->
    [one] The agent of { $n } request is gone.
   *[other] The agents of { $n } requests are gone.
}
inbox-gone-dismiss = Dismiss all whose agents are gone ({ $n })
inbox-gone-ask = { $n ->
    [one] Close { $n } request without an answer?
   *[other] Close { $n } requests without an answer?
}
inbox-gone-means = An agent that comes back after all hears that it was dismissed. It can’t be undone.
inbox-gone-yes = { $n ->
    [one] Dismiss { $n } request
   *[other] Dismiss { $n } requests
}
inbox-gone-no = Keep
inbox-gone-done = { $n ->
    [one] { $n } request dismissed
   *[other] { $n } requests dismissed
}
inbox-gone-none = Nothing was dismissed: their agents are back
