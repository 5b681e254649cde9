# 记录：搜索与阅读。
history-search = 搜索对话内容
history-search-label = 搜索历史记录
history-status = 状态
history-active = 进行中
history-completed = 已完成
history-timeout = 已静默
history-stale = 已断开
history-unindexed = 搜索索引仍在更新（还有 { $n } 条消息）
history-list = 对话
history-you = 你：
history-choose = 选择一段对话以阅读。
history-empty-title = 还没有任何记录
history-empty-lead = 智能体的每个问题和每次回复都会保存在这里，连同进度和检查点：可以阅读、搜索、导出，也可以恢复到某个检查点。智能体也能读取这些内容。
history-empty-connect = 连接智能体
history-empty-import = 在别处导出为 JSON 的内容可以用 { $command } 导入。

history-nothing = 未找到任何内容
history-nothing-words = 没有对话包含“{ $words }”。
history-nothing-status = 没有状态为“{ $status }”的对话。
history-nothing-both = 状态为“{ $status }”的对话中没有包含“{ $words }”的。
history-nothing-hint = 对话必须包含每一个词。用引号可将多个词作为整体。
history-clear-both = 清除搜索和筛选
history-clear-words = 清除搜索
history-show-all = 显示全部
