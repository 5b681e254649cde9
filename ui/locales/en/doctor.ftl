# The doctor: whether everything works, and what to do where it doesn't.
doctor-title = Does everything work?
doctor-looking-first = Looking at everything
doctor-well = Everything works
doctor-faults = { $n ->
    [one] One thing doesn’t work
   *[other] { $n } things don’t work
}
doctor-warnings = { $n ->
    [one] It works, with one warning
   *[other] It works, with { $n } warnings
}
doctor-looking = Every check runs, and each client’s command is started once…
doctor-popup-waits = A request has come up: answer it or close it, and come back.
doctor-elapsed = { $n } s so far; a client that doesn’t answer takes 10 s.
doctor-looked = { $n ->
    [one] { $n } finding in { $seconds } s, { $age }
   *[other] { $n } findings in { $seconds } s, { $age }
}
doctor-again = Run again
doctor-popup = Test the window
doctor-popup-title = Brings up a request, to see whether you see it
doctor-copy = Copy report
doctor-copy-title = As Markdown for a bug report; without names and secrets
doctor-copied = The report is copied.
doctor-copy-command = Copy { $command }
doctor-terminal = The same in a terminal: { $command }

doctor-group-fault = { $n ->
    [one] Doesn’t work
   *[other] Don’t work ({ $n })
}
doctor-group-warning = { $n ->
    [one] Warning
   *[other] Warnings ({ $n })
}
doctor-group-note = { $n ->
    [one] Good to know
   *[other] Good to know ({ $n })
}
doctor-group-good = { $n ->
    [one] { $n } check is good
   *[other] { $n } checks are good
}
doctor-group-skipped = { $n ->
    [one] { $n } check was skipped
   *[other] { $n } checks were skipped
}
doctor-level-fault = Fault:
doctor-level-warning = Warning:
doctor-level-note = Note:
doctor-level-good = Good:
doctor-level-skipped = Skipped:
doctor-mend-connect = Go to Connect
doctor-mend-file = Look at the file
doctor-mend-setting = Go to the setting
doctor-mend-prompts = Go to the prompts
doctor-mend-back = I’m back
