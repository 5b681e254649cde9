# Comments on passages of a message.
remark-bubble = The selected passage
remark-comment = Comment
remark-quote = Quote in reply
remark-label = Comment { $number } on “{ $quote }”
remark-placeholder = Comment on this passage…
remark-save = Save comment
remark-discard = Discard
remark-revert = Undo changes
remark-edit = Edit comment
remark-delete = Delete comment
remark-previous = Previous comment
remark-next = Next comment
remark-show = Show the passage
remark-cut = The quote holds the first { $most } characters of the passage.
remark-lost = Comments on passages that aren’t in the message
