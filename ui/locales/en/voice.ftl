# Speaking a reply: the button and its bar.
voice-speak = Speak the reply
voice-speak-title = Hold to speak, or click to begin and to end ({ $key }).
voice-stop-title = Listening. Click to end ({ $key }), Esc cancels.
voice-armed = The microphone is open, so that your first word isn’t lost; nothing is stored or sent.
voice-coming = The speech model is being downloaded: { $percent } %.
voice-listening = Listening
voice-transcribing = Transcribing…
voice-put = The words are in the reply.
voice-done = Done
voice-cancel-title = Cancel; what you typed stays (Esc)
voice-key-speak = Speak: hold the key, or press it twice

# Why nothing is heard, or no more.
voice-silent = No speech heard.
voice-silent-hint = Is it the right microphone, and is it on?
voice-cut-off = That was the longest recording; its words are in the reply. Go on with the next one.
voice-off = Voice is switched off.
voice-waits = The microphone is gone. What you said is kept.
voice-goes-on = Goes on with { $name }.
voice-no-microphone = No microphone was found.
voice-no-microphone-mend = Plug one in, then speak again.
voice-busy = Another program holds the microphone.
voice-busy-mend = Close it, or choose another microphone.
voice-denied = The system doesn’t let Review Gate listen.
voice-denied-mend = Allow it in the system’s settings for microphones.
voice-gone = The microphone is gone.
voice-gone-mend = Plug it in again, or choose another one.
voice-failed = It couldn’t be transcribed.
voice-failed-mend = The recording is kept.

# What was said as a command.
voice-ask-send = Send the reply?
voice-ask-approve = Approve?
voice-send = Send
voice-go-on = Go on writing

# The menu.
voice-menu = Microphone and model
voice-microphone = Microphone
voice-default = As the system
voice-default-name = As the system: { $name }
voice-missing = { $name } (isn’t plugged in)
voice-microphone-lead = Where your voice comes from. It listens while you speak, and is ready while a request is shown.
voice-model = Speech model
voice-more-models = More models…
voice-language = Language
voice-settings = Voice settings…

# Speech models.
voice-first = Speak your replies
voice-first-lead = What you say becomes text on this machine; no sound is stored or leaves it. For that, a speech model is downloaded once.
voice-ready = You can speak now
voice-ready-lead = Hold the microphone or { $key }, speak, and let go. Nothing is sent before you send it.
voice-english = English only
voice-multilingual = 99 languages
voice-memory = { $size } of memory
voice-free = { $size } free
voice-tight = There is hardly room on the disk: it takes { $size }.
voice-download = Download
voice-download-size = Download ({ $size })
voice-download-name = Download { $name }
voice-part = { $done } of { $of }
voice-pace = { $part } · { $speed }/s · { $left } left
voice-paused = { $part } · paused
voice-pause = Pause
voice-resume = Resume
voice-there = It is on this machine.
voice-others = Other models
voice-all = All others ({ $n })
voice-level-small = small
voice-level-good = good
voice-level-best = best
voice-recommended = recommended
voice-in-use = in use
voice-imported = imported
voice-use = Use
voice-use-name = Use { $name }
voice-remove = Remove
voice-remove-name = Remove { $name }
voice-remove-ask = Remove it from this machine?
voice-keep = Keep
voice-import-file = Import a file…
voice-import-path = File or folder on the machine that Review Gate runs on
voice-import-example = /path/to/ggml-base.bin
voice-import-hint = A ggml model of whisper.cpp. It is checked and copied.
voice-import = Import
voice-importing = Checking…
voice-models = Speech models
voice-models-lead = Larger ones make fewer mistakes and are slower. All of them work on this machine, without a network.
voice-folder = They are in
voice-megabytes = { $n } MB
voice-gigabytes = { NUMBER($n, minimumFractionDigits: 1, maximumFractionDigits: 1) } GB
