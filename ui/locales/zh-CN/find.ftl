# 在请求或对话中查找文字。
find-words = 查找
find-searching = 正在查找…
find-none = 未找到
find-at = 第 { $at } 处，共 { $n } 处
find-more = 第 { $at } 处，超过 { $n } 处
find-next = 下一处
find-previous = 上一处
find-close = 关闭查找
find-changes = 在改动中
find-older = 加载更早的消息
