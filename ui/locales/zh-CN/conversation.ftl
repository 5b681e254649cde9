# 一段对话：说过的内容、检查点以及可以对它做的操作。
conversation-answer = 回答
conversation-checkpoints = 检查点
conversation-close = 关闭会话
conversation-close-title = 表示它的工作已完成。智能体随时可以继续。
conversation-reopen = 重新打开
conversation-export = 导出
conversation-export-markdown = Markdown
conversation-export-markdown-use = 用于阅读
conversation-export-json = JSON
conversation-export-json-use = 可再次导入
conversation-delete = 删除对话
conversation-delete-ask = 要删除此对话吗？
conversation-delete-what = { $messages }、{ $checkpoints }以及仅由它们使用的附件将永久删除，无法撤销。
conversation-delete-yes = 删除
conversation-delete-no = 保留
conversation-deleted = 对话已删除
conversation-session = 会话
conversation-session-title = 会话 { $id }
conversation-session-copy = 复制会话 ID
conversation-show-question = 显示问题

conversation-waits = 等待你处理
conversation-withdrawn = 已撤回
conversation-expired = 已过期
conversation-note = 便条
conversation-approved = 已批准
conversation-changes = 已要求修改
conversation-allowed = 已允许
conversation-allowed-edited = 修改后允许
conversation-allowed-rule = { $kind ->
    [allows] 已允许：{ $what }
    [mode] 已允许，之后使用模式 { $what }
    [folders] 已允许，并开放 { $what }
   *[other] 已按规则允许：{ $what }
}
conversation-denied = 已拒绝
conversation-asked-there = { $ended ->
    [off] 未在这里回答：权限请求已关闭
    [away] 未在这里回答：你不在
    [nobody] 未在这里回答：没有可供询问的窗口
    [time_over] 未在这里回答：等待时间已过
    [put_aside] 已搁置
    [answered_there] 已在智能体自己的提示中回答
    [gone] 未在这里回答：智能体不再等待
    [unreadable] 未在这里回答：无法完整读取
    [stopping] 未在这里回答：Review Gate 已停止
    [anew] 已重新询问：有文件发生了变化
   *[unknown] 未在这里回答
}
conversation-asked-nowhere = { $ended ->
    [off] 未在这里回答：权限请求已关闭；智能体视为拒绝
    [away] 未在这里回答：你不在；智能体视为拒绝
    [nobody] 未在这里回答：没有可供询问的窗口；智能体视为拒绝
    [time_over] 未在这里回答：等待时间已过；智能体视为拒绝
    [put_aside] 已搁置；智能体视为拒绝
    [answered_there] 已在智能体自己的提示中回答；智能体视为拒绝
    [gone] 未在这里回答：智能体不再等待；智能体视为拒绝
    [unreadable] 未在这里回答：无法完整读取；智能体视为拒绝
    [stopping] 未在这里回答：Review Gate 已停止；智能体视为拒绝
    [anew] 已重新询问：有文件发生了变化
   *[unknown] 未在这里回答；智能体视为拒绝
}
conversation-from-desktop = 在窗口中
conversation-from-browser = 在网关页面上
conversation-from-terminal = 在终端中
conversation-from-script = 由脚本给出；没有人看过
conversation-from-form = 在智能体客户端的表单中
conversation-from-notification = 在通知中
conversation-recorded = 仅有记录（L0）
conversation-recorded-help = 任何进程都可能给出这个回复：没有什么能表明是你本人。
conversation-receipt = { $where } · { $level ->
    [L2] 已由系统确认（L2）
    [L3] 使用了你的安全密钥（L3）
   *[other] { $level }
} · 回执 { $id }{ $standing ->
    [held] {" · "}可以收回
    [expired] {" · "}已过有效期
    [set_aside] {" · "}其日志已被搁置
   *[other] {""}
}
conversation-receipt-title = 此回复对什么有效，有效到何时
conversation-revoked = 已吊销：{ $at }
conversation-revoked-note = 已吊销；从现在起它不再有效
conversation-imported = 来自其他记录
conversation-imported-help = 它是导入或恢复的，在这里不回答任何问题。
conversation-chosen = 已选择
conversation-comments = 评论
conversation-comment-old = { $place }（旧）
conversation-comment-range = { $first }–{ $last }
conversation-remarks = 对文字的评论
conversation-attachments = 附件
conversation-log = 对话
conversation-older = 更早的消息
conversation-news = 新消息
conversation-none = 还没有任何消息。
conversation-none-hint = 智能体已连接，可能会报告进度。它的第一个问题会显示在审阅窗口中，并保留在这里。
conversation-diff-show = 显示差异
conversation-diff-hide = 隐藏差异

conversation-restore = 恢复
conversation-restore-name = 恢复检查点 { $name }
conversation-restore-label = 恢复检查点
conversation-restore-none = 要将对话的上下文和进度恢复到这里吗？此后没有消息。
conversation-restore-ask = 要将对话恢复到这里吗？此后的 { $n } 条消息会被标记为已取代。不会删除任何内容，并且可以撤销。
conversation-restore-no = 保持不变
conversation-restored = 已恢复到“{ $name }”
conversation-restored-when = 已于{ $time } 恢复到“{ $name }”。
conversation-restored-none = 此后没有消息。
conversation-restored-count = 此后的 { $n } 条消息已被取代。
conversation-stays-restored = “{ $name }”仍保持恢复状态
conversation-unrestored = 已撤销：{ $n } 条消息重新生效
conversation-superseded = { $n } 条已被取代的消息
conversation-exported = 已导出到 { $path }
conversation-show-in-folder = 在文件夹中显示
conversation-busy = 对话中还有其他操作正在进行。
conversation-busy-mend = 请等它完成后再在对话中撤销。
