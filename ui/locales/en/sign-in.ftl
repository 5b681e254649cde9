# What a browser shows that isn’t signed in: a title, a text, the command to type, and what that does. Commands
# stand between backticks. Said by the gate, not by the windows.

sign-in-none = This browser isn’t signed in
sign-in-none-text = In a terminal on the machine where the gate runs, type
sign-in-none-then = and open the link that it prints in this browser. It is good once, for ten minutes.

sign-in-used = This link was used before
sign-in-used-text = A link signs in one browser, once. For another one, type in a terminal on the machine where the gate runs
sign-in-used-then = If it wasn’t you who used it, `review-gate link --sign-out` signs every browser out.

sign-in-expired = This link is too old
sign-in-expired-text = A link is good for ten minutes. For a new one, type in a terminal on the machine where the gate runs
sign-in-expired-then = and open the link that it prints in this browser.

sign-in-unknown = This link isn’t known
sign-in-unknown-text = It was cut when it was copied, or the gate was restarted since. For a new one, type in a terminal on the machine where the gate runs
sign-in-unknown-then = and open the link that it prints in this browser.

sign-in-not-built = The page isn’t built in
sign-in-not-built-text = This program was built before its pages were. In a clone of the repository, type
sign-in-not-built-then = which builds both, and starts the gate.
