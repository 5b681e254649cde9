# The review window where nothing waits.
empty-title = No requests are waiting
empty-lead = When an agent needs you, its question comes up here: read it, write, and approve or ask for changes. Closing this window answers nothing.
empty-version = Review Gate { $version }
empty-history = History
empty-page-connect = Connect
empty-page-settings = Settings
empty-page-doctor = Doctor
empty-all-answered = All answered
empty-all-put-off = Nothing else is waiting
empty-put-off = Put off
empty-put-off-until = until { $time }
