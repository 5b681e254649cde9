# What the doctor’s checks find, and what to do about it, in the windows and in a terminal. The gate names them.
# A value that isn’t there is the number 0. Apostrophes are plain: `review-gate doctor --json` gives the same sentences.

# What needs no words: a path, a name, what a fault says.
finding-as-it-is = { $text }

# What several checks say.
finding-cant-start = { $program } can't be started: { $error }.
finding-cant-read = { $path } can't be read: { $error }.
finding-cant-see = { $path } can't be looked at: { $error }.
finding-cant-write = { $path } can't be written: { $error }.
finding-no-folder = { $path } is no folder.
finding-no-file = { $path } is no file.
finding-first-start = It is made when the gate first starts.
finding-not-executable = { $program } may not be started.
finding-version = { $program }, version { $version }
finding-mend-executable = Make it executable.
finding-mend-make-new = Make a new one.
finding-mend-move-what-is-there = Move what is there elsewhere.
finding-mend-other-home = Set REVIEW_GATE_HOME to another folder.
finding-mend-restart-gate = Start the gate again.
finding-mend-write-entry = Write the entry anew.

# The programs.
finding-program-missing = No folder of PATH has `review-gate`: a terminal and agents' hooks don't find it.
finding-program-same-version = { $found } on PATH is another file than this program, { $ours }, of the same version.
finding-program-other-version = { $found } on PATH is version { $theirs }, and this program, { $program }, is version { $ours }.
finding-program-another = { $found } on PATH is another program of that name.
finding-program-ends = { $found } on PATH can't tell its version: it ends with { $code ->
    [0] a signal
   *[other] code { $code }
}. { $words }
finding-program-silent = { $found } on PATH doesn't say its version within { $seconds } s.
finding-program-cant-start = { $found } on PATH can't be started: { $error }.
finding-mend-link = Put a link to it into a folder of PATH.
finding-mend-path-there = Add the folder { $folder } to your variable PATH (“Edit environment variables for your account”), and open a new terminal.
finding-mend-path = Make PATH lead to the program that you want, or update the older one.
finding-desktop-missing = review-gate-desktop isn't beside this program: the gate runs without a window.
finding-desktop-other-version = { $program } is version { $theirs ->
    [0] unknown
   *[other] { $theirs }
}, and this program is version { $ours }.
finding-desktop-ends = { $program } doesn't run: it ends { $code ->
    [0] by a signal
   *[other] with code { $code }
}. { $words }
finding-desktop-silent = { $program } doesn't say its version within { $seconds } s.
finding-libraries-good = All of them are there.
finding-library-missing = The desktop app can't start: the library { $library } is missing.
finding-mend-desktop = Install the desktop app, or answer in a browser.
finding-mend-same-package = Install both from the same package.
finding-mend-library = Install the package that has it.
finding-mend-install-anew = Install Review Gate anew.

# What other programs of this user may do to the gate.
finding-others-kept-out = No other program of this user types through the kernel, looks into the gate’s processes or may replace them, as far as the system says.
finding-others-type = Programs of this user may make keyboards of their own: { $device } is open to them. What types there is nobody to tell from you.
finding-others-look-in = The system lets programs of one user look into each other: into the process that shows the window’s page, too.
finding-others-replace = Programs of this user may put others into the place of Review Gate’s: { $folder } is open to them.
finding-others-glib = GLib { $version } may let any program on the session bus press a notification’s buttons (CVE-2024-34397). Whether your system has that mended can’t be seen.
finding-others-root-group = You are in the group { $group }: any program of yours can become root without you, and do what only you should, confirm approvals among it.
finding-others-root-sudo = sudo asks you for no password: any program of yours can become root without you, and do what only you should, confirm approvals among it.
finding-mend-others-type = Take away what opens it: a rule of udev, or a group such as input that you are in.
finding-mend-others-look-in = Switch it off, and write it below /etc/sysctl.d so that it stays.
finding-mend-others-replace = Install Review Gate from its package: its programs are root’s then.
finding-mend-others-glib = Bring your system up to date.
finding-mend-others-root = Leave the group, or have sudo ask; or run agents in a sandbox (`review-gate run`), from which neither is reached.

