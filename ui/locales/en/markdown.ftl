# An agent's text: its blocks, its code, comments on its passages.
markdown-message = The agent’s message
markdown-hint = ↑ ↓ from paragraph to paragraph, ⏎ comments on one
markdown-context = Context
markdown-rest = Show the rest ({ $size })
markdown-table = Table
markdown-task-done = done
markdown-task-open = not done
markdown-outline = Contents

markdown-code = Code
# $language is a name as the agent wrote it, like rust.
markdown-code-of = { $language } code
markdown-code-copy = Copy code
markdown-code-wrap = Wrap long lines
markdown-code-numbers = Line numbers
markdown-code-unfold = Show all { $lines } lines
markdown-code-fold = Show less

# What can be done with a passage.
markdown-bubble = The selected passage
markdown-comment = Comment
markdown-quote = Quote in reply

# Comments on passages.
markdown-remark-label = Comment { $number } on “{ $quote }”
markdown-remark-placeholder = Comment on this passage…
markdown-remark-save = Save comment
markdown-remark-discard = Discard
markdown-remark-revert = Undo changes
markdown-remark-edit = Edit comment
markdown-remark-delete = Delete comment
markdown-remark-previous = Previous comment
markdown-remark-next = Next comment
markdown-remark-show = Show the passage
markdown-remark-cut = The quote holds the first { $most } characters of the passage.
markdown-remarks-lost = Comments on passages that aren’t in the message
