# The person's own snippets.
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
prompts-key-new = A new prompt or snippet
prompts-key-sides = Prompts, replies
prompts-key-parts = Parts of a prompt
prompts-key-save = Save what was typed
prompts-key-delete = Delete the chosen one
prompts-key-undo = Bring back the one that was just deleted

# The two sides of the page.
prompts-sides = What is kept here
prompts-side-prompts = Prompts
prompts-side-replies = Replies

# The list of prompts.
prompts-prompts = Prompts
prompts-new-prompt = New prompt
prompts-import = Import prompts
prompts-search-prompts = Search your prompts
prompts-origins = Which prompts are listed
prompts-origins-all = All
prompts-origins-local = Yours
prompts-origins-synced = Synced
prompts-origins-built_in = Built-in
prompts-origin-local = yours
prompts-origin-synced = synced
prompts-origin-built_in = built-in
prompts-no-category = Without a category
prompts-none-found = No prompt holds these words.
prompts-none-here = There are no prompts here yet.
prompts-broken = broken

# While there are none of one’s own.
prompts-teach-title = Ask the same thing the same way
prompts-teach-lead = A prompt is a task that you give agents again and again, with blanks to be filled in. Every connected agent offers it as a slash command. None of those here is yours yet.
prompts-teach-folder = They are files
prompts-teach-folder-how = Each prompt is a Markdown or YAML file in this folder. Edit them with whatever you like: what is saved there is served at once.
prompts-teach-share = Share them with a team
prompts-teach-share-how = Prompts that are kept in a git repository are fetched from there and served beside your own.
prompts-teach-import = Bring what you have
prompts-teach-import-how = Slash commands and the prompts of mcp-feedback-enhanced can be taken over.
prompts-teach-choose = Or choose a prompt in the list and see what it gives.

# One prompt.
prompts-version = Version { $version }
prompts-hides-built_in = Hides the built-in one
prompts-hides-synced = Hides the synced one
prompts-broken-served = Its file has a fault. Agents still get the last version without one.
prompts-broken-unserved = Its file has a fault, so agents can’t use it yet.
prompts-remove = Delete the prompt
prompts-removed = “{ $title }” is deleted.
prompts-not-back = “{ $title }” isn’t back
prompts-deleted-title = Deleted prompts
prompts-deleted-none = No prompt of yours was deleted.
prompts-deleted-how = One that is restored is in your folder again, as it was last.
prompts-deleted-restore = Restore
prompts-deleted-restore-of = Restore { $name }
prompts-tab-preview = Preview
prompts-tab-source = Source
prompts-tab-versions = Versions
prompts-tab-use = Use
prompts-slash = Copy as a slash command
prompts-slash-copy = Copy the slash command for { $name }
prompts-slash-others = Cursor, Codex and others

# What it gives.
prompts-arguments = Arguments
prompts-argument-required = required
prompts-argument-default = Default: { $value }
prompts-argument-list = Several, separated by commas.
prompts-argument-inferred = The file uses it without declaring it.
prompts-argument-secret = A secret: it is typed unseen and isn’t kept.
prompts-argument-choose = Choose
prompts-messages = What the agent gets
prompts-messages-copy = Copy the messages
prompts-role-user = User
prompts-role-assistant = Assistant
prompts-fill-in = Fill in “{ $name }” to see what it gives.
prompts-before = Below is what it gave before.

# Its text.
prompts-source-of = Source of { $name }
prompts-source-keys = Tab indents. Esc leaves; what is typed stays.
prompts-built-in-file = Part of Review Gate
prompts-own = Make it yours
prompts-own-hint-built_in = It comes with Review Gate and can only be read. A copy in your folder keeps its name and hides the original; delete the copy to get that back.
prompts-own-hint-synced = It comes from your team’s repository and can only be read. A copy in your folder keeps its name and hides the original; delete the copy to get that back.
prompts-own-hint-local = It is in your folder.
prompts-owned-built-in = The prompt is yours now and hides the built-in one.
prompts-owned-synced = The prompt is yours now and hides the synced one.
prompts-reverted = What was typed is put aside.
prompts-conflict = The file has changed since you began to type.
prompts-conflict-how = Nothing is overwritten until you choose. Green is yours, red is in the file now.
prompts-conflict-diff = From the file to your text
prompts-conflict-mine = Keep mine
prompts-conflict-theirs = Take the file’s
prompts-problem-go = Go to this place
prompts-problem-served = The last version without it is still served.

# Its versions.
prompts-no-versions = No version is kept of it.
prompts-version-now = as it is now
prompts-version-same = It says what the file says now.
prompts-version-deleted = The file was deleted then.
prompts-compared = From this version to now
prompts-counts = { $added } added, { $removed } removed
prompts-restore = Restore this version
prompts-restored = The version is restored. The one before it stays in the list.
prompts-restore-copies = Restoring puts the version into your folder, where it hides the original.
prompts-cause-found = found in the folder
prompts-cause-saved = saved
prompts-cause-imported = imported
prompts-cause-restored = restored
prompts-cause-synced = synced
prompts-cause-deleted = deleted