# What the system confirms.
finding-system-confirms = review-gated { $version } has approvals confirmed by your password or finger. Its key is { $key }.
finding-system-absent = The service for that, review-gated, isn’t installed: approvals can’t be confirmed by your password or finger. `sudo review-gated install` installs it.
finding-mend-system = Install it, or have security.require ask for less.

# The folders and private files.
finding-disk-local = A local one.
finding-disk-network = { $folder } is on a network: the database is kept with a rollback journal there, which is slower.
finding-disk-full = Nothing more can be stored in { $folder }: { $error }.
finding-disk-read-only = { $folder } is on a disk that can't be written.
finding-disk-left = { $megabytes } MB are left for { $folder }.
finding-disk-unknown = The system doesn't tell how much is left.
finding-home-not-yet = { $folder } is made when the gate first starts.
finding-of-another-user = { $path } belongs to user { $owner }, and you are user { $ours }.
finding-others-enter = Other users of this machine may enter { $folder }: its mode is { $mode }.
finding-others-read = Other users of this machine may read { $file }: its mode is { $mode }.
finding-socket-not-yet = It is made when the gate starts.
finding-socket-in-the-way = { $path } is in the way of the local socket: it is none.
finding-token-empty = { $path } holds no token.
finding-mend-free-space = Free some space on that disk.
finding-mend-no-space = Free some space on that disk: nothing can be stored.
finding-mend-little-space = Free some space on that disk before it is full.
finding-mend-disk-writable = Make that disk writable, or set REVIEW_GATE_HOME to another folder.
finding-mend-yours = Make it yours.
finding-mend-yours-alone = Make it yours alone.
finding-mend-yours-and-writable = Make it yours and writable.
finding-mend-folder-yours = Make its folder yours.
finding-mend-socket-folder = Make its folder yours and writable, or set REVIEW_GATE_HOME to another one.
finding-mend-move = Move it elsewhere.
finding-mend-token-read = Others may have read it: make a new one, and tell it to clients over HTTP.
finding-mend-token-empty = Start the gate again: it makes a new one.

# The settings file.
finding-settings-none = There is none: every setting is as it comes.
finding-settings-more = { $count ->
    [one] { $count } more entry is wrong.
   *[other] { $count } more entries are wrong.
}
finding-mend-entries = Correct or remove them.

