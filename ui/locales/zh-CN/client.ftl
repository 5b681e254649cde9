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
client-gemini-next = 重新启动 Gemini CLI；输入 /mcp 可以看到该服务器。在不受信任的文件夹中它不会启动任何服务器：请在它询问时信任该文件夹，或之后输入 /permissions。
client-jetbrains-next = 在 IDE 中打开 Settings → Tools → Junie → MCP Settings，确认 review-gate 处于活动状态。AI Assistant 有自己的列表：请在 Tools → AI Assistant → MCP 中导入同一条目。
client-goose-next = 启动一个新的 Goose 会话；扩展已启用。
client-opencode-next = 重新启动 opencode；它会自动连接该服务器。

# 连接客户端不能完全办妥提问许可时的说明。由网关指定。
client-cursor-allow = Cursor 将此保存在自己的设置中：打开“设置”里的 Agents，将 review-gate:* 加入无需确认即可运行的 MCP 工具列表。
client-claude-desktop-allow = Claude Desktop 自行保存此项：首次询问 review-gate 的工具时，请选择“始终允许”。
client-vscode-allow = VS Code 自行保存此项：首次询问时，打开“允许”旁的菜单，选择始终允许 review-gate 的所有工具。
client-windsurf-allow = Windsurf 没有针对单个服务器的设置：请在它询问时确认 review-gate 的工具。
client-continue-allow = 在 Continue 聊天框下方打开工具列表，将 review-gate 的工具设为 Automatic。
client-cline-allow = 只有开启 Cline 对 MCP 服务器的自动批准后，该列表才生效：请打开聊天框上方的 Auto-approve。
client-zed-allow = Zed 按工具保存此项：首次询问 review-gate 的某个工具时，请选择对该工具“始终”允许。
client-jetbrains-allow = 在 IDE 中打开 Settings → Tools → Junie → Action Allowlist，为 review-gate 的工具添加一条 MCP 规则。
client-goose-allow = 无需写入：Goose 只在审批模式下才会询问。在该模式下运行 goose configure，选择 Tool Permission，始终允许 review-gate 的工具。
client-opencode-allow = 它可以读取你附加的文件。调用工具之前，只有你的 permission 设置要求时，opencode 才会询问。

# 客户端的权限请求为何不能转到这里。由网关指定。
client-questions-no-way = 目前没有已知的办法让它把询问转交出来。
client-questions-every-call = 它没有只针对询问的钩子：每次调用都会变成一个问题，而且钩子出错时调用会直接执行。
client-questions-own-prompt = 它的钩子都不能给予许可：它自己的提示总会出现。

# 权限请求转到这里之后的说明。由网关指定。
client-claude-code-questions = 从下一次询问起，Claude Code 会在这里询问是否允许，同时也在自己的终端中询问；先给出的回答有效。
client-codex-questions = 请重新启动 Codex，并在它询问时信任该钩子。问题在这里等待时（最长一分钟），它自己的提示也会等待；按 Esc 会结束它的这一轮。
client-opencode-questions = 请重新启动 opencode。只有你的 permission 设置要求时它才会询问，既在这里也在自己的终端中询问；先给出的回答有效。为加载插件，它启动时会从 npm 获取一个软件包；没有网络时需要一分多钟。
