# 回复：输入框、决定以及放入其中的内容。
reply-text = 回复
reply-placeholder = 回复智能体…
reply-saving = 正在保存…
reply-saved = 草稿已保存
reply-not-saved = 草稿未保存
reply-along = 附带 { $n } 条评论
reply-take-back = 取消选择“{ $label }”
reply-options = 选项
reply-options-many = 可多选
reply-recommended = 推荐

# 决定。
reply-answer = 回复
reply-approve = 批准
reply-approve-with = 批准并附上你的意见
reply-request-changes = 要求修改
reply-only = 仅回复
reply-send = 发送回复
reply-next = 下一个请求
reply-dismiss = 关闭请求
reply-dismiss-title = 不回复，直接关闭此请求
reply-dismiss-ask = 不回复就关闭吗？智能体会得知请求已被关闭。
reply-keep = 保留

# 稍后。
reply-later = 稍后
reply-later-title = 隐藏窗口；请求会保留（Esc）
reply-later-title-inbox = 转到下一个；请求会保留
reply-later-when = 何时再处理…
reply-later-quarter = 15 分钟后
reply-later-hour = 1 小时后
reply-later-evening = 今天傍晚
reply-later-morning = 明天早上
reply-later-open = 等我自己处理
reply-later-wake = 现在处理

# 刚刚完成的操作。
reply-sent = { $decision ->
    [approved] 已批准
    [changes_requested] 已要求修改
   *[none] 已回复
}“{ $title }”
reply-undo-left = （{ $n } 秒）
reply-send-now = 立即发送
reply-put-off = “{ $title }”已推迟至{ $time }
reply-put-off-open = “{ $title }”已推迟，直到你自己处理

# 暂时无法发送的原因。
reply-still-attaching = 还有文件正在添加。请完成后再发送。
reply-still-speaking = 语音输入还没有结束。请先完成，或按 Esc 取消，然后发送。
reply-nothing = 还没有可发送的内容：请写点什么或添加文件。
reply-nothing-or-option = 还没有可发送的内容：请写点什么、选择一个选项或添加文件。

# 文件。
reply-attachments = 附件
reply-attach = 添加文件
reply-attach-title = 添加文件（也可以粘贴或拖放到这里）
reply-drop = 松开即可添加
reply-attaching = 正在添加 { $size }…
reply-attaching-name = 正在添加 { $name }
reply-file-too-large = { $size } 超过了单个文件 { $most } MiB 的上限。
reply-too-many-files = 一条回复最多可附 { $most } 个文件。
reply-file-unreadable = 无法读取该文件。
reply-file-folders = 不能添加文件夹。
reply-file-view = 查看 { $name }
reply-file-remove = 移除 { $name }
reply-file-remove-title = 移除
reply-file-draw = 在 { $name } 上标注
reply-file-draw-title = 标注
reply-file-restore = 恢复原图
reply-file-broken = 无法显示此图片：数据已损坏，或者它不是图片。
reply-file-cut = 其余部分未在此显示；智能体会收到全部内容。
reply-zoom-in = 放大
reply-zoom-out = 缩小
reply-zoom-fit = 适应窗口

# 输入时的建议。
reply-files = 文件
reply-offered = { $n } 条建议。方向键选择，回车键采用。
reply-more-files = 还有更多：请继续输入以缩小范围。
reply-no-file = 工作区中没有匹配的文件。
reply-no-workspace = 智能体没有说明工作区，因此没有可选的文件。

# 常用回复。
reply-snippets = 常用回复
reply-snippets-title = 常用回复（{ $key }，或在空白回复中输入 /）
reply-snippets-none = 还没有常用回复。
reply-snippets-teach = 常用回复是你经常发送的内容。在下方输入框中写好后保存到这里；之后用“/”或此列表即可插入。
reply-snippet-not-found = 没有匹配的常用回复。
reply-snippet-find = 查找常用回复…
reply-snippet-save-reply = 将此回复保存为常用回复
reply-snippet-write-first = 请先写好回复
reply-snippet-new = 新建常用回复
reply-snippet-change = 修改常用回复
reply-snippet-edit = 修改“{ $name }”
reply-snippet-delete = 删除“{ $name }”
reply-snippet-deleted = 已删除“{ $name }”。
reply-snippet-name = 名称
reply-snippet-text = 内容
reply-snippet-save = 保存常用回复
reply-snippet-no-name = 请为常用回复起个名称。
reply-snippet-long-name = 名称最多 { $most } 个字符。
reply-snippet-no-text = 请写下要插入回复的内容。
reply-snippet-long-text = 常用回复最多 { $most } 个字符。

# 按键。
reply-key-undo = 撤回刚刚发送的内容
reply-key-snippets = 常用回复
reply-key-files = 工作区中的文件
reply-key-snooze = 换个时间再处理