# The running gate.
finding-gate-with-window = Process { $pid }, version { $version }, with a window; { $waiting } waiting.
finding-gate-without-window = Process { $pid }, version { $version }, without a window; { $waiting } waiting.
finding-gate-other-version = The gate that runs is version { $theirs ->
    [0] unknown
   *[other] { $theirs }
}, and this program is version { $ours }.
finding-gate-none = None runs; an agent's next call starts one.
finding-gate-silent = { $pid ->
    [0] Something takes connections on the gate's socket and doesn't answer.
   *[other] The gate, process { $pid }, takes connections and doesn't answer.
}
finding-lock-held = The running gate holds it.
finding-lock-free = Nobody holds it.
finding-lock-stuck = { $pid ->
    [0] Another process holds the gate's lock, and nobody listens.
   *[other] Process { $pid } signed the gate's lock, the lock is held, and nobody listens.
}
finding-socket-left = { $pid ->
    [0] The last gate was killed or broke down, and left its socket behind.
   *[other] The last gate, process { $pid }, was killed or broke down, and left its socket behind.
}
finding-person-away = You are away: agents are told to come back later.
finding-person-quiet = Do-not-disturb or the quiet hours hold: only urgent requests come up.
finding-guards-weak = Others may answer for you more easily than by itself: { $what }.
finding-mend-guards = Where you don’t need it, start the gate without that flag, or make the setting safe again under Settings.
finding-receipts-whole = The chain is whole: { $lines } lines.
finding-receipts-broken = The chain was broken { $breaks } times; { $lost } logs that were set aside are gone.
finding-receipts-unread = The log of receipts can’t be read.
finding-mend-receipts = Look through what was approved around then. If you changed nothing in the home folder, another program did.
finding-heard-none = None yet.
finding-heard = { $agent ->
    [0] An agent
   *[other] { $agent }
} over { $transport ->
    [0] a terminal
   *[other] { $transport }
}{ $token ->
    [0] {""}
   *[other] , token { $token }
}, protocol { $protocol ->
    [0] unknown
   *[other] { $protocol }
}, declares { $declared ->
    [0] nothing
   *[other] { $declared }
}; waits { $seconds } s, last { $last }
finding-window-there = The gate has a window.
finding-window-missing = The gate that runs has no window, though one could be shown: it was started without a display.
finding-window-none = The gate runs without a window; a browser shows it.
finding-mend-end-gate = End it; nothing that was stored is lost, and the next call starts it anew.
finding-mend-end-holder = End the process that holds it; nothing that was stored is lost.
finding-mend-start-again = Start it again; nothing that was stored is lost. Its log may tell why it ended.
finding-mend-stop-older = Stop it; the next call starts the new one, and what is pending stays pending.
finding-mend-away = Say that you are there.
finding-mend-quiet = Switch do-not-disturb off in the tray's menu, or see `notifications.quiet_hours`.
finding-mend-window = Stop it; the next call, or `review-gate`, starts the desktop app. What is pending stays pending.

# The HTTP port.
finding-http-off = HTTP is switched off; clients reach the gate through `review-gate mcp`.
finding-http-not-served = The gate serves no HTTP, though the settings say so.
finding-http-answers = { $url } answers.
finding-http-another = Something else than the gate answers at { $url }.
finding-http-unreachable = { $url } can't be reached: { $error }.
finding-http-silent = { $url } doesn't answer within { $seconds } s.
finding-port-taken = { $served ->
    [0] Port { $port } is taken by another program: clients that are set to it reach that one.
   *[other] Port { $port } is taken by another program: clients that are set to it reach that one. The gate serves { $served } instead.
}
finding-mend-restart = Start it again.
finding-mend-http-another = Start the gate again: it takes another port.
finding-mend-port = Stop the other program, or take another port and tell it to clients over HTTP.

# The record, its backups and its search index.
finding-record-read-only = { $path } can't be written.
finding-record-slow = It couldn't be looked through in { $seconds } s.
finding-record-large = It can be opened; its { $megabytes } MB were not looked through.
finding-record-sound = Sound.
finding-record-counts = Sound; { $conversations ->
    [one] { $conversations } conversation
   *[other] { $conversations } conversations
}, { $messages ->
    [one] { $messages } message
   *[other] { $messages } messages
}, { $waiting } waiting.
finding-record-unsound = It isn't sound: { $problem }.
finding-record-without-schema = It isn't sound: Its schema can't be read.
finding-record-behind = It isn't sound: Some of its replies are only in their second copy.
finding-record-newer = A newer Review Gate has written it, and this program doesn't touch it.
finding-backup-bad = { $others ->
    [0] { $name } can't be restored: { $problem }.
   *[other] { $name } can't be restored: { $problem }. { $others } more can't either.
}
finding-backups-off = They are switched off.
finding-backups-none = None yet; the gate makes one every { $hours } h while it runs.
finding-backups-old = The newest is { $behind } h older than the latest change; one is due every { $hours } h.
finding-backups-good = { $count } there; the newest is { $hours } h old.
finding-search-good = There.
finding-search-empty = It is empty; the gate makes it anew.
finding-search-none = { $file } is no search index.
finding-search-not-yet = It is made when it is first needed.
finding-mend-writable = Make it writable.
finding-mend-record = Start the gate again: it puts the record together from its backups and keeps the damaged file.
finding-mend-newer = Update this program, or set REVIEW_GATE_HOME to another folder.
finding-mend-backups-off = Set `storage.backups`, or make one now.
finding-mend-backups-old = Make one now, and see in the log why the gate made none.
finding-mend-search = Remove it while no gate runs; it is made anew from the record.

