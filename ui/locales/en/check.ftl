# The doctor’s checks, as its findings are headed in the windows and in a terminal. The gate names them.
check-program = Program on PATH
check-desktop = Desktop app
check-webkit = Libraries of the desktop app
check-system = Confirmed by the system (L2)
check-others = What other programs may do
check-home = Home folder
check-disk = Disk space
check-file-system = File system
check-settings = Settings file
check-gate = Running gate
check-lock = Lock
check-socket = Local socket
check-token = Token
check-http = HTTP port
check-database = Database
check-backups = Backups
check-search = Search index
check-prompts = Prompts
check-display = Display
check-window = Window
check-person = You
check-guards = Guards
check-receipts = Receipts
check-notifications = Notification service
check-tray = System tray
check-voice = Voice
check-microphone = Microphone
check-model = Speech model
check-clients = Clients
check-popup = Test request
check-heard = Agents that have asked

# A client’s configuration, for the user or for one project; and trying what it names.
check-client = { $client }
check-client-project = { $client }, this project
check-trial = { $client }, tried
check-trial-project = { $client }, this project, tried
