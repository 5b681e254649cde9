# What the person has to do in a client once it is connected. The gate names them.
client-cursor-next = In Cursor, open Settings, Tools & MCP, and switch review-gate on if it is off.
client-claude-code-next = Start a new session of Claude Code; /mcp shows the server. In a project it asks once whether you trust it.
client-claude-desktop-next = Quit Claude Desktop from its menu or tray and start it again.
client-vscode-next = In VS Code, run “MCP: List Servers”, start review-gate and confirm that you trust it.
client-codex-next = Start a new session of Codex; /mcp shows the server. A project's file counts once the project is trusted.
client-windsurf-next = In Windsurf, open Cascade's MCP servers and press refresh.
client-continue-next = Continue reads the file when it is saved; tools are used in its Agent mode.
client-cline-next = Cline starts the server at once; its MCP Servers view shows it.
client-zed-next = Zed starts the server at once; the settings of its Agent Panel show a green dot beside it.
client-gemini-next = Start Gemini CLI anew; /mcp shows the server. In a folder that it doesn't trust it starts no server: trust the folder when it asks, or later with /permissions.
client-jetbrains-next = In the IDE, open Settings, Tools, Junie, MCP Settings, and see that review-gate is active. AI Assistant keeps its own list: import the same entry under Tools, AI Assistant, MCP.
client-goose-next = Start a new session of Goose; the extension is on.
client-opencode-next = Start opencode anew; it connects to the server by itself.

# What there is to say of permission to ask, where connecting a client doesn’t do it all. The gate names them.
client-cursor-allow = Cursor keeps this in its own settings: open Settings, Agents, and add review-gate:* to the list of MCP tools that run without asking.
client-claude-desktop-allow = Claude Desktop keeps this to itself: choose “Always allow” when it asks about a tool of review-gate for the first time.
client-vscode-allow = VS Code keeps this to itself: when it asks for the first time, open the menu beside “Allow” and allow all tools of review-gate always.
client-windsurf-allow = Windsurf has no setting for one server: confirm the tools of review-gate when it asks.
client-continue-allow = In Continue, open the tools below its chat box and set those of review-gate to Automatic.
client-cline-allow = Cline heeds the list only while its auto-approval of MCP servers is on: open Auto-approve above its chat box.
client-zed-allow = Zed keeps this for each tool: choose “Always for” that tool when it asks about one of review-gate for the first time.
client-jetbrains-allow = In the IDE, open Settings, Tools, Junie, Action Allowlist, and add an MCP rule for the tools of review-gate.
client-goose-allow = Nothing needs to be written: Goose asks before a tool only in its approval modes. There, run goose configure, Tool Permission, and allow the tools of review-gate always.
client-opencode-allow = It may read what you attach. Before a tool, opencode asks only where your “permission” setting says so.

# Why permission questions of a client can't come here. The gate names them.
client-questions-no-way = It has no way to hand them over that is known.
client-questions-every-call = It has no hook for what it would ask: each call would be a question, and runs where the hook fails.
client-questions-own-prompt = None of its hooks can allow anything: its own prompt comes in any case.

# What there is to say of permission questions that come here. The gate names them.
client-claude-code-questions = From its next question on, Claude Code asks here whether it may, and in its own terminal as well; the first answer counts.
client-codex-questions = Start Codex anew and trust the hook when it asks. While a question waits here, for up to a minute, its own prompt waits, too; Esc ends its turn.
client-opencode-questions = Start opencode anew. It asks only where your “permission” setting says so, here and in its own terminal; the first answer counts. For plugins it fetches a package from npm at its start, which takes more than a minute without a network.