# The desktop: display, notifications, tray.
finding-systems-own = The system's own.
finding-display-reached = { $display } can be reached.
finding-display-unreachable = The display that is named can't be reached: { $tried }.
finding-display-unnamed = No display is named here (DISPLAY, WAYLAND_DISPLAY): a gate that starts from here has no window.
finding-display-none = None is named; the gate runs without a window.
finding-desktop-unneeded = Where no window is shown, it isn't needed.
finding-bus-unnamed = The session bus can't be reached: DBUS_SESSION_BUS_ADDRESS names none. Nobody shows notifications, and there is no tray.
finding-bus-unreachable = The session bus can't be reached: { $error }. Nobody shows notifications, and there is no tray.
finding-bus-silent = The session bus can't be reached: no answer within { $seconds } s. Nobody shows notifications, and there is no tray.
finding-bus-missing = The session bus can't be reached.
finding-notifications-run = It runs.
finding-notifications-on-demand = It is started when it is needed.
finding-notifications-none = Nobody on the session bus shows notifications: a request that comes in while the window is hidden is not announced.
finding-tray-there = There is one.
finding-tray-none = The desktop has no tray (StatusNotifierWatcher): the app's icon and its menu can't be seen.
finding-mend-display = Run this in the desktop's own session; after `su`, `sudo` or over SSH its variables are wrong. A browser can show the gate meanwhile.
finding-mend-display-unnamed = Start the desktop app in the desktop's own session, or answer in a browser.
finding-mend-session = Start the desktop app in the desktop's own session.
finding-mend-notifications = Start your desktop's notification service, or install one, for example dunst.
finding-mend-tray = Switch your desktop's tray on; in GNOME, install the extension AppIndicator. The window opens anyway.

# Voice.
finding-voice-off = It is switched off in the settings.
finding-voice-missing = { $name } isn't beside { $program }.
finding-voice-other-version = { $program } is of version { $theirs }, and this program of { $ours }.
finding-voice-ends = { $program } doesn't run: { $words ->
    [0] it says nothing
   *[other] { $words }
}.
finding-voice-hangs = { $program } hangs.
finding-microphones = { $others ->
    [0] { $name }
   *[other] { $name }, and { $others } more
}
finding-microphone-unneeded = Only voice needs one.
finding-microphone-none = There is none.
finding-microphone-no-device = No device that records, and no sound server.
finding-microphone-unplugged = { $server } runs; no device that records is plugged in.
finding-microphone-closed = { $count ->
    [one] { $count } that records
   *[other] { $count } that record
}, { $server ->
    [0] no sound server
   *[other] { $server }
}, and none that can be opened.
finding-model-cut = { $name } has { $bytes } bytes instead of { $whole }: it is cut off, or another file.
finding-model-none = There is none yet: replies can be typed, and not spoken.
finding-model-missing = { $name }, which the settings name, isn't there.
finding-model-no-detector = The small model that tells speech from silence is missing.
finding-mend-install-all = Install Review Gate again, with all of its programs in one folder.
finding-mend-voice = Install what it lacks; on Linux that is libasound2, ALSA's library.
finding-mend-plug = Plug one in to speak replies; typing needs none.
finding-mend-sound-server = Look whether the sound server runs, and whether you may use sound (the group audio).
finding-mend-get = Get it.
finding-mend-get-again = Get it again.
finding-mend-model-none = Get one to speak them; it is used on this machine only.
finding-mend-model-missing = Get it, or choose another one in the settings.

