# What the desktop app says outside of its windows: the tray, notifications, the question on quitting.

# The tray's tooltip and the first line of its menu.
shell-waiting =
    { $count ->
        [0] Review Gate: nothing is waiting
        [one] Review Gate: { $count } request is waiting
       *[other] Review Gate: { $count } requests are waiting
    }
# The same where some of them ask for a permission: $count does.
shell-waiting-permissions = { $waiting }, { $count } of them for a permission
# A row of the menu and a line of the tooltip: what an agent is at.
shell-working = { $agent } in { $workspace }: { $doing }
shell-working-no-workspace = { $agent }: { $doing }
shell-percent = { $percent } %
# A request in the tray's menu; and behind requests and agents, how many it leaves out.
shell-request = { $title } — { $workspace }
shell-more = and { $count } more

shell-inbox = Inbox
shell-sessions = Sessions
shell-history = History
shell-settings = Settings
# Shows the same in a browser, which a link signs in.
shell-browser = Open in browser
shell-away = I’m away
shell-dnd = Do not disturb
shell-dnd-hour = For an hour
shell-dnd-tomorrow = Until tomorrow
shell-dnd-on = Until I turn it off
shell-dnd-off = Off
shell-start-at-login = Start at login
shell-quit = Quit Review Gate

# A notification: its text below the request's title, and its buttons.
shell-agent = An agent
shell-notice = { $client } is waiting for you in { $workspace }
shell-notice-no-workspace = { $client } is waiting for you
shell-notice-open = Open
shell-notice-later = Later

shell-quit-title = Quit Review Gate?
shell-quit-text =
    { $count ->
        [one] { $count } request is waiting. Quitting doesn’t answer it: it stays in the record, and its agent waits or comes back for your answer. An agent that is still waiting may start Review Gate again.
       *[other] { $count } requests are waiting. Quitting doesn’t answer them: they stay in the record, and their agents wait or come back for your answers. An agent that is still waiting may start Review Gate again.
    }
shell-quit-confirm = Quit
shell-quit-keep = Keep running
