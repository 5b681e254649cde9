# Permission questions: what an agent asks to be allowed, in words.
permission-run = Run { $what }?
permission-run-bare = Run a command?
permission-edit = Edit { $what }?
permission-write = Write { $what }?
permission-fetch = Fetch from { $what }?
permission-use = Use { $what }?
permission-more = { $n } more
permission-as-now = against the file as it is now
permission-sent = As sent
permission-sent-rule = Rule { $id }, as offered
permission-wrap = Wrap lines
permission-copy = Copy it
permission-cut = { $n ->
    [one] { $n } character of it isn’t shown here.
   *[other] { $n } characters of it aren’t shown here.
}
permission-cut-barred = Nothing can be allowed before all of it is shown.
permission-cut-more = Show { $n } more
permission-facts = What is known of it
permission-programs = Would run
# Where the programs of a command lie, looked up on the agent’s PATH.
permission-places = Found at
permission-place-none = not found
permission-place-inside = in the folder: its agent may have written it
permission-host = Host
permission-asks = Looks for
permission-server = Server
permission-tool = Tool
permission-files = Files
permission-says = It says
permission-said = “{ $words }”
permission-says-help = In the agent’s words; nobody has checked them.
permission-who = Who asks
permission-subagent = { $client }, by its subagent { $kind }
permission-leads = { $path } is a symbolic link and leads to { $to }.
permission-outside = { $path } is outside of the folder.
permission-leads-outside = { $path } is a symbolic link and leads out of the folder, to { $to }.

# Why it can’t be known what an edit would do.
permission-unknown-not_found = What it would do can’t be known: the text that it replaces isn’t in the file.
permission-unknown-several = What it would do can’t be known: the text that it replaces is there more than once.
permission-unknown-binary = What it would do can’t be shown: the file is no text.
permission-unknown-line_ends = What it would do can’t be known: the file’s lines don’t end with a line feed alone.
permission-unknown-unreadable = What it would do can’t be known: the file can’t be read.
permission-unknown-too_large = What it would do can’t be shown: the file or the change is too large.
permission-unknown-no_path = What it would do can’t be known: it names no file.
permission-unknown-form = What it would do can’t be known: the change has a form that isn’t known.
permission-unknown-untold = What it would do can’t be known: it doesn’t say what it changes.
permission-unknown-is_there = What it would do can’t be known: the file is there already, and it is to be a new one.
permission-unknown-nothing = It would change nothing.

# What is odd in a text, counted, and where the first of it stands. $name is its code point with what Unicode calls it.
permission-odd-unseen = { $n ->
    [one] { $n } invisible character
   *[other] { $n } invisible characters
}
permission-odd-turns = { $n ->
    [one] { $n } character that turns the direction of reading
   *[other] { $n } characters that turn the direction of reading
}
permission-odd-blank = { $n ->
    [one] { $n } unusual blank
   *[other] { $n } unusual blanks
}
permission-odd-alike = { $n ->
    [one] { $n } letter that looks like another
   *[other] { $n } letters that look like others
}
permission-odd-pushed = { $n ->
    [one] { $n } gap that pushes what follows far away
   *[other] { $n } gaps that push what follows far away
}
permission-odd-many = More than { $n } characters that aren’t what they seem
permission-odd-first = { $after ->
    [0] The first is { $name } in line { $line }, at its beginning.
   *[other] The first is { $name } in line { $line }, after “{ $after }”.
}

# The answers.
permission-answer = Answer
permission-once = Allow once
permission-deny = Deny
permission-deny-with = Deny…
permission-deny-send = Deny with this
permission-reason = Why not; the model reads it
permission-edit-open = Edit…
permission-edit-field = What is allowed instead
permission-edit-send = Allow as edited
permission-edit-same = Nothing is changed yet.
permission-back = Back
permission-there = Ask there
permission-there-help = Puts it aside here: the agent’s own prompt asks. Nothing is allowed or denied.
permission-aside = Put aside
permission-aside-help = Nothing is allowed: the agent is told that nobody answered.
permission-with-rule = Allow with this rule
permission-rule-brought = Nothing done: the rule is in sight only now.
permission-rule-allows = Its own offer: always allow { $what }
permission-rule-mode = Its own offer: switch to the mode { $what }, in which it asks less
permission-rule-folders = Its own offer: open these folders, too: { $what }
permission-rule-other = Its own offer, a rule that isn’t known here: { $what }
permission-rule-kept = { $rule } ({ $kept ->
    [session] in this session
    [localSettings] in this project, for you
    [projectSettings] in this project, for everybody
    [userSettings] in all your projects
   *[other] { $kept }
})
permission-wide = wide
permission-wide-help = This allows more than what is asked here.
permission-rule-level = { $level ->
    [L2] With a rule it takes your system’s password or finger (L2): all that the rule may allow later counts.
   *[other] With a rule it takes a touch of your security key (L3): all that the rule may allow later counts.
}
permission-exactly = { $level } · exactly this { $digest }
permission-exactly-help = What you allow is this and nothing else: { $digest }

# How long it waits, and why it is over.
permission-beside = its terminal asks, too
permission-beside-short = terminal asks, too
permission-terminal = its terminal asks at { $time }
permission-terminal-short = terminal at { $time }
permission-over-off = Permission questions were switched off. { $then }
permission-over-away = You are away. { $then }
permission-over-nobody = No window was there to ask in. { $then }
permission-over-time_over = Its time was over. { $then }
permission-over-put_aside = It was put aside. { $then }
permission-over-answered_there = It was answered at the agent’s own prompt.
permission-over-gone = The agent doesn’t wait for it any more. Nothing was answered here.
permission-over-unreadable = It couldn’t be read whole. { $then }
permission-over-stopping = Review Gate was stopping. { $then }
permission-over-asks = Nothing was answered here: the agent asks at its own prompt.
permission-over-denied = Nothing was answered here: the agent takes that as a denial.
permission-over-here = It is over here. Nothing was answered.
permission-answered = { $decision ->
    [approved] Allowed
    [changes_requested] Denied
   *[none] Answered
} elsewhere.
permission-replaced = The file has changed since: this is what it would do now. Nothing was answered.

# Others that the same agent asks at once.
permission-others = { $client } asks { $n } more at once

# The sheet of keys.
permission-keys = A permission question
permission-keys-once = Allow it once
permission-keys-deny = Deny it, with a sentence where the agent reads one
permission-keys-deny-send = Send what is written: deny with it, or allow as edited
permission-keys-edit = Edit and allow
permission-keys-rule = Allow with the agent’s own rule
