# 多处共用的词。
close = 关闭
cancel = 取消
try-again = 重试
undo = 撤销
copy = 复制
copied = 已复制
back-to-list = 返回列表
no-question = 尚未提问
you = 你
agent-unnamed = 智能体
open-doctor = 打开诊断

# 窗口的标题，以及等待中的请求数。
window-title = { $n ->
    [0] { $what } – Review Gate
   *[other] ({ $n }) { $what } – Review Gate
}
window-title-bare = { $n ->
    [0] Review Gate
   *[other] ({ $n }) Review Gate
}

# 多久以前，以及多长时间。
age-now = 刚刚
age-seconds = { $n } 秒前
age-minutes = { $n } 分钟前
age-hours = { $n } 小时前
age-days = { $n } 天前
span-now = 刚刚
span-seconds = { $n } 秒
span-minutes = { $n } 分钟
span-hours = { $n } 小时
span-days = { $n } 天

# 日期，以及其他日期的时间。
day-today = 今天
day-yesterday = 昨天
day-tomorrow = 明天
day-time = { $day } { $time }

size-bytes = { $n } B
size-kilobytes = { $n } kB
size-megabytes = { NUMBER($n, minimumFractionDigits: 1, maximumFractionDigits: 1) } MB
percent = { $n }%

# 计数。
count-messages = { $n } 条消息
count-checkpoints = { $n } 个检查点

# 快捷键表。
keys = 快捷键

# 复制连接智能体的配置。
connect-agents = 智能体
connect-copy = 复制用于 { $name } 的配置
connect-terminal = 在终端中运行

empty-connect = 连接智能体
empty-tell = 然后告诉它何时提问：
empty-prompt = “在提交之前，或者要决定本该由我决定的事情时，请用 review_gate_chat 问我。”

toast-copy-path = 复制路径

search-clear = 清除搜索

# 窗口自身的故障。
fault-internal-mend = 请重试；如果仍然出现，请重新启动 Review Gate。草稿会保留。
