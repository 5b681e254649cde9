# 智能体的文字：段落、代码，以及对其中段落的评论。
markdown-message = 智能体的消息
markdown-hint = ↑ ↓ 逐段移动，⏎ 评论该段
markdown-source = 原文
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
