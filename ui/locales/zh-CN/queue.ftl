# 等待中的请求的列表。
queue-close = 关闭列表
queue-label = 等待中的请求
queue-none = 没有其他等待中的请求。
queue-urgent = 紧急
queue-who = { $who } · { $age }
