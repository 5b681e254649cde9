# The person's own templates for replies.
prompts-list = Snippets
prompts-new = New snippet
prompts-search = Search your snippets
prompts-none = No snippet holds these words.
prompts-unnamed = Without a name
prompts-used = { $n ->
    [0] Not used yet
    [one] Used once, { $age }
   *[other] Used { $n } times, last { $age }
}
prompts-changed = not saved yet
prompts-copy = Copy the text
prompts-delete = Delete
prompts-save = Save
prompts-revert = Revert
prompts-discard = Discard
prompts-deleted = “{ $name }” is deleted.
prompts-not-deleted = “{ $name }” isn’t deleted
prompts-full = There are { $most } snippets, as many as there can be. Delete one to make room.
prompts-use = In an empty reply, / and a few letters of its name put it in; { $key } lists all of them wherever you write.

# While there are none.
prompts-empty-title = Write it once
prompts-empty-lead = A snippet is a reply, or a part of one, that you give again and again. It stands here, and you put it into a reply with a few keys.
prompts-empty-make = Write one here. Or write a reply as you always do, and save it from the list of snippets below the box.
prompts-empty-put = In an empty reply, type / and a few letters of its name; Enter puts it in. { $key } lists all of them, wherever you are in a reply.
prompts-empty-send = Read it, change what you like, and send it. A snippet never sends itself.
prompts-empty-begin = Or begin with one of these
prompts-example-tests = Tests first
prompts-example-tests-text = Write the test that fails first and show it to me; then make it pass.
prompts-example-steps = Smaller steps
prompts-example-steps-text = This is too much at once. Split it into steps that can be reviewed one by one, and ask me after each.
prompts-example-risks = What could break?
prompts-example-risks-text = Before you go on: which files does this touch, what could break, and how would we notice?

# Keys.
prompts-key-new = A new snippet
prompts-key-change = Change the snippet
prompts-key-delete = Delete the snippet
prompts-key-undo = Bring back the one that was just deleted
