# 读过请求之后才需要的内容：何时再看、刚才的操作、文件、输入时的提示、常用回复。
writing-later-when = 何时再处理…
writing-later-quarter = 15 分钟后
writing-later-hour = 1 小时后
writing-later-evening = 今天傍晚
writing-later-morning = 明天早上
writing-later-open = 等我自己处理
writing-later-wake = 现在处理
writing-sent = { $decision ->
    [approved] 已批准
    [changes_requested] 已要求修改
   *[none] 已回复
}“{ $title }”
writing-undo-left = （{ $n } 秒）
writing-send-now = 立即发送
writing-put-off = “{ $title }”已推迟至{ $time }
writing-put-off-open = “{ $title }”已推迟，直到你自己处理
writing-file-view = 查看 { $name }
writing-file-remove = 移除 { $name }
writing-file-remove-title = 移除
writing-file-draw = 在 { $name } 上标注
writing-file-draw-title = 标注
writing-file-restore = 恢复原图
writing-file-broken = 无法显示此图片：数据已损坏，或者它不是图片。
writing-file-cut = 其余部分未在此显示；智能体会收到全部内容。
writing-zoom-in = 放大
writing-zoom-out = 缩小
writing-zoom-fit = 适应窗口
writing-files = 文件
writing-offered = { $n } 条建议。方向键选择，回车键采用。
writing-more-files = 还有更多：请继续输入以缩小范围。
writing-no-file = 工作区中没有匹配的文件。
writing-no-workspace = 智能体没有说明工作区，因此没有可选的文件。
writing-snippets-none = 还没有常用回复。
writing-snippets-teach = 常用回复是你经常发送的内容。在下方输入框中写好后保存到这里；之后用“/”或此列表即可插入。
writing-snippet-not-found = 没有匹配的常用回复。
writing-snippet-find = 查找常用回复…
writing-snippet-save-reply = 将此回复保存为常用回复
writing-snippet-write-first = 请先写好回复
writing-snippet-new = 新建常用回复
writing-snippet-change = 修改常用回复
writing-snippet-edit = 修改“{ $name }”
writing-snippet-delete = 删除“{ $name }”
writing-snippet-deleted = 已删除“{ $name }”。
writing-snippet-name = 名称
writing-snippet-text = 内容
writing-snippet-save = 保存常用回复
writing-snippet-no-name = 请为常用回复起个名称。
writing-snippet-long-name = 名称最多 { $most } 个字符。
writing-snippet-no-text = 请写下要插入回复的内容。
writing-snippet-long-text = 常用回复最多 { $most } 个字符。
writing-attaching = 正在添加 { $size }…
writing-attaching-name = 正在添加 { $name }
writing-file-unreadable = 无法读取该文件。
writing-file-folders = 不能添加文件夹。
