# 会话的状态，用于窗口和终端。
status-active = 进行中
status-completed = 已完成
status-timeout = 已静默
status-stale = 已断开
status-active-means = 它的智能体正在工作，或随时可能回来。
status-completed-means = 智能体表示工作已完成、命令行的提问已结束，或由你关闭。
status-timeout-means = 有一段时间没有它的消息了。
status-stale-means = 它的智能体程序已结束，或连接中断。
