# 各项设置的名称与说明：setting-分组-名称。由网关指定；gate-settings 的测试会将其与设置表核对。

# 页面的分组。
setting-section-waiting = 等待与超时
setting-section-notifications = 通知与安静时段
setting-section-appearance = 外观
setting-section-voice = 语音
setting-section-prompts = 提示词
setting-section-sessions = 会话
setting-section-storage = 存储与保留
setting-section-network = 网络与安全

# 本语言的自称。语言设置会列出每个目录：有 setting-window-language-标签 时用该名称，否则用该语言的自称。
setting-language-own-name = 简体中文
setting-language-named = { $name }

# 数字的单位。
setting-unit-seconds = 秒
setting-unit-hours = 小时
setting-unit-days = 天
setting-unit-megabytes = MB
setting-unit-pixels = 像素
setting-unit-backups = 份
setting-unit-minutes = 分钟
setting-unit-rounds = 轮

setting-waiting-clients = 客户端等待时间
setting-waiting-clients-help = 客户端的调用在多少秒后返回“等待中”，仅在与内置值不同时填写。名称后可以带版本，例如 codex >= 0.60。智能体只能更改自己客户端的等待时间。
setting-waiting-away-after-pending = 多少轮无人回答后视为离开
setting-waiting-away-after-pending-help = 连续这么多次返回“等待中”而你没有任何操作时，会告知智能体你已离开。0 表示从不。

setting-notifications-enabled = 桌面通知
setting-notifications-enabled-help = 收到请求时显示系统通知。
setting-notifications-sounds = 提示音
setting-notifications-sounds-help = 收到请求时播放提示音。
setting-notifications-quiet-hours = 安静时段
setting-notifications-quiet-hours-help = 在此时段内不弹出窗口，也不播放提示音，例如 22:00-07:30。紧急请求除外。

setting-window-raise = 自动弹出窗口
setting-window-raise-help = 收到请求且无人正在输入时弹出审阅窗口。即使关闭，紧急请求也会这样弹出。
setting-window-undo-seconds = 撤回回复的时限
setting-window-undo-seconds-help = 发送回复后在此时间内可以撤回，之后才会告知智能体。0 表示不可撤回。
setting-window-theme = 主题
setting-window-theme-help = 窗口使用浅色还是深色。
setting-window-theme-system = 跟随系统
setting-window-theme-light = 浅色
setting-window-theme-dark = 深色
setting-window-font-size = 字号
setting-window-font-size-help = 正文文字的大小。
setting-window-language = 语言
setting-window-language-help = 窗口所用的语言。托盘菜单在下次启动应用后生效。
setting-window-language-system = 跟随系统
setting-window-language-en = English
setting-window-language-zh-CN = 简体中文
setting-window-reduced-motion = 减少动态效果
setting-window-reduced-motion-help = 无论系统如何设置，界面都不使用动画。
setting-window-always-on-top = 审阅窗口置顶
setting-window-always-on-top-help = 审阅窗口始终显示在其他程序的窗口之上。
setting-window-hotkey = 全局快捷键
setting-window-hotkey-help = 在任何地方按下即可调出下一个请求的快捷键。留空表示不使用。
setting-window-start-at-login = 登录时启动
setting-window-start-at-login-help = 登录系统时在后台启动 Review Gate。此处未选择时，以托盘菜单中的选择为准。

setting-review-require-seen = 仅批准显示过的内容
setting-review-require-seen-help = 在每个改动文件和消息末尾都显示过之前，无法批准。按钮旁会列出尚未显示的部分。
setting-review-pool-at-once = 同时审阅的程序
setting-review-pool-at-once-help = 这些程序最多同时运行几个。
setting-review-pool-minutes = 最长审阅时间
setting-review-pool-minutes-help = 这些程序一次最多运行多久，超过即结束。
setting-review-pool-a-day = 每天审阅次数
setting-review-pool-a-day-help = 这些程序一天最多启动多少次。

setting-permissions-enabled = 在这里显示权限请求
setting-permissions-enabled-help = 已为此连接的智能体是否在这里询问能否运行命令或修改文件。关闭时，它们在自己的提示中询问。
setting-permissions-wait-seconds = 权限请求的等待时间
setting-permissions-wait-seconds-help = 超过这么多秒无人回答时，这里会撤回请求，由智能体在自己的提示中询问。智能体自己最多等待十分钟。
setting-permissions-raise = 权限请求弹出审阅窗口
setting-permissions-raise-help = 智能体询问权限且无人输入时，弹出审阅窗口。关闭时，请求在收件箱和托盘中等待。
setting-permissions-sound = 权限请求的声音
setting-permissions-sound-help = 智能体询问权限时，轻轻播放一次声音。

