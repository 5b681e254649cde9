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

# 暂时无法发送的原因。
reply-still-attaching = 还有文件正在添加。请完成后再发送。
reply-still-speaking = 语音输入还没有结束。请先完成，或按 Esc 取消，然后发送。
reply-unseen = 尚有内容没有显示过：按 E 查看。
reply-nothing = 还没有可发送的内容：请写点什么或添加文件。
reply-nothing-or-option = 还没有可发送的内容：请写点什么、选择一个选项或添加文件。

# 文件。
reply-attachments = 附件
reply-attach = 添加文件
reply-attach-title = 添加文件（也可以粘贴或拖放到这里）
reply-drop = 松开即可添加
reply-file-too-large = { $size } 超过了单个文件 { $most } MiB 的上限。
reply-too-many-files = 一条回复最多可附 { $most } 个文件。

# 常用回复。
reply-snippets = 常用回复
reply-snippets-title = 常用回复（{ $key }，或在空白回复中输入 /）
