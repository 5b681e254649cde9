# The settings: their page, their fields, what is said of a change.
settings-sections = Sections
settings-search = Search settings
settings-search-label = Search the settings
settings-found = { $n ->
    [one] { $n } setting found
   *[other] { $n } settings found
}
settings-nothing = No setting holds “{ $words }”.

settings-saving = Saving…
settings-saved = Saved: { $name }
settings-reset-done = Default again: { $name }
settings-undone = Taken back.
settings-undone-what = Taken back: { $name }
settings-undo = Undo
settings-weaken = Make “{ $name }” less safe?
settings-weaken-means = It protects you, so nobody but you makes it weaker.
settings-weaken-told = Each reply, the status and the doctor will say that it is weaker.
settings-weaken-no = Leave it as it is
settings-weaken-yes = Make it less safe
settings-undo-what = { $more ->
    [0] Undo: { $name }
   *[other] Undo: { $name } and { $more } more
}
settings-undo-failed = The change wasn’t taken back

# A setting and its value.
settings-on = On
settings-off = Off
settings-automatic = Automatic
settings-none = none
settings-with-unit = { $value } { $unit }
settings-s = { $n } s
settings-default = default: { $value }
settings-reset = Back to the default: { $name }
settings-reset-title = Back to the default: { $value }
settings-from-file = set in the file
settings-agents-change = agents may change it
settings-next-start = applies at the next start
settings-from-environment = Set by the variable { $variable } of the environment. It wins over this page: change it there and start Review Gate again.
settings-from-flag = Set by an argument that Review Gate was started with. It wins over this page: start it without.
settings-overtaken = Somebody else has changed this meanwhile; it is { $value } now.
settings-keep-mine = Keep mine
settings-take-theirs = Take theirs

# What is wrong with what was typed.
settings-range = { $name }: a whole number from { $min } to { $max }.
settings-too-long = { $name }: at most { $max } characters; these are { $n }.
settings-too-many = At most { $max } entries; these are { $n }.
settings-twice = “{ $what }” is there twice.
settings-time = “{ $time }” is no time of the day. Write it as in 22:00.
settings-no-time = These end as they begin.
settings-client-missing = Which client? Write a part of its name.
settings-seconds-missing = For how many seconds is “{ $client }” waited for?
settings-seconds = { $client }: whole seconds from { $min } to { $max }.
settings-keys-wrong = “{ $keys }” names no keys.

# Controls.
settings-more = More
settings-less = Less
settings-add = Add
settings-remove = Remove { $what }
settings-remove-row = Remove
settings-row = { $name } { $n }
settings-hours-set = Set quiet hours
settings-from = From
settings-to = To
settings-keys-press = Press the keys…
settings-keys-none = None; record keys
settings-keys-clear = No keys
settings-keys-hint = Esc leaves it as it is, Backspace takes the keys away.
settings-keys-alone = Hold Ctrl, Alt or Super as well: alone, the key couldn’t be used elsewhere.
settings-keys-unknown = This key can’t be used here.
settings-waiting-client = Client
settings-waiting-stdio = Seconds, stdio
settings-waiting-http = Seconds, HTTP
settings-waiting-add = Add a client

# What is seen and heard of it at once.
settings-preview = Preview
settings-preview-who = payments-api · Claude Code
settings-preview-title = Retry webhook deliveries?
settings-preview-message = I moved delivery into a queue with backoff:
settings-preview-reply = Good. Keep the attempts in a table
settings-preview-approve = Approve
settings-preview-changes = Request changes
settings-sounds = Listen
settings-sound-soft = A request
settings-sound-urgent = An urgent one
settings-sound-none = No sound can be played here.

# Who changed what.
settings-changes = Changes
settings-changes-none = Nobody has changed a setting yet. What you, agents, the file or a terminal change is listed here, and can be taken back.
settings-changes-lead = The latest first. Taking one back changes that setting only.
settings-change-values = { $from } → { $to }
settings-change-undone = taken back
settings-change-undo = Undo: { $name }
settings-by-file = The file
settings-by-terminal = A terminal
settings-by-person = You
settings-announce = { $who } changed “{ $name }”: { $from } → { $to }