setting-voice-enabled = 语音
setting-voice-enabled-help = 用语音代替键盘回复。所有声音都只在本机上识别。
setting-voice-model = 语音模型
setting-voice-model-help = 用于识别语音的模型名称，例如 base-q8_0。留空表示使用推荐的模型，或任何已安装的模型。
setting-voice-language = 所说的语言
setting-voice-language-help = 指定语言比自动识别更快、更准确。
setting-voice-language-auto = 自动识别
setting-voice-language-ar = 阿拉伯语
setting-voice-language-cs = 捷克语
setting-voice-language-da = 丹麦语
setting-voice-language-de = 德语
setting-voice-language-el = 希腊语
setting-voice-language-en = 英语
setting-voice-language-es = 西班牙语
setting-voice-language-fi = 芬兰语
setting-voice-language-fr = 法语
setting-voice-language-he = 希伯来语
setting-voice-language-hi = 印地语
setting-voice-language-hu = 匈牙利语
setting-voice-language-id = 印度尼西亚语
setting-voice-language-it = 意大利语
setting-voice-language-ja = 日语
setting-voice-language-ko = 韩语
setting-voice-language-nl = 荷兰语
setting-voice-language-no = 挪威语
setting-voice-language-pl = 波兰语
setting-voice-language-pt = 葡萄牙语
setting-voice-language-ro = 罗马尼亚语
setting-voice-language-ru = 俄语
setting-voice-language-sv = 瑞典语
setting-voice-language-th = 泰语
setting-voice-language-tr = 土耳其语
setting-voice-language-uk = 乌克兰语
setting-voice-language-vi = 越南语
setting-voice-language-zh = 中文
setting-voice-microphone = 麦克风
setting-voice-microphone-help = 麦克风的标识，可用 `review-gate voice microphones` 查看。留空表示使用系统默认的麦克风。
setting-voice-armed = 让麦克风保持就绪
setting-voice-armed-help = 显示请求时让麦克风保持就绪，以免漏掉第一个字。内存中只保留半秒的声音，不会存储。
setting-voice-hotkey = 按住说话的快捷键
setting-voice-hotkey-help = 在任何地方按住即可说话的快捷键。留空表示不使用。
setting-voice-commands = 语音命令
setting-voice-commands-help = 识别语音末尾的发送、批准和换行命令。批准之前始终会请你确认。
setting-voice-longest-minutes = 最长录音时间
setting-voice-longest-minutes-help = 录音达到此时间后自动结束，并识别已说的内容。
setting-voice-vocabulary = 自定义词汇
setting-voice-vocabulary-help = 需要识别的名称和词语，按正确写法填写；也可以写明会被听成什么，例如 get hub -> GitHub。
setting-voice-mirror = 模型下载地址
setting-voice-mirror-help = 存放模型文件的目录地址，用于无法访问 huggingface.co 的网络。留空表示使用默认地址。
setting-voice-unload-minutes = 模型保留时间
setting-voice-unload-minutes-help = 最后一次使用后经过此时间释放模型占用的内存。下次使用时会重新加载，约需一秒。

setting-prompts-folder = 你的提示词
setting-prompts-folder-help = 存放你自己的提示词的文件夹。留空表示使用设置文件旁的 prompts 文件夹。
setting-prompts-repository = 仓库
setting-prompts-repository-help = 从此处获取提示词：GitHub 上的 owner/repo，或任意 git 地址。留空表示不同步。
setting-prompts-branch = 分支
setting-prompts-branch-help = 要获取的分支。留空表示使用仓库的默认分支。
setting-prompts-subfolder = 仓库中的文件夹
setting-prompts-subfolder-help = 仓库中存放提示词的文件夹。留空表示整个仓库。
setting-prompts-interval-seconds = 检查间隔
setting-prompts-interval-seconds-help = 两次检查仓库之间的间隔。
setting-prompts-pin = 固定提交
setting-prompts-pin-help = 只使用此提交，不再更新。留空表示使用最新提交。
setting-prompts-token = 访问令牌
setting-prompts-token-help = 用于通过 https 访问私有仓库。令牌保存在设置文件中，导出时不包含。
setting-prompts-own-credentials = 使用 git 自身的登录信息
setting-prompts-own-credentials-help = 以 git 的方式登录：使用凭据助手和你的 SSH 密钥。
setting-prompts-webhook-secret = Webhook 密钥
setting-prompts-webhook-secret-help = 填写 GitHub webhook 的密钥后，推送到 /webhooks/github 的更新会立即同步。留空表示不使用 webhook。

