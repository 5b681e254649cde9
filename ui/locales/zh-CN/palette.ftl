# 命令面板：找到的内容和可执行的操作。
palette-name = 前往任意位置，或执行操作
palette-placeholder = 请求、会话、页面、操作或设置
palette-list = 找到的内容
palette-found = { $n } 项
palette-nothing = 没有包含这些词的内容。
palette-requests = 请求
palette-actions = 操作
palette-away = 我要离开
palette-quiet-hour = 勿扰 1 小时
palette-quiet-morning = 勿扰到早上
palette-quiet-open = 勿扰，直到我关闭
palette-quiet-end = 关闭勿扰
palette-browser = 在浏览器中打开
palette-key = 前往任意位置；在回复中：常用回复
