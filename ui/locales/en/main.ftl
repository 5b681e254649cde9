# The main window: its places, the inbox, here and away.
main-pages = Pages
main-inbox = Inbox
main-inbox-counted = Inbox, { $n } waiting
main-sessions = Sessions
main-sessions-counted = Sessions, { $n } active
main-reviews = Reviews
main-reviews-counted = Reviews, { $n } for you
main-history = History
main-prompts = Prompts
main-connect = Connect
main-connect-go = Connect a client with one click
main-doctor = Doctor
main-settings = Settings
main-key = { $name } ({ $key })
main-gate = Gate running · { $n ->
    [one] { $n } agent
   *[other] { $n } agents
}
main-gate-lost = The gate doesn’t answer
main-skip = Skip to the list

main-here = Here
main-away = Away
main-away-switch = Away
main-here-title = You are here: agents wait for your answer (A)
main-away-title = You are away: agents are told to come back later (A)
main-away-since = Away since { $time }.
main-away-now = You are away.
main-away-means = Agents are told to end their turn and ask again later; nothing is answered for you.
main-away-end = I’m back
main-quiet = Do not disturb
main-quiet-on = Do not disturb is on
main-quiet-hour = For 1 hour
main-quiet-morning = Until the morning
main-quiet-open = Until I turn it off
main-quiet-end = Turn it off
main-quiet-hint = No sounds, no notifications, no window that comes up by itself. Urgent requests come through.
main-quiet-until = Do not disturb until { $time }.
main-quiet-now = Do not disturb is on.
main-quiet-hours-until = Quiet hours until { $time }.
main-quiet-hours = Quiet hours.
main-quiet-means = Requests gather here without a sound; urgent ones come through.

main-round = review, round { $n }
main-permission = asks for permission
main-permission-more = { $n } more at once
main-counts = { $requests ->
    [0] {""}
    [one] { $requests } request ·{" "}
   *[other] { $requests } requests ·{" "}
}{ $permissions ->
    [one] { $permissions } permission question
   *[other] { $permissions } permission questions
}

main-search = Search requests, agents
main-search-label = Search the inbox
main-nothing = Nothing here holds these words.
main-nothing-history = Search the history
main-arrived = New request from { $client }: { $title }
# A request that came while another page stands, and the way to it.
main-told = { $client } asks: { $title }
main-told-go = Answer ({ $keys })
main-working = Working
main-answered = Answered lately
main-later = Later
main-folded = folded; Enter unfolds
main-unfolded = unfolded; Enter folds
main-urgent = urgent
main-waits = waits until { $time }
main-not-waiting = agent isn’t waiting
main-back-at = comes back { $time }
main-back-open = until you take it up
main-options = { $n ->
    [one] { $n } option
   *[other] { $n } options
}
main-files = { $n ->
    [one] { $n } file changed
   *[other] { $n } files changed
}
main-quiet-since = Quiet since then
main-progress = Progress
main-became-answered = answered
main-became-cancelled = withdrawn
main-became-not-here = not answered here
main-became-expired = expired
main-calm = Nothing waits for you
main-calm-hint = What agents ask comes up here.
main-empty-title = Your inbox is empty
main-empty-lead = When an agent needs you, its question comes up here: read it, write, and approve or ask for changes. Agents at work show here too, with how far they are.
