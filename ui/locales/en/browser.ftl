# The page in a browser: its line to the gate, and signing in.

# The tab's title; $n requests are waiting.
browser-gone = The gate doesn’t answer.
browser-gone-mend = This page tries again by itself and keeps what you write. If the gate was stopped, run `review-gate serve`.
browser-replaced = This page is paused: newer ones show the gate.
browser-replaced-mend = A browser shows four at the same time.
browser-here = Go on here
browser-outdated = The gate was updated.
browser-outdated-mend = Reload this page to use the new version; drafts are kept.
browser-incomplete = A part of this page couldn’t be loaded.
browser-incomplete-mend = Reload it; drafts are kept.
browser-reload = Reload

browser-signed-out = You are signed out
browser-signed-out-how = In a terminal on the machine where the gate runs, type
browser-signed-out-then = and open the link that it prints in this browser; this page goes on by itself then. What you wrote here stays until you close it.

browser-link-refused = This link may not be opened.
browser-link-mend = Only https, http and mailto links open.