setting-sessions-timeout-seconds = 会话超时
setting-sessions-timeout-seconds-help = 没有中继的会话在此时间内没有任何活动时视为超时；未回答的请求也算活动。
setting-sessions-stale-seconds = 会话失联
setting-sessions-stale-seconds-help = 在此时间内没有收到中继的心跳时，会话视为失联；中继每 10 秒发送一次心跳。
setting-sessions-forget-seconds = 移出列表
setting-sessions-forget-seconds-help = 会话结束后经过此时间，将不再显示在会话页面中；历史记录仍会保留。

setting-storage-backups = 备份份数
setting-storage-backups-help = 保留多少份数据备份；超出时删除最旧的。0 表示不备份。
setting-storage-backup-hours = 备份间隔
setting-storage-backup-hours-help = 一次备份之后多久进行下一次备份。
setting-storage-keep-days = 对话保留天数
setting-storage-keep-days-help = 超过此天数没有任何活动的对话会被删除。留空表示永不删除。
setting-storage-max-megabytes = 数据大小上限
setting-storage-max-megabytes-help = 数据超过此大小时，删除最旧的对话。留空表示不限制。
setting-storage-journal = SQLite 日志方式
setting-storage-journal-help = SQLite 的写入方式。网络磁盘需要回滚日志，会自动选用。
setting-storage-journal-auto = 根据磁盘自动选择
setting-storage-journal-wal = 预写日志（WAL）
setting-storage-journal-rollback = 回滚日志

setting-network-http = 提供 HTTP 服务
setting-network-http-help = 在 127.0.0.1 上提供 MCP 和浏览器页面。
setting-network-port = 端口
setting-network-port-help = 优先使用的 127.0.0.1 端口。0 表示任意端口。
setting-network-allowed-hosts = 本机的其他名称
setting-network-allowed-hosts-help = 除 localhost 外，客户端可用来称呼本机的名称，例如通过隧道访问时的 gate.internal。
setting-network-allowed-origins = 允许访问的网页来源
setting-network-allowed-origins-help = 允许携带令牌调用 MCP 的网页来源，例如 http://localhost:6274。

setting-security-scripted-answers = 允许脚本回答
setting-security-scripted-answers-help = 没有终端的进程，或由智能体启动的进程，能否代你回答。未选择时，仅在以 serve --allow-scripts 启动时允许。每个这样的回复都会说明。
setting-security-terminal-answers = 在终端中做决定
setting-security-terminal-answers-help = review-gate answer 能否批准或要求修改：它显示全部内容，并要求输入四位数字。拥有自己终端的程序也能做到。未选择时，仅在以 serve --terminal 启动时允许。
setting-security-require = 批准需要多可靠
setting-security-require-help = 什么算作你的批准。从 L2 起，不接受更不可靠的批准；不含批准的回复始终可以发送。
setting-security-require-L3 = L3：触碰你的安全密钥
setting-security-require-L2 = L2：由系统确认
setting-security-require-L1 = L1：由看到请求的人给出
setting-security-require-L0 = L0：由任何人给出，包括脚本
setting-security-require-for = 需要更可靠的批准
setting-security-require-for-help = 按仓库、分支、路径和文字设定的规则，例如 L3; path=deploy/|infra/; words=production。每个部分都须符合，其中任一选项符合即可；在分支和路径中，* 代表任意内容。无法得知的分支视为符合。智能体请求许可的编辑，其文件会从每一级上层文件夹起与路径比对。
setting-security-review-rules = 谁来审阅智能体的提案
setting-security-review-rules-help = 规则例如 person; path=migrations/|*.sql（由你审阅，不需要智能体）、agents:2; lines=400（改动行数更多时需要两个智能体）或 agent+person; proposer=codex。取所有符合规则中要求最高的；没有符合的规则时，另一个智能体即可。可用部分：path、repository、proposer、lines；category 只能用在需要你的规则中。
setting-security-pool = 为你审阅的程序
setting-security-pool-help = 半分钟内无人审阅时，依次启动你的这些智能体程序：claude-code、codex、gemini-cli、opencode。每次只看一轮，使用单独的文件夹，并在本机支持时放入沙箱；费用由你在该程序的账户承担。它们的批准是智能体的批准，绝不是你的。
setting-security-pool-unsheltered = 允许不在沙箱中运行
setting-security-pool-unsheltered-help = 关闭时，它们只在沙箱中运行，否则不启动。打开后，即使可以有沙箱也不使用：它们读到的改动可能诱使它们读取你的其他文件。
