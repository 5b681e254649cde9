# 审阅：智能体的提案由其他智能体审阅，以及用户在其中的部分。
reviews-turn-person = 轮到你
reviews-turn-reviewer = 轮到审阅者
reviews-turn-proposer = 轮到提案者
reviews-turn-decided = 已有结论
reviews-count-more = { $n }+
reviews-filter = 所处状态
reviews-filter-all = 全部
reviews-none-so = 没有处于此状态的审阅。
reviews-show-all = 显示全部
reviews-choose = 选择一个审阅来阅读。

# 审阅所处的状态。
reviews-status-created = 等待审阅者
reviews-status-claimed = 审阅中
reviews-status-in_discussion = 讨论中
reviews-status-awaiting_person = 等待你
reviews-status-approved = 已批准
reviews-status-rejected = 要求修改
reviews-status-closed = 已关闭
reviews-outcome-applied = 已应用
reviews-found-exact = 已按批准应用
reviews-found-equivalent = 已按批准应用
reviews-found-unchecked = 已应用
reviews-found-differs = 已应用，与批准的不同
reviews-found-missing = 称已应用，未找到
reviews-outcome-not_applied = 未应用
reviews-outcome-abandoned = 已放弃
reviews-outcome-withdrawn = 已撤回
reviews-outcome-superseded = 已被取代
reviews-outcome-expired = 已过期
reviews-approved-agent = 由智能体批准，不是你
reviews-approved-person = 由你批准
reviews-priority-high = 优先
reviews-priority-critical = 紧要
reviews-stale = 已过时
reviews-stale-means = 已无法应用
reviews-unsent = 未发送
reviews-unsent-round = 第 { $round } 轮有 { $n } 条评论尚未发送。
reviews-unsent-open = 打开第 { $n } 轮

# 由谁持有，以及需要什么。
reviews-whom = { $proposer } → { $holder }
reviews-lease = 还剩 { $time }
reviews-lease-over = 时间已到
reviews-pool-holds = 你的审阅程序正在审阅
reviews-labels-more = +{ $n }
reviews-labels-all = 显示全部标签
reviews-labels-fewer = 显示较少标签
reviews-need-person = 只需要你
reviews-need-agents = 需要 { $n } 个智能体
reviews-need-both = 需要 { $n } 个智能体和你
reviews-approvals = 智能体已批准 { $have }/{ $need }

# 已批准的内容后来怎样。
reviews-found-differs-commit = 提交 { $commit } 与批准的内容不同。
reviews-found-differs-files = 工作树中的文件与批准的内容不同。
reviews-found-missing-commit = 提交 { $commit } 中没有任何已批准的内容。
reviews-found-missing-files = 最近的提交和工作树中都没有任何已批准的内容。
reviews-found-paths = 与批准的不同：
reviews-found-extra = 未经批准：

# 对用户的请求。
reviews-asked = 需要你做的事
reviews-asked-escalated = 智能体请你决定第 { $n } 轮：{ $agent }。
reviews-asked-escalated-pool = 你的审阅程序请你决定第 { $n } 轮：{ $agent }。
reviews-asked-decision = 第 { $n } 轮等待你的决定。
reviews-asked-replied = 你回复了但没有作出决定。轮到提案者说话；它下一次说话会再次请你决定。
reviews-asked-unreviewed = 还没有人审阅它。它仍在队列中；你可以自己决定。

# 用户已作出、仍可撤回的决定。
reviews-decided = 你的决定
reviews-decided-approved = 你批准了第 { $n } 轮。
reviews-decided-changes_requested = 你要求修改第 { $n } 轮。
reviews-decided-then = 它暂时还不是最终决定：你可以撤回，在此之前智能体不会继续。
reviews-deciding-approved = 由你批准，尚未最终确定
reviews-deciding-changes_requested = 由你要求修改，尚未最终确定
reviews-take-back = 撤回
reviews-take-back-how = 撤回后，它会在收件箱中再次等待你的决定。
reviews-taken-back = 已撤回。它再次等待你的决定。

# 各轮。
reviews-round = 第 { $n } 轮
reviews-rounds = 轮次
reviews-rounds-title = 轮次（[ 和 ]）
reviews-round-approved = 第 { $n } 轮，已批准
reviews-round-rejected = 第 { $n } 轮，要求修改
reviews-round-escalate = 第 { $n } 轮，已交给你
reviews-round-comment = 第 { $n } 轮，有评论
reviews-newest = 转到最新的第 { $n } 轮
reviews-round-patch = 来自审阅者的补丁
reviews-round-carried = 与第 { $n } 轮是同一补丁，智能体对该轮的批准仍然有效
reviews-fits-unchecked = 没有可供核对的仓库：只知道它的字节
reviews-fits-commit = 可应用于 { $base }
reviews-fits-applied = 就是 { $base } 的最近一次改动
reviews-fits-worktree = 可应用于工作目录中尚未提交的文件
reviews-no-diff = 这一轮没有可查看的改动。
reviews-says-approved = 批准了
reviews-says-rejected = 要求修改
reviews-says-comment = 作了评论
reviews-says-escalate = 交给你决定

