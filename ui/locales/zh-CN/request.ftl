# 请求视图：谁在提问、等待多久、期间发生了什么。
request-place = 第 { $place } 个，共 { $total } 个
request-waiting = { $total } 个待处理
request-previous = 上一个请求
request-previous-title = 上一个（K）
request-next = 下一个请求
request-next-title = 下一个（J）
request-all-title = 所有待处理的请求（L）
request-history = 此会话的历史记录
request-history-title = 历史记录（Ctrl H）
request-is-urgent = 紧急
request-waits = 等待至{ $time }
request-waits-short = 至{ $time }
request-not-waiting = 智能体未在等待 · 你的回复会为它保留
request-not-waiting-short = 智能体未在等待
request-late = 稍后的回复不会丢失：它会随智能体的下一次调用送达。
request-snoozed = 推迟至{ $time }
request-put-off = 已推迟
request-work = 智能体的工作进度
# 为什么什么都没做：内容刚刚出现，或者此后鼠标还没有移动过。
request-refused-typed = 刚刚弹出：你输入的内容没有起作用。
request-refused-early = 未执行：这里刚刚换了内容。
request-refused-still = 未执行：请先移动一下鼠标指针。
