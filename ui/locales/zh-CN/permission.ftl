# 权限请求：智能体请求允许的事，用文字说明。
permission-run = 运行 { $what }？
permission-run-bare = 运行一条命令？
permission-edit = 修改 { $what }？
permission-write = 写入 { $what }？
permission-fetch = 从 { $what } 获取？
permission-use = 使用 { $what }？
permission-more = 另外 { $n } 个
permission-as-now = 对照文件现在的内容
permission-sent = 原始内容
permission-sent-rule = 规则 { $id }，原样
permission-wrap = 自动换行
permission-copy = 复制
permission-cut = { $n ->
   *[other] 其中 { $n } 个字符没有显示在这里。
}
permission-cut-barred = 全部显示之前不能允许。
permission-cut-more = 再显示 { $n } 个
permission-facts = 已知的情况
permission-programs = 会运行
permission-places = 所在位置
permission-place-none = 未找到
permission-place-inside = 位于该文件夹中，可能由智能体写入
permission-host = 主机
permission-asks = 想找
permission-server = 服务器
permission-tool = 工具
permission-files = 文件
permission-says = 它说
permission-said = “{ $words }”
permission-says-help = 智能体自己的说法，没有人核实过。
permission-who = 谁在问
permission-subagent = { $client }，由其子智能体 { $kind } 提出
permission-leads = { $path } 是符号链接，指向 { $to }。
permission-outside = { $path } 在文件夹之外。
permission-leads-outside = { $path } 是符号链接，指向文件夹之外的 { $to }。

# 为什么无法知道一次修改会做什么。
permission-unknown-not_found = 无法知道它会做什么：它要替换的文字不在文件里。
permission-unknown-several = 无法知道它会做什么：它要替换的文字在文件里不止一处。
permission-unknown-binary = 无法显示它会做什么：文件不是文本。
permission-unknown-line_ends = 无法知道它会做什么：文件的行不是只用换行符结尾。
permission-unknown-unreadable = 无法知道它会做什么：文件无法读取。
permission-unknown-too_large = 无法显示它会做什么：文件或改动太大。
permission-unknown-no_path = 无法知道它会做什么：它没有指明文件。
permission-unknown-form = 无法知道它会做什么：改动的形式未知。
permission-unknown-untold = 无法知道它会做什么：它没有说要改什么。
permission-unknown-is_there = 无法知道它会做什么：它要新建的文件已经存在。
permission-unknown-nothing = 它不会改变任何东西。

# 文字里不寻常之处的计数，以及第一处在哪里。
permission-odd-unseen = { $n ->
   *[other] { $n } 个看不见的字符
}
permission-odd-turns = { $n ->
   *[other] { $n } 个改变阅读方向的字符
}
permission-odd-blank = { $n ->
   *[other] { $n } 个不寻常的空白
}
permission-odd-alike = { $n ->
   *[other] { $n } 个形似其他字母的字母
}
permission-odd-pushed = { $n ->
   *[other] { $n } 处把后文推远的空白
}
permission-odd-many = 超过 { $n } 个名不副实的字符
permission-odd-first = { $after ->
    [0] 第一处是第 { $line } 行开头的 { $name }。
   *[other] 第一处是第 { $line } 行“{ $after }”之后的 { $name }。
}

# 回答。
permission-answer = 回答
permission-once = 允许一次
permission-deny = 拒绝
permission-deny-with = 拒绝…
permission-deny-send = 以此拒绝
permission-reason = 为什么不行；模型会读到
permission-edit-open = 编辑…
permission-edit-field = 改为允许的内容
permission-edit-send = 按编辑后允许
permission-edit-same = 还没有任何改动。
permission-back = 返回
permission-there = 在那边问
permission-there-help = 在这里搁置：由智能体自己的提示来问。不允许也不拒绝任何事。
permission-aside = 搁置
permission-aside-help = 不允许任何事：智能体会被告知没有人回答。
permission-with-rule = 按此规则允许
permission-rule-brought = 未执行：这条规则现在才完整显示。
permission-rule-allows = 它自己的提议：总是允许 { $what }
permission-rule-mode = 它自己的提议：切换到 { $what } 模式，之后会问得更少
permission-rule-folders = 它自己的提议：同时开放这些文件夹：{ $what }
permission-rule-other = 它自己的提议，一条这里未知的规则：{ $what }
permission-rule-kept = { $rule }（{ $kept ->
    [session] 在本次会话
    [localSettings] 在此项目，仅限你
    [projectSettings] 在此项目，所有人
    [userSettings] 在你的所有项目
   *[other] { $kept }
}）
permission-wide = 范围广
permission-wide-help = 这允许的比这里问的更多。
permission-rule-level = { $level ->
    [L2] 按规则允许需要你的系统密码或指纹（L2）：规则以后可能允许的一切都算在内。
   *[other] 按规则允许需要你触碰安全密钥（L3）：规则以后可能允许的一切都算在内。
}
permission-exactly = { $level } · 仅此 { $digest }
permission-exactly-help = 你允许的只有这一项：{ $digest }

# 等待多久，以及为什么结束。
permission-beside = 它的终端也在问
permission-beside-short = 终端也在问
permission-terminal = 它的终端将在 { $time } 问
permission-terminal-short = 终端 { $time }
permission-over-off = 权限请求已关闭。{ $then }
permission-over-away = 你不在。{ $then }
permission-over-nobody = 没有可供询问的窗口。{ $then }
permission-over-time_over = 等待时间已过。{ $then }
permission-over-put_aside = 已搁置。{ $then }
permission-over-answered_there = 已在智能体自己的提示中回答。
permission-over-gone = 智能体不再等待它。这里没有回答。
permission-over-unreadable = 它无法完整读取。{ $then }
permission-over-stopping = Review Gate 正在停止。{ $then }
permission-over-asks = 这里没有回答：智能体在自己的提示中询问。
permission-over-denied = 这里没有回答：智能体视为拒绝。
permission-over-here = 它在这里已结束。没有回答。
permission-answered = 已在别处{ $decision ->
    [approved] 允许
    [changes_requested] 拒绝
   *[none] 回答
}。
permission-replaced = 文件此后有变动：这是它现在会做的。尚未回答任何事。

# 同一智能体同时提出的其他请求。
permission-others = { $client } 同时还问了 { $n } 项

# 按键表。
permission-keys = 权限请求
permission-keys-once = 允许一次
permission-keys-deny = 拒绝；智能体能读时附一句话
permission-keys-deny-send = 发送写下的内容：以此拒绝，或按编辑后允许
permission-keys-edit = 编辑后允许
permission-keys-rule = 按智能体自己的规则允许