# The clients’ configurations.
finding-clients-none = No client's configuration names Review Gate, and none of the clients that it knows is here.
finding-clients-unconnected = No client's configuration names Review Gate. Here are: { $clients }.
finding-clients-in-folders = { $client } is connected in { $folders } only: in other folders its agents can't ask you.
finding-mend-connect-everywhere = Connect it everywhere.
finding-clients-others = Here, and not connected: { $clients }.
finding-entry-of-v2 = { $file } has an entry of Review Gate V2, { $name }: agents would ask that one.
finding-entry-again = { $file } names Review Gate { $count } times: { $others } and { $last }. Agents see each tool as often.
finding-entry-good = { $file } starts { $command }.
finding-entry-empty = The entry in { $file } names neither a command nor a URL.
finding-entry-time-out = { $client } gives up waiting for you after its usual time: { $file } sets no longer one.
finding-entry-asks-first = { $client } may ask you before each call of the gate's tools: nothing allows them beforehand.
finding-entry-may-ask = { $client } may ask you before each call of the gate's tools; whether you have allowed them there can't be seen from here.
finding-entry-not-on-path = { $file } starts `{ $command }`, which no folder of PATH has.
finding-entry-missing = { $file } starts { $command }, which isn't there.
finding-entry-not-executable = { $file } starts { $command }, which may not be started.
finding-entry-no-server = { $file } starts { $command } without `mcp` first, which is no MCP server.
finding-entry-other-home = { $file } sets REVIEW_GATE_HOME to { $theirs }, so its agents ask the gate of another home than this one, { $ours }.
finding-entry-url = { $file } names { $url }, where the gate serves HTTP.
finding-entry-url-elsewhere = { $file } names { $url }, and the gate serves { $served }.
finding-entry-url-unserved = { $file } names { $url }; no gate serves HTTP now.
finding-mend-clients-none = Install an agent, or connect one by hand as the Connect page shows.
finding-mend-connect = Connect one.
finding-mend-take-over = Let Review Gate take it over.
finding-mend-leave-one = Leave one of them.
finding-mend-entry-empty = Write it anew.
finding-mend-time-out = Set it; the agent then asks less often whether you have answered.
finding-mend-asks-first = Let its agents ask you without that; it holds for this server alone.
finding-mend-entry-path = Name this program by its path.
finding-mend-entry-home = Write the entry anew, or look at that home.
finding-mend-entry-url = Name the command instead of the address: it finds the gate wherever it is.

# Permission questions.
finding-questions-good = Its agents ask here whether they may do something: { $file } has it do so. A trial came here and back in { $milliseconds } ms; nobody was asked.
finding-questions-untried = Its agents ask here whether they may do something: { $file } has it do so. It wasn't tried: no gate runs that knows how.
finding-questions-tool = Its agents ask here whether they may do something, by a tool of the gate: { $file } has it do so.
finding-questions-unasked = { $file } has its agents ask here whether they may do something; a trial came here in { $milliseconds } ms. Nobody would be asked now: { $why ->
    [off] such questions are switched off here.
    [away] you are away.
    [nobody] there is no window, no page and no terminal that decides.
   *[other] the gate can't read what is asked.
}
finding-questions-other-home = { $file } has its agents ask the gate of { $theirs }; this one is in { $ours }.
finding-questions-foreign = { $file } has its agents ask here whether they may do something. It wasn't tried, since it isn't what this program's install writes.
finding-questions-silent = { $file } has its agents ask here whether they may do something by { $command }, which didn't end within { $seconds } s on a trial.
finding-questions-ended = { $file } has its agents ask here whether they may do something by { $command }, which ended { $code ->
    [0] by a signal
   *[other] with code { $code }
} on a trial. { $words ->
    [0] It said nothing.
   *[other] It said: { $words }
}
finding-questions-printed = { $file } has its agents ask here whether they may do something by { $command }, which answered a trial that nobody was asked: { $words }
finding-questions-lost = { $file } has its agents ask here whether they may do something by { $command }, but a trial didn't come to this gate. It may be of an older release, or ask the gate of another home.
finding-questions-there = { $client } asks in its own terminal alone whether it may do something.
finding-questions-missing = { $client } is to ask here whether it may do something, but { $file } starts { $program }, which isn't there or may not be started.
finding-questions-unknown = { $client } is to ask here whether it may do something, but { $file } starts { $program }, which doesn't know how. It may be of an older release.
finding-questions-untrusted = { $client } doesn't run the hook in { $file } yet: you haven't told it to trust it.
finding-questions-twice = { $client } asks here twice for each thing that it wants to do, by { $files }.
finding-mend-questions-there = Have it ask here, too: nothing is allowed by that but what you allow.
finding-mend-questions-anew = Write it anew.
finding-mend-questions-untrusted = Start { $client } and trust the hook when it asks.
finding-mend-questions-twice = Leave one of them.
finding-mend-questions-on = Switch them on in the settings.

