# 桌面应用在窗口之外显示的文字：托盘、通知、退出时的询问。

# 托盘的提示文字，也是托盘菜单的第一行。
shell-waiting =
    { $count ->
        [0] Review Gate：没有等待处理的请求
       *[other] Review Gate：{ $count } 个请求等待处理
    }
# 其中有权限请求时；$count 是它们的个数。
shell-waiting-permissions = { $waiting }，其中 { $count } 个是权限请求
# 菜单和提示文字中的一行：某个智能体正在做什么。
shell-working = { $agent }（{ $workspace }）：{ $doing }
shell-working-no-workspace = { $agent }：{ $doing }
shell-percent = { $percent }%
# 托盘菜单中的一个请求，以及未列出的请求数或智能体数。
shell-request = { $title } — { $workspace }
shell-more = 还有 { $count } 个

shell-inbox = 收件箱
shell-sessions = 会话
shell-history = 历史记录
shell-settings = 设置
# 在浏览器中显示同样的内容，由链接登录。
shell-browser = 在浏览器中打开
shell-away = 离开
shell-dnd = 勿扰
shell-dnd-hour = 一小时
shell-dnd-tomorrow = 到明天
shell-dnd-on = 直到我关闭
shell-dnd-off = 关闭
shell-start-at-login = 登录时启动
shell-quit = 退出 Review Gate

# 通知：请求标题下方的文字和按钮。
shell-agent = 智能体
shell-notice = { $client } 正在 { $workspace } 中等你回复
shell-notice-no-workspace = { $client } 正在等你回复
shell-notice-open = 打开
shell-notice-later = 稍后

shell-quit-title = 要退出 Review Gate 吗？
shell-quit-text = 还有 { $count } 个请求等待处理。退出不会回复它们：请求会保留在记录中，智能体会继续等待，或稍后再来取你的回复。仍在等待的智能体可能会重新启动 Review Gate。
shell-quit-confirm = 退出
shell-quit-keep = 继续运行
