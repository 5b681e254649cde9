# 连接客户端之后需要在其中做的事。由网关指定。
client-cursor-next = 在 Cursor 中打开“设置”里的 Tools & MCP，如果 review-gate 处于关闭状态，请将其打开。
client-claude-code-next = 启动一个新的 Claude Code 会话；输入 /mcp 可以看到该服务器。项目级配置会询问一次是否信任。
client-claude-desktop-next = 从菜单或托盘完全退出 Claude Desktop，然后重新启动。
client-vscode-next = 在 VS Code 中运行“MCP: List Servers”，启动 review-gate 并确认信任它。
client-codex-next = 启动一个新的 Codex 会话；输入 /mcp 可以看到该服务器。项目级配置在项目被信任后生效。
client-windsurf-next = 在 Windsurf 中打开 Cascade 的 MCP 服务器列表并点击刷新。
client-continue-next = Continue 会自动读取该文件；工具在其 Agent 模式下使用。
client-cline-next = Cline 会立即启动该服务器；可在其 MCP Servers 视图中查看。
client-zed-next = Zed 会立即启动该服务器；在 Agent 面板的设置中可以看到它旁边的绿点。
client-gemini-next = 重新启动 Gemini CLI；输入 /mcp 可以看到该服务器。
client-jetbrains-next = 在 IDE 中打开 Settings → Tools → Junie → MCP Settings，确认 review-gate 处于活动状态。AI Assistant 有自己的列表：请在 Tools → AI Assistant → MCP 中导入同一条目。
client-goose-next = 启动一个新的 Goose 会话；扩展已启用。
client-opencode-next = 重新启动 opencode；它会自动连接该服务器。