# What came of trying them.
finding-trial-good = It was started and has answered: { $tools ->
    [one] { $tools } tool
   *[other] { $tools } tools
}, to the record and back in { $milliseconds } ms.
finding-trial-other-version = It answers, with version { $theirs }; this program is version { $ours }.
finding-trial-without-gate = Not tried: the gate itself doesn't answer.
finding-trial-too-many = Not tried: more than { $count } different commands.
finding-trial-silent = { $command } was started and doesn't answer `{ $asked }` within { $seconds } s.
finding-trial-ended = { $command } was started and didn't answer `{ $asked }`: { $code ->
    [0] it was killed
   *[other] it ended with code { $code }
}. { $words ->
    [0] It said nothing.
   *[other] It said: { $words }
}
finding-trial-no-mcp = { $command } was started and doesn't speak MCP. It said: { $words }
finding-trial-no-answer = { $command } was started and doesn't speak MCP. It said: { $count } lines that answer nothing
finding-trial-refused = { $command } was started and refuses `{ $asked }`: { $words ->
    [0] it doesn't say why
   *[other] { $words }
}
finding-trial-another = { $command } is the server of another program, { $name }.
finding-trial-no-chat = { $command } has no tool that asks you, review_gate_chat.
finding-mend-trial-other-version = Stop the older gate, or write the entry anew with this program.
finding-mend-trial-refused = Start the gate in a terminal to see what it lacks.

# What came of the test request.
finding-seen-in-window = It was seen, and answered in the window after { $seconds } s.
finding-seen-in-browser = It was seen, and answered in a browser after { $seconds } s.
finding-seen-in-terminal = It was seen, and answered in a terminal after { $seconds } s.
finding-seen-by-script = It was seen, and answered by a script after { $seconds } s.
finding-seen-in-notification = It was seen, and answered with a button of a notification after { $seconds } s.
finding-seen-closed = It was seen, and closed after { $seconds } s.
finding-unseen = It was shown, and nobody answered or closed it within { $seconds } s.
finding-unseen-without-window = The gate has no window, and nobody answered in a browser or a terminal within { $seconds } s.
finding-mend-unseen = If you saw it, all is well. If not, bring the window up and look whether another workspace or screen has it.
finding-mend-browser = Show the gate in a browser.

# Prompts.
finding-prompts-not-fetched = { $cause } Served is what was there at the last good look, { $at }.
finding-prompts-never-fetched = { $cause } Nothing was fetched before.
finding-prompts-broken = { $count ->
    [one] A prompt's file is broken.
   *[other] { $count } files of prompts are broken.
}
finding-prompts-served = { $count ->
    [one] 1 prompt is served.
   *[other] { $count } prompts are served.
}
finding-mend-prompts = Mend what the list names, with line and column.
