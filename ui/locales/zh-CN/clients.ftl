# 连接智能体的客户端。
clients-title = 连接你的智能体
clients-lead = 点按一次，即可把条目写入客户端自己的配置。写入之前会先给你看内容，文件中的其他部分保持不变，并会留下备份。
clients-group-connected = 已连接
clients-group-found = 本机上的客户端
clients-group-absent = 另有 { $n } 个客户端未在本机找到
clients-none = 本机上没有找到此处认识的客户端。可以用下面的内容手动连接。
clients-other = 其他客户端
clients-other-lead = 任何支持 MCP 的客户端都可以连接：让它启动这个程序即可。

clients-connected = 已连接
# 后面是这些文件夹本身。
clients-folders = 仅连接于
clients-elsewhere = 旧条目（V2）
clients-spoke = { $age }通信过
clients-never-spoke = 尚未通信
clients-sessions = { $n } 个会话进行中
clients-time-out = 调用最长 { $time }
clients-rules-written = 已写入规则
clients-rules-changed = 规则已被手动修改
clients-allowed = 提问无需确认
clients-reviews = 参与审阅
clients-asks-here = 权限请求转到这里
clients-asks-here-untrusted = 信任它的钩子之后，权限请求转到这里

clients-connect = 连接…
clients-connect-do = 连接
clients-connect-name = 连接 { $name }
clients-change = 更改…
clients-disconnect = 断开
clients-disconnect-name = 断开 { $name }
clients-questions-take = 移除

clients-where = 范围
clients-where-from = 从何处移除
clients-scope-user = 你的所有项目
clients-scope-project = 仅此项目
clients-rules = 同时写入何时询问你的规则
clients-rules-hint = 给智能体的一条简短规则：结束本轮之前和有风险的步骤之前先询问你。
clients-allow = 允许其智能体无需确认即可提问
clients-allow-hint = 否则，每次调用 Review Gate 的工具之前（也就是每次提问之前），客户端都会先让你确认。此项仅适用于 Review Gate 自己的工具和你附加的文件；其他操作仍照常确认。
clients-takes-part = 让它的智能体互相审阅改动
clients-takes-part-hint = 它们会得到相应的工具：一个智能体提出改动，另一个在改动生效之前审阅。它们的决定只是智能体的批准，绝不是你的批准。相关规则在设置中。
clients-questions = 将它的权限请求转到这里
clients-questions-hint = 它的智能体也会在这里询问是否可以运行命令或修改文件。只有你允许的才会被允许：Review Gate 没有运行或无人回答时，智能体在自己的提示中询问。
clients-questions-out = 只移除这一项。{ $name } 的其他配置保持不变，只在自己的提示中询问。
clients-questions-cannot = 它的权限请求不能转到这里。
clients-questions-off = 设置中已关闭权限请求：重新开启之前，它在自己的提示中询问。
clients-take-over = 接管 Review Gate V2 的条目
clients-take-over-hint = 替换旧条目，避免智能体看到两个网关。
clients-looking = 正在查看将要写入的内容…
clients-nothing-to-write = 无需写入：内容已经齐全。
clients-backup = 当前的文件会备份到 { $path }。
clients-backup-is = 原来的文件已备份到 { $path }。
clients-done-connected = { $name } 已连接。
clients-done-disconnected = { $name } 已断开。
clients-done-questions-out = { $name } 只在自己的提示中询问是否允许。

# 试用。要输入给智能体的话单独显示，可以复制。
clients-try = 试一试
clients-try-send = 发送测试问题
clients-try-lead = 它会像智能体的提问一样出现，你可以看看如何回答。没有谁在等待它，它也不会留在历史记录中。
clients-try-waits = 测试问题已经出现：回答它，或者关闭它。
clients-try-seen = 测试问题出现了，你也看到了。智能体的提问会以同样的方式到来。
clients-try-say = 然后让智能体来问你。对它输入：
clients-try-say-to = 然后让 { $name } 来问你。在那里输入：
clients-try-words = 请用 review_gate_chat 问我最喜欢什么颜色，并告诉我我是怎么回答的。
clients-try-copy = 复制要输入的话

clients-project = 同时查看项目
clients-project-none = 不限项目
clients-project-other = 其他文件夹…
clients-project-folder = 项目文件夹的完整路径
