# The settings, as the settings page, docs/settings.md and agents are told of them: setting-SECTION-NAME and
# what it does. The gate names them; the tests of gate-settings compare them with its table.

# The sections of the page.
setting-section-waiting = Waiting and time-outs
setting-section-notifications = Notifications and quiet hours
setting-section-appearance = Appearance
setting-section-voice = Voice
setting-section-prompts = Prompts
setting-section-sessions = Sessions
setting-section-storage = Storage and retention
setting-section-network = Network and security

# How this catalogue’s language calls itself. The setting for the language offers every folder of catalogues:
# as setting-window-language-TAG where there is such a text, else by that language’s own name.
setting-language-own-name = English
setting-language-named = { $name }

# What numbers count.
setting-unit-seconds = seconds
setting-unit-hours = hours
setting-unit-days = days
setting-unit-megabytes = MB
setting-unit-pixels = pixels
setting-unit-backups = backups
setting-unit-minutes = minutes
setting-unit-rounds = rounds

setting-waiting-clients = Waiting time of a client
setting-waiting-clients-help = After how many seconds a client's call is answered with pending, where that differs from what Review Gate knows of it. A name may have a version, as in codex >= 0.60. An agent changes that of its own client alone.
setting-waiting-away-after-pending = Away after unanswered rounds
setting-waiting-away-after-pending-help = After so many pending results in a row without any act of yours, agents are told that you are away. 0 for never.

setting-notifications-enabled = Notifications
setting-notifications-enabled-help = Show a notification of the system when a request comes in.
setting-notifications-sounds = Sounds
setting-notifications-sounds-help = Play a sound when a request comes in.
setting-notifications-quiet-hours = Quiet hours
setting-notifications-quiet-hours-help = From when to when nothing comes up or sounds, as in 22:00-07:30. Urgent requests still do.

setting-window-raise = Bring the window up
setting-window-raise-help = Bring up the review window when a request comes in while nobody types. An urgent one does so even where this is off.
setting-window-undo-seconds = Time to take a reply back
setting-window-undo-seconds-help = For so long a reply that you have sent can be taken back; the agent hears of it afterwards. 0 for not at all.
setting-window-theme = Theme
setting-window-theme-help = Whether the windows are light or dark.
setting-window-theme-system = As the system
setting-window-theme-light = Light
setting-window-theme-dark = Dark
setting-window-font-size = Font size
setting-window-font-size-help = The size of running text.
setting-window-language = Language
setting-window-language-help = The language of the windows. The tray follows when the app is started the next time.
setting-window-language-system = As the system
setting-window-language-en = English
setting-window-language-zh-CN = Simplified Chinese
setting-window-reduced-motion = Reduce motion
setting-window-reduced-motion-help = Nothing moves, whatever the system says.
setting-window-always-on-top = Keep the review window on top
setting-window-always-on-top-help = The review window stays above the windows of other programs.
setting-window-hotkey = Hotkey
setting-window-hotkey-help = The keys that bring up the next request from anywhere. Empty for none.
setting-window-start-at-login = Start at login
setting-window-start-at-login-help = Start Review Gate hidden when you log in. Without a choice here, the tray's menu decides.

setting-review-require-seen = Approve only what was on the screen
setting-review-require-seen-help = Approve stays off until each file of the changes and the end of the message were on the screen. Beside it stands what was not yet.
setting-review-pool-at-once = Reviewers at once
setting-review-pool-at-once-help = How many of these programs run at the same time.
setting-review-pool-minutes = Longest review
setting-review-pool-minutes-help = How long one of these programs may take before it is ended.
setting-review-pool-a-day = Reviews a day
setting-review-pool-a-day-help = How many of these programs are started on one day at most.

setting-permissions-enabled = Permission questions come here
setting-permissions-enabled-help = Whether agents that are connected for it ask here whether they may run a command or change a file. Where this is off, they ask at their own prompts.
setting-permissions-wait-seconds = Waiting time of a permission question
setting-permissions-wait-seconds-help = After so many seconds without an answer the question is withdrawn here, and the agent asks at its own prompt. Agents give up after ten minutes by themselves.
setting-permissions-raise = Bring up the review window for permissions
setting-permissions-raise-help = Bring up the review window when an agent asks whether it may, while nobody types. Where this is off, such a question waits in the inbox and the tray.
setting-permissions-sound = Sound for permissions
setting-permissions-sound-help = Play a soft sound, once, when an agent asks whether it may.

