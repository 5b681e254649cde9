# What a browser shows where the program has no pages: a title, a text, the command to type, and what that does.
# Commands stand between backticks. Said by the gate, not by the windows.

sign-in-not-built = The page isn’t built in
sign-in-not-built-text = This program was built before its pages were. In a clone of the repository, type
sign-in-not-built-then = which builds both, and starts the gate.