# Who used it.
prompts-use-how = An agent uses it as a slash command; who does is listed here.
prompts-clients = By client
prompts-client-unnamed = A client without a name
prompts-last-uses = Last used
prompts-given-secret = left out, since it could be a secret
prompts-review-none = no review after it
prompts-review-pending = review is waiting
prompts-review-cancelled = review withdrawn
prompts-review-expired = review expired
prompts-review-approved = approved
prompts-review-changes_requested = changes requested
prompts-review-replied = replied

# A new one.
prompts-id = Id
prompts-id-example = team/code_review
prompts-id-hint = Agents call it by its id; a / makes a folder.
prompts-id-file = It becomes { $file } in your folder.
prompts-id-none = Give the prompt an id.
prompts-id-long = An id has at most { $most } characters.
prompts-id-wrong = Use letters, digits, _ and -, with / between folders.
prompts-id-taken = You have a prompt of this id.
prompts-format = Format
prompts-format-markdown = Markdown
prompts-format-yaml = YAML
prompts-text = Text of the prompt
prompts-create = Create
prompts-new-discarded = The new prompt is put aside.
prompts-start-title = Explain a topic
prompts-start-description = What the prompt does, in a sentence
prompts-start-topic = What to explain
prompts-start-ask = Explain { $topic } to somebody who is new to this project.
prompts-start-more = Begin with what it is for. Name the files that matter. Stop and ask me before you change anything.

# Getting them from a repository.
prompts-sync-off = Your prompts aren’t shared with a team.
prompts-sync-set-up = Set up a repository
prompts-sync-settings = Settings
prompts-sync-never = Nothing was fetched yet.
prompts-sync-title = Synchronisation
prompts-sync-step-asking = Asking for new commits …
prompts-sync-step-fetching = Fetching the newest commit …
prompts-sync-step-reading = Reading its files …
prompts-sync-success = { $n ->
    [one] One prompt synced, { $age }
   *[other] { $n } prompts synced, { $age }
}
prompts-sync-error = The prompts can’t be fetched. Those from before are still served.
prompts-sync-now = Sync now
prompts-sync-not = Nothing is fetched
prompts-sync-cancel = Cancel
prompts-sync-not-cancelled = It goes on
prompts-sync-repository = Repository
prompts-sync-commit = Commit
prompts-sync-synced = Last success
prompts-sync-tried = Last try
prompts-sync-next = Next look
prompts-sync-not-yet = not yet
prompts-sync-brought = What this commit brought
prompts-sync-brought-nothing = No prompt is other than before.
prompts-sync-change-new = new
prompts-sync-change-changed = changed
prompts-sync-change-gone = gone
prompts-sync-more = { $n ->
    [one] and one more
   *[other] and { $n } more
}
prompts-problems = { $n ->
    [one] One file has a fault
   *[other] { $n } files have faults
}
prompts-hints = { $n ->
    [one] One hint about a file
   *[other] { $n } hints about files
}

# Taking them over from elsewhere.
prompts-import-title = Import prompts
prompts-import-path = File or folder
prompts-import-example = ~/.claude/commands
prompts-import-hint = A folder of slash commands or of prompts, or the prompts file of mcp-feedback-enhanced, on the machine that Review Gate runs on. Or choose files here.
prompts-import-pick = Choose files …
prompts-import-large = Files of more than { $most } MB together can’t be imported at once.
prompts-import-fewer = Choose fewer of them.
prompts-import-unread = The chosen files can’t be read.
prompts-import-again = Choose them again.
prompts-import-look = Look
prompts-import-found = { $n ->
    [0] { $kind }: no prompts
    [one] { $kind }: one prompt
   *[other] { $kind }: { $n } prompts
}
prompts-import-all = Choose all that are new
prompts-import-none = Choose none
prompts-import-change-new = new
prompts-import-change-changed = replaces yours
prompts-import-change-same = yours is the same
prompts-import-hides-built_in = hides the built-in one
prompts-import-hides-synced = hides the synced one
prompts-import-replaced = { $n ->
    [one] One of yours is replaced; its versions stay.
   *[other] { $n } of yours are replaced; their versions stay.
}
prompts-import-not = { $n ->
    [one] One can’t be imported:
   *[other] { $n } can’t be imported:
}
prompts-import-do = { $n ->
    [0] Import
    [one] Import one prompt
   *[other] Import { $n } prompts
}
prompts-imported = { $n ->
    [one] One prompt is imported.
   *[other] { $n } prompts are imported.
}
prompts-import-undone = The import is taken back.
prompts-import-kept = { $n ->
    [one] The import is taken back, but for “{ $name }”: it was changed since.
   *[other] The import is taken back, but for { $n } prompts: they were changed since.
}
prompts-import-not-undone = The import isn’t taken back
