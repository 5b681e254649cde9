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
client-gemini-next = Start Gemini CLI anew; /mcp shows the server.
client-jetbrains-next = In the IDE, open Settings, Tools, Junie, MCP Settings, and see that review-gate is active. AI Assistant keeps its own list: import the same entry under Tools, AI Assistant, MCP.
client-goose-next = Start a new session of Goose; the extension is on.
client-opencode-next = Start opencode anew; it connects to the server by itself.
