# 语音输入回复：按钮及其所在的栏。
voice-speak = 语音输入回复
voice-speak-title = 按住说话，或点按开始、再点按结束（{ $key }）。
voice-stop-title = 正在聆听。点按结束（{ $key }），Esc 取消。
voice-armed = 麦克风已打开，以免漏掉第一个字；不会存储或发送任何声音。
voice-coming = 正在下载语音模型：{ $percent }%。
voice-listening = 正在聆听
voice-transcribing = 正在转写…
voice-put = 文字已填入回复。
voice-done = 完成
voice-cancel-title = 取消；已输入的文字会保留（Esc）
voice-key-speak = 语音输入：按住此键，或按两次

# 没有听到，或听不到了。
voice-silent = 没有听到说话。
voice-silent-hint = 麦克风是否选对，是否已打开？
voice-cut-off = 已达到最长录音时间，文字已填入回复。可以接着再说一段。
voice-off = 语音输入已关闭。
voice-waits = 麦克风已断开。已说的内容会保留。
voice-goes-on = 改用 { $name } 继续。
voice-no-microphone = 没有找到麦克风。
voice-no-microphone-mend = 请接上麦克风后再试。
voice-busy = 麦克风正被其他程序占用。
voice-busy-mend = 请关闭该程序，或选择其他麦克风。
voice-denied = 系统不允许 Review Gate 使用麦克风。
voice-denied-mend = 请在系统的麦克风设置中允许。
voice-gone = 麦克风已断开。
voice-gone-mend = 请重新接上，或选择其他麦克风。
voice-failed = 未能转写。
voice-failed-mend = 录音已保留。

# 以语音说出的命令。
voice-ask-send = 要发送回复吗？
voice-ask-approve = 要批准吗？
voice-send = 发送
voice-go-on = 继续编写

# 菜单。
voice-menu = 麦克风与模型
voice-microphone = 麦克风
voice-default = 跟随系统
voice-default-name = 跟随系统：{ $name }
voice-missing = { $name }（未连接）
voice-microphone-lead = 声音的来源。说话时聆听，显示请求时保持就绪。
voice-model = 语音模型
voice-more-models = 更多模型…
voice-language = 语言
voice-settings = 语音设置…

# 语音模型。
voice-first = 用语音回复
voice-first-lead = 你说的话在本机转为文字；声音不会被存储，也不会离开本机。为此需要下载一次语音模型。
voice-ready = 现在可以说话了
voice-ready-lead = 按住麦克风或 { $key } 说话，松开即可。在你发送之前不会发出任何内容。
voice-english = 仅英语
voice-multilingual = 99 种语言
voice-memory = 占用内存 { $size }
voice-free = 可用空间 { $size }
voice-tight = 磁盘空间可能不够：需要 { $size }。
voice-download = 下载
voice-download-size = 下载（{ $size }）
voice-download-name = 下载 { $name }
voice-part = { $done } / { $of }
voice-pace = { $part } · { $speed }/秒 · 剩余 { $left }
voice-paused = { $part } · 已暂停
voice-pause = 暂停
voice-resume = 继续
voice-there = 已在本机。
voice-others = 其他模型
voice-all = 其余全部（{ $n }）
voice-level-small = 小巧
voice-level-good = 良好
voice-level-best = 最佳
voice-recommended = 推荐
voice-in-use = 使用中
voice-imported = 已导入
voice-use = 使用
voice-use-name = 使用 { $name }
voice-remove = 移除
voice-remove-name = 移除 { $name }
voice-remove-ask = 要从本机移除吗？
voice-keep = 保留
voice-import-file = 导入文件…
voice-import-path = 运行 Review Gate 的机器上的文件或文件夹
voice-import-example = /路径/ggml-base.bin
voice-import-hint = whisper.cpp 的 ggml 模型。导入时会检查并复制。
voice-import = 导入
voice-importing = 正在检查…
voice-models = 语音模型
voice-models-lead = 较大的模型出错更少，但更慢。所有模型都在本机运行，无需网络。
voice-folder = 所在文件夹：
voice-megabytes = { $n } MB
voice-gigabytes = { NUMBER($n, minimumFractionDigits: 1, maximumFractionDigits: 1) } GB
