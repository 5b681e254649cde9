# 工作中的智能体、给它们的便条，以及工作区的名称。
sessions-label = 会话
sessions-working = 正在工作
sessions-nobody = 没有智能体在工作
sessions-ended = 一小时内结束
sessions-empty-title = 这里还没有智能体
sessions-empty-lead = 智能体第一次调用 Review Gate 时会话便开始。它问了什么、工作进展如何、可以恢复到哪里，都会实时显示在这里。
sessions-empty-history = 早前会话的内容保存在历史记录中。
sessions-empty-go = 打开历史记录
sessions-quiet-since = 此后没有动静
sessions-asks = { $n ->
    [1] 有问题问你
   *[other] { $n } 个问题
}
sessions-asks-title = 有 { $n } 个问题问你
sessions-notes-waiting = { $n } 张便条待送达

sessions-progress = 进度
sessions-quiet = 已静默 { $span }
sessions-steps = 步骤
sessions-steps-done = 已完成 { $done }/{ $n } 步
sessions-step-pending = 待办
sessions-step-running = 进行中
sessions-step-done = 已完成
sessions-step-failed = 失败
sessions-step-skipped = 已跳过

sessions-note = 添加便条
sessions-note-placeholder = 想让智能体知道的事
sessions-note-hint = 随智能体的下一次调用送达，无论使用哪个工具，不会打断它。
sessions-note-send = 添加
sessions-note-sent = 便条已添加，将随智能体的下一次调用送达
sessions-note-waiting = 尚未送达
sessions-note-take-back = 撤回
sessions-note-taken-back = 便条已撤回
sessions-note-too-long = 一张便条最多 { $n } 个字符。
sessions-note-ended = 会话已结束。如果智能体再次发言，它会收到便条。
sessions-broadcast = 通知全部
sessions-broadcast-title = 给所有工作中的智能体的便条
sessions-broadcast-send = 发送给 { $n } 个智能体
sessions-broadcast-sent = 已为 { $n } 个智能体添加便条
sessions-broadcast-failed = { $n } 个智能体收不到便条

sessions-workspace = 工作区的名称和颜色
sessions-workspace-name = 名称
sessions-workspace-colour = 颜色
sessions-workspace-colour-n = 颜色 { $n }
sessions-workspace-reset = 与文件夹同名
sessions-workspace-hint = 仅在此处对你生效：{ $folder }

sessions-closed = 会话已关闭
sessions-stays-closed = “{ $title }”仍处于关闭状态
sessions-stays-closed-untitled = 会话仍处于关闭状态
sessions-other-failed = 无法更改另一个会话
