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
request-answered = 已{ $where ->
    [main] 在主窗口中
    [review] 在审阅窗口中
    [app] 在应用中
    [browser] 在浏览器中
    [terminal] 在终端中
    [form] 在智能体客户端的表单中
    [notification] 在通知中
    [script] 由脚本
   *[elsewhere] 在别处
}{ $decision ->
    [approved] 批准
    [changes_requested] 要求修改
   *[none] 回复
}。
request-answered-unsent = 你在这里写的内容没有发送。
request-withdrawn = 智能体撤回了此请求。没有作出任何回复；你的草稿已保留。
request-expired = 此请求已过期。没有作出任何回复；你的草稿已保留。
# 为什么什么都没做：内容刚刚出现，或者此后鼠标还没有移动过。
request-refused-typed = 刚刚弹出：你输入的内容没有起作用。
request-refused-early = 未执行：这里刚刚换了内容。
request-refused-still = 未执行：请先移动一下鼠标指针。
# 展示仓库的哪一部分（差异由 Review Gate 自己生成）；`base` 是其下方的提交。
request-repository = { $kind ->
    [worktree] { $name } 的工作区
    [staged] { $name } 中已暂存的内容
    [range] { $name } 的 { $what }
   *[commit] { $name } 的提交 { $commit }
}，{ $base ->
    [none] 尚无任何提交
   *[other] 基于 { $base }
}，由 Review Gate 生成
request-repository-tree = 树 { $tree }
request-urgent = 来自 { $client } 的紧急请求：
request-show = 查看
