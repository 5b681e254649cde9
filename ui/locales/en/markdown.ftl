# An agent's text: its blocks and its code.
markdown-message = The agent’s message
markdown-hint = ↑ ↓ from paragraph to paragraph, ⏎ comments on one
markdown-source = Source
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