# The file.
settings-keys = Security keys
settings-file = File
settings-file-lead = Everything on these pages stands in one file. Edit it if you like: comments and what isn’t known here stay, and changes are taken over while Review Gate runs.
settings-file-open = Open the file
settings-file-look = Look at the file
settings-file-good = Nothing is wrong with it.
settings-export = Export
settings-export-lead = What is set, as a file for another machine. Secrets are left out.
settings-export-show = Show
settings-export-hide = Hide
settings-export-copy = Copy the exported settings
settings-import = Import
settings-import-lead = Settings from another file. You see what would change before anything does.
settings-import-paste = Paste the text of a config.yaml
settings-import-look = Show what would change
settings-import-pick = Choose a file
settings-import-large = { $name } is larger than a settings file can be (1 MB).
settings-import-large-mend = Choose a config.yaml that was exported here.
settings-import-same = These settings are in force already.
settings-import-setting = Setting
settings-import-now = Now
settings-import-then = Then
settings-import-apply = { $n ->
    [one] Apply { $n } change
   *[other] Apply { $n } changes
}
settings-imported = the imported settings
settings-prompts-sync = Synchronisation

# The keys that change the size of text.
settings-text-size = { $end ->
    [smallest] Text has { $n } px, the smallest there is.
    [largest] Text has { $n } px, the largest there is.
   *[none] Text has { $n } px.
}
settings-text-size-failed = The size of text could not be changed

# Rules for reviews: who has to approve, and what. What a rule doesn’t name is 0, and -1 for lines.
settings-rule = { $person ->
    [1] { $agents ->
        [0] You alone approve
        [one] { $agents } agent and you approve
       *[other] { $agents } agents and you approve
    }
   *[0] { $agents ->
        [one] { $agents } other agent approves
       *[other] { $agents } other agents approve
    }
} { $path ->
    [0] every change
   *[other] changes to { $path }
}{ $lines ->
    [-1] {""}
    [one] {" "}of more than { $lines } line
   *[other] {" "}of more than { $lines } lines
}{ $repository ->
    [0] {""}
   *[other] {" "}in { $repository }
}{ $proposer ->
    [0] {""}
   *[other] , proposed by { $proposer }
}{ $category ->
    [0] {""}
   *[other] , of the category { $category }
}.
settings-rule-need = { $person ->
    [1] { $agents ->
        [0] You, and no agent
        [one] { $agents } agent and you
       *[other] { $agents } agents and you
    }
   *[0] { $agents ->
        [one] { $agents } other agent
       *[other] { $agents } other agents
    }
}
# Whose agents propose changes and review those of others.
settings-parties = { $n ->
    [one] { $names } takes part in reviews.
   *[other] { $names } take part in reviews.
}
settings-parties-none = No client takes part in reviews yet.
settings-parties-choose = Choose who takes part
settings-rule-name = Rule
settings-rule-new = A new rule: choose who has to approve.
settings-rule-none = No rule: one other agent approves every change.
settings-rule-few = It needs { $needed } different agents, the one that proposes among them. { $known ->
    [0] None has been seen in reviews yet.
    [one] { $known } has been seen in reviews so far.
   *[other] { $known } have been seen in reviews so far.
}
settings-rule-add = Add a rule
settings-rule-change = Change: { $what }
settings-rule-change-short = Change
settings-rule-choose = Choose…
settings-rule-done = Done
settings-rule-any = any
settings-rule-who = Who has to approve
settings-rule-of-path = Files or folders
settings-rule-of-repository = Repositories
settings-rule-of-proposer = Proposed by
settings-rule-of-category = Category, in the proposer’s words
settings-rule-of-lines = More changed lines than
settings-rule-hint = Of several, with | between them, one is enough; * stands for anything. All that is named has to hold, and the most that any rule asks for counts.
