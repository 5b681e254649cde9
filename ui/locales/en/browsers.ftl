# The browsers that are signed in to the gate’s page.
browsers-title = Browsers
browsers-lead = A browser that is signed in shows what you see here, and answers for you. One that nobody uses for 72 hours is signed out.
browsers-list = Browsers that are signed in
browsers-none = No browser is signed in. “Open in browser”, here or in the tray’s menu, signs yours in; elsewhere `review-gate link` gives a link.
browsers-none-page = No browser is signed in.

# What a browser is called by its own word: Firefox on Linux.
browsers-on = { $name } on { $system }
browsers-unknown = A browser
browsers-here = this browser
browsers-open = open now
browsers-used = last used { $age }
browsers-used-lately = used within the last hour
browsers-since = signed in { $age }
browsers-by-person = by your link
browsers-by-script = by a script’s link: its answers count as a script’s

browsers-open-one = Open in browser
browsers-sign-out = Sign out
browsers-sign-out-name = Sign out { $name }
browsers-sign-out-ask = It needs a new link to come back. What was written in it is kept.
browsers-sign-out-all = Sign out all
browsers-sign-out-all-ask = Each needs a new link to come back, and links that nobody has used are worthless.
browsers-keep = Stay signed in

# A note, when a browser signs in.
browsers-signed-in = { $name } signed in to the page at { $address }.
browsers-signed-in-script = { $name } signed in to the page at { $address }, by a script’s link.
browsers-show = Show
