# 收件箱：智能体已离开的请求。
inbox-gone = 有 { $n } 个请求的智能体已离开。
inbox-gone-dismiss = 关闭所有智能体已离开的请求（{ $n }）
inbox-gone-ask = 不回复就关闭这 { $n } 个请求吗？
inbox-gone-means = 如果智能体再次回来，会得知请求已被关闭。此操作无法撤消。
inbox-gone-yes = 关闭 { $n } 个请求
inbox-gone-no = 保留
inbox-gone-done = 已关闭 { $n } 个请求
inbox-gone-none = 没有关闭任何请求：它们的智能体已回来
