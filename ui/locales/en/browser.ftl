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

browser-none = This browser isn’t signed in
browser-before = Sign in once more
browser-before-more = The gate was updated. It no longer gives browsers a cookie, which other servers on this machine got to see, too: this browser makes a key that never leaves it instead.
browser-used = This link was used before
browser-used-more = A link signs in one browser, once. If it wasn’t you who used it, sign every browser out with: review-gate link --sign-out
browser-expired = This link is too old
browser-expired-more = A link is good for ten minutes.
browser-unknown = This link isn’t known
browser-unknown-more = It was cut when it was copied, or the gate was restarted since.
browser-insecure = This browser can’t sign in at this address
browser-insecure-more = Browsers have keys to sign with only at addresses of their own machine, such as localhost, or with https. What comes from elsewhere without that could be read and changed on the way.
browser-insecure-how = In a terminal on the machine where you sit, forward the port:
# $port is the port of the page.
browser-insecure-then = Then open a link from review-gate link there; it begins with http://localhost:{ $port }.

browser-signed-out = You are signed out
browser-signed-out-how = In a terminal on the machine where the gate runs, type
browser-signed-out-then = and open the link that it prints in this browser. It is good once, for ten minutes; this page goes on by itself then, and keeps what you wrote.

browser-link-refused = This link may not be opened.
browser-link-mend = Only https, http and mailto links open.