setting-voice-enabled = Voice
setting-voice-enabled-help = Speak replies instead of typing them. Everything is heard and written down on this machine.
setting-voice-model = Speech model
setting-voice-model-help = The name of the model that writes down what you say, e.g. base-q8_0. Empty for the recommended one, or whichever is there.
setting-voice-language = Language that you speak
setting-voice-language-help = Naming it is quicker and surer than having it found out.
setting-voice-language-auto = Find out
setting-voice-language-ar = Arabic
setting-voice-language-cs = Czech
setting-voice-language-da = Danish
setting-voice-language-de = German
setting-voice-language-el = Greek
setting-voice-language-en = English
setting-voice-language-es = Spanish
setting-voice-language-fi = Finnish
setting-voice-language-fr = French
setting-voice-language-he = Hebrew
setting-voice-language-hi = Hindi
setting-voice-language-hu = Hungarian
setting-voice-language-id = Indonesian
setting-voice-language-it = Italian
setting-voice-language-ja = Japanese
setting-voice-language-ko = Korean
setting-voice-language-nl = Dutch
setting-voice-language-no = Norwegian
setting-voice-language-pl = Polish
setting-voice-language-pt = Portuguese
setting-voice-language-ro = Romanian
setting-voice-language-ru = Russian
setting-voice-language-sv = Swedish
setting-voice-language-th = Thai
setting-voice-language-tr = Turkish
setting-voice-language-uk = Ukrainian
setting-voice-language-vi = Vietnamese
setting-voice-language-zh = Chinese
setting-voice-microphone = Microphone
setting-voice-microphone-help = The microphone's id, as `review-gate voice microphones` prints it. Empty for the one that the system uses.
setting-voice-armed = Keep the microphone ready
setting-voice-armed-help = Keep the microphone ready while a request is shown, so that the first word isn't lost. Half a second is kept in memory, and nothing is stored.
setting-voice-hotkey = Key to talk
setting-voice-hotkey-help = The keys that you hold while you speak, wherever you are. Empty for none.
setting-voice-commands = Spoken commands
setting-voice-commands-help = Understand send, approve and new line at the end of what you say. Nothing is approved before you confirm it.
setting-voice-longest-minutes = Longest recording
setting-voice-longest-minutes-help = After so long a recording ends by itself, and what was said is written down.
setting-voice-vocabulary = Your own words
setting-voice-vocabulary-help = Names and words to listen for, each as it is written, or with what is heard instead, as in get hub -> GitHub.
setting-voice-mirror = Where models come from
setting-voice-mirror-help = The address of a folder with the models' files, for networks that don't reach huggingface.co. Empty for the usual place.
setting-voice-unload-minutes = Keep the model loaded for
setting-voice-unload-minutes-help = So long after its last use, the model's memory is freed. The next use loads it again, in about a second.

setting-prompts-folder = Your prompts
setting-prompts-folder-help = The folder with your own prompts. Empty for the folder prompts beside the settings file.
setting-prompts-repository = Repository
setting-prompts-repository-help = Prompts are fetched from here: owner/repo on GitHub, or any git URL. Empty for none.
setting-prompts-branch = Branch
setting-prompts-branch-help = The branch to fetch. Empty for the repository's own.
setting-prompts-subfolder = Folder in the repository
setting-prompts-subfolder-help = The folder of the repository that holds the prompts. Empty for all of it.
setting-prompts-interval-seconds = Time between looks
setting-prompts-interval-seconds-help = How long after one look at the repository the next one is taken.
setting-prompts-pin = Pinned commit
setting-prompts-pin-help = Serve this commit and no later one. Empty for the newest.
setting-prompts-token = Token
setting-prompts-token-help = For a private repository over https. It is kept in the settings file, and left out of exports.
setting-prompts-own-credentials = Use git's own sign-in
setting-prompts-own-credentials-help = Sign in as git does for you: with its credential helpers and your SSH keys.
setting-prompts-webhook-secret = Webhook secret
setting-prompts-webhook-secret-help = With the secret of a GitHub webhook, a push to /webhooks/github is followed at once. Empty for no webhook.

