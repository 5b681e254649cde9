# 主窗口：页面、收件箱、在线与离开。
main-pages = 页面
main-inbox = 收件箱
main-inbox-counted = 收件箱，{ $n } 个等待中
main-sessions = 会话
main-sessions-counted = 会话，{ $n } 个进行中
main-reviews = 审阅
main-reviews-counted = 审阅，{ $n } 个等你
main-history = 历史记录
main-prompts = 提示词
main-connect = 连接
main-connect-go = 一键连接客户端
main-doctor = 诊断
main-settings = 设置
main-key = { $name }（{ $key }）
main-gate = 网关运行中 · { $n } 个智能体
main-gate-lost = 网关没有响应
main-skip = 跳到列表

main-here = 在线
main-away = 离开
main-away-switch = 离开
main-here-title = 你在线：智能体会等你的回答（A）
main-away-title = 你已离开：智能体会被告知稍后再来（A）
main-away-since = 自{ $time }起离开。
main-away-now = 你已离开。
main-away-means = 智能体会被告知结束本轮、稍后再问；不会替你作出任何回答。
main-away-end = 我回来了
main-quiet = 勿扰
main-quiet-on = 勿扰已开启
main-quiet-hour = 1 小时
main-quiet-morning = 到早上
main-quiet-open = 直到我关闭
main-quiet-end = 关闭勿扰
main-quiet-hint = 没有声音和通知，窗口也不会自动弹出。紧急请求除外。
main-quiet-until = 勿扰至{ $time }。
main-quiet-now = 勿扰已开启。
main-quiet-hours-until = 安静时段至{ $time }。
main-quiet-hours = 安静时段。
main-quiet-means = 请求会悄悄汇集在这里；紧急请求除外。

main-round = 审阅，第 { $n } 轮
main-permission = 请求权限
main-permission-more = 同时另有 { $n } 项
main-counts = { $requests ->
    [0] {""}
   *[other] { $requests } 个请求 ·{" "}
}{ $permissions ->
   *[other] { $permissions } 个权限请求
}

main-search = 搜索请求和智能体
main-search-label = 搜索收件箱
main-nothing = 这里没有包含这些词的内容。
main-nothing-history = 搜索历史记录
main-arrived = 来自 { $client } 的新请求：{ $title }
# 停留在其他页面时到来的请求，以及前往它的方式。
main-told = { $client } 提问：{ $title }
main-told-go = 回答（{ $keys }）
main-working = 正在工作
main-answered = 最近回答
main-later = 稍后
main-folded = 已折叠，按 Enter 展开
main-unfolded = 已展开，按 Enter 折叠
main-urgent = 紧急
main-waits = 等待至{ $time }
main-not-waiting = 智能体未在等待
main-back-at = { $time } 再提醒
main-back-open = 等你自己处理
main-options = { $n } 个选项
main-files = 改动了 { $n } 个文件
main-quiet-since = 此后没有动静
main-progress = 进度
main-became-answered = 已回答
main-became-cancelled = 已撤回
main-became-not-here = 未在这里回答
main-became-expired = 已过期
main-calm = 没有等待你处理的请求
main-calm-hint = 智能体的问题会显示在这里。
main-empty-title = 收件箱是空的
main-empty-lead = 智能体需要你时，它的问题会显示在这里：阅读、撰写，然后批准或要求修改。工作中的智能体及其进展也显示在这里。
