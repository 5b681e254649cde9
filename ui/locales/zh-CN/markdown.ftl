# 智能体的文字：段落、代码，以及对其中段落的评论。
markdown-message = 智能体的消息
markdown-hint = ↑ ↓ 逐段移动，⏎ 评论该段
markdown-context = 背景
markdown-rest = 显示其余内容（{ $size }）
markdown-table = 表格
markdown-task-done = 已完成
markdown-task-open = 未完成
markdown-outline = 目录

markdown-code = 代码
markdown-code-of = { $language } 代码
markdown-code-copy = 复制代码
markdown-code-wrap = 自动换行
markdown-code-numbers = 显示行号
markdown-code-unfold = 显示全部 { $lines } 行
markdown-code-fold = 收起

# 可以对选中段落做的事。
markdown-bubble = 选中的段落
markdown-comment = 评论
markdown-quote = 引用到回复

# 对段落的评论。
markdown-remark-label = 评论 { $number }，针对“{ $quote }”
markdown-remark-placeholder = 评论这段文字…
markdown-remark-save = 保存评论
markdown-remark-discard = 放弃
markdown-remark-revert = 撤销修改
markdown-remark-edit = 编辑评论
markdown-remark-delete = 删除评论
markdown-remark-previous = 上一条评论
markdown-remark-next = 下一条评论
markdown-remark-show = 显示这段文字
markdown-remark-cut = 引文只包含这段文字的前 { $most } 个字符。
markdown-remarks-lost = 所评论的文字不在消息中