# 说话者是谁，由 Review Gate 认定；旁边的名称是对方自己取的。
reviews-is-person = （用户本人）
reviews-is-recorded = （记录为你的话；任何进程都可能给出，L0）
reviews-is-proposer = （提案者，智能体）
reviews-is-reviewer = （审阅者，智能体）
reviews-is-pool = （审阅者，你的审阅程序）

# 讨论串，以及对所有人说的话。
reviews-whole-file = 针对整个文件
reviews-comment = 评论
reviews-discard = 丢弃
reviews-discarded = 已丢弃你写的内容。
reviews-draft-late = 你写下这些之后出现了第 { $n } 轮。它尚未发送。
reviews-draft-carry = 移到第 { $n } 轮
reviews-draft-over = 审阅已结束，无法再发送。
reviews-draft-copy = 复制你写的内容
reviews-carried-about = 关于第 { $n } 轮的 { $place }：
reviews-answer = 回答
reviews-answer-label = 在{ $where }的讨论串中回答
reviews-answer-hint = 回答……
reviews-answer-send = 发送回答
reviews-resolve = 标为已解决
reviews-reopen = 重新打开
reviews-resolved = 已解决：“{ $words }”
reviews-resolved-so = 已解决
reviews-thread-from = 来自第 { $n } 轮
reviews-lines-gone = 针对已不在这些改动中的行
reviews-elsewhere = 其他轮次的讨论串
reviews-elsewhere-where = 第 { $n } 轮 · { $place }
reviews-loose = 针对这一轮没有改动的文件的讨论串
reviews-messages = 对所有人说的话
reviews-say = 对参与的所有人说……
reviews-send = 发送

# 改动同样文件的其他审阅。
reviews-overlaps = 另有 { $n } 个审阅也改动这些文件：
reviews-overlaps-more = +{ $n }
reviews-overlaps-all = 显示全部

# 用户的审阅程序做了什么。
reviews-runs-title = 审阅程序的运行
reviews-runs = 你的审阅程序运行了 { $n } 次
reviews-runs-failed = { $n } 次失败
reviews-run-answered = 给出了意见
reviews-run-late = 被结束，或来得太晚
reviews-run-not_started = 无法启动
reviews-run-timed_out = 用时过长
reviews-run-too_much_output = 输出过多
reviews-run-unusable = 它的回答无法读取
reviews-run-crashed = { $code ->
    [-1] 被终止
   *[other] 以代码 { $code } 结束
}
reviews-run-not_taken = 它的回答未被接受
reviews-run-printed = { $program } 最后的输出

# 补丁。
reviews-patches = 补丁
reviews-patch = 补丁
reviews-patch-for = 针对第 { $n } 轮
reviews-patch-approves = 接受它即带有其作者的批准
reviews-patch-accept = 接受为第 { $n } 轮
reviews-patch-reject = 拒绝……
reviews-patch-ask-accept = 它将成为第 { $n } 轮，上一轮的批准不再算数。这不是你的批准。
reviews-patch-ask-reject = 它的作者会被告知：审阅不采用它而继续。
reviews-patch-yes-accept = 作为第 { $n } 轮
reviews-patch-yes-reject = 拒绝这个补丁
reviews-patch-accepted = 已接受
reviews-patch-rejected = 已拒绝
reviews-patch-superseded = 已被新的一轮取代

# 用户可以做的事。
reviews-decide = 决定……
reviews-take = 接手
reviews-decide-how = 你在收件箱中决定，在那里可以撤回。
reviews-take-how = 从智能体那里接手；你在收件箱中决定。
reviews-give-back = 交还
reviews-given-back = 已交还给智能体。
reviews-end = 结束……
reviews-end-ask = 结束这个审阅吗？之后谁也不能再审阅它，而且无法撤回。
reviews-end-yes = 结束审阅
reviews-end-no = 继续审阅
reviews-over = 这个审阅已结束：{ $how }。
reviews-over-unsent = 你写的内容没有发送，仍保留在这里。

# 还没有审阅。
reviews-empty-title = 还没有智能体提出过任何提案
reviews-empty-lead = 在这里，一个智能体提出改动，另一个来审阅，两者你都看得到。谁也不能审阅自己的工作，智能体的批准从不算作你的批准，而你可以接手任何审阅。
reviews-empty-connect = 连接两个智能体
reviews-empty-how = 每个智能体在已有工具之外还需要审阅工具。把下面的内容加到两者中：
reviews-empty-http = 通过 HTTP 连接的智能体各需要一个针对项目文件夹的令牌（review-gate token create NAME --folder DIR），路径为 { $path }。
reviews-empty-tell = 然后告诉其中一个：
reviews-empty-propose = “提交之前，先用 submit_proposal 提出改动，并等待审阅。”
reviews-empty-other = 再告诉另一个：
reviews-empty-review = “审阅别人提出的改动：claim_review，阅读，submit_verdict，然后再来一次。”

# 按键表。
reviews-key-take = 决定，或接手
reviews-key-rounds = 上一轮和下一轮
reviews-key-write = 写给所有人
reviews-key-diff = 转到改动
reviews-key-fresh = 在改动中：上一轮之后的变化

# 请用户决定某一轮的请求上方。
reviews-asks-round = 审阅，第 { $n } 轮
reviews-asks-open = 阅读这个审阅