setting-sessions-timeout-seconds = Time out after
setting-sessions-timeout-seconds-help = A session without a relay times out after so long without activity; open questions are activity.
setting-sessions-stale-seconds = Stale after
setting-sessions-stale-seconds-help = A session is stale when its relay hasn't been heard for so long; relays beat every 10 seconds.
setting-sessions-forget-seconds = Leave the list after
setting-sessions-forget-seconds-help = So long after its end, a session is no longer on the sessions page; the history keeps it.

setting-storage-backups = Backups
setting-storage-backups-help = How many backups of the record are kept; the oldest makes room. 0 for none.
setting-storage-backup-hours = Time between backups
setting-storage-backup-hours-help = How long after one backup the next one is made.
setting-storage-keep-days = Keep conversations for
setting-storage-keep-days-help = Conversations in which nothing happened for longer are deleted. Empty for never.
setting-storage-max-megabytes = Largest size of the record
setting-storage-max-megabytes-help = When the record is larger, the oldest conversations are deleted. Empty for no bound.
setting-storage-journal = SQLite journal
setting-storage-journal-help = How SQLite writes. Network disks need the rollback journal; it is chosen for them by itself.
setting-storage-journal-auto = As the disk allows
setting-storage-journal-wal = Write-ahead log
setting-storage-journal-rollback = Rollback journal

setting-network-http = Serve HTTP
setting-network-http-help = Serve MCP and the page in a browser on 127.0.0.1.
setting-network-port = Port
setting-network-port-help = The port on 127.0.0.1 that is tried first. 0 for any.
setting-network-allowed-hosts = Other names of this machine
setting-network-allowed-hosts-help = Names besides localhost that a client may call this machine, e.g. gate.internal behind a tunnel.
setting-network-allowed-origins = Pages that may speak to the gate
setting-network-allowed-origins-help = Origins of web pages that may call MCP with a token, e.g. http://localhost:6274.

setting-security-scripted-answers = Answers from scripts
setting-security-scripted-answers-help = Whether a process without a terminal, or one that an agent has started, may answer for you. Without a choice, only where the gate was started with serve --allow-scripts. It is told with each such reply.
setting-security-terminal-answers = Decisions at a terminal
setting-security-terminal-answers-help = Whether review-gate answer may approve or request changes: it shows everything and asks for four digits. A program with a terminal of its own could do the same. Without a choice, only where the gate was started with serve --terminal.
setting-security-require = How sure an approval has to be
setting-security-require-help = What counts as your approval. From L2 on no approval is taken that is less sure; replies without one always are.
setting-security-require-L3 = L3: with a touch of your security key
setting-security-require-L2 = L2: confirmed by the system
setting-security-require-L1 = L1: by somebody who was shown it
setting-security-require-L0 = L0: by anybody, scripts too
setting-security-require-for = Approvals that have to be surer
setting-security-require-for-help = Rules by repository, branch, path and words, as in L3; path=deploy/|infra/; words=production. Each part has to hold, and one of its alternatives; in branches and paths * stands for anything. A branch that isn't known counts as named. The files of an edit that an agent asks about are held against a path from each folder above them.
setting-security-review-rules = Who reviews what agents propose
setting-security-review-rules-help = Rules such as person; path=migrations/|*.sql (you, and no agent), agents:2; lines=400 (two agents, where more lines change) or agent+person; proposer=codex. The most of all rules that fit counts; where none fits, one other agent is enough. Parts: path, repository, proposer, lines, and category only where you are needed.
setting-security-pool = Programs that review for you
setting-security-pool-help = Agent programs of yours that are started for what nobody reviews within half a minute, in their order: claude-code, codex, gemini-cli, opencode. Each gets one round in a folder of its own, in a sandbox where this machine can make one, and costs what your account with it costs. Their approval is an agent's, never yours.
setting-security-pool-unsheltered = Let them run without a sandbox
setting-security-pool-unsheltered-help = Without this they run in a sandbox or not at all. With it they run without one, even where there could be one: a change that they read may try to have them read your other files.
