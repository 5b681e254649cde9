# 没有等待中的请求时的审阅窗口。
empty-title = 没有等待中的请求
empty-lead = 智能体需要你时，它的问题会显示在这里：阅读、撰写，然后批准或要求修改。关闭此窗口不会作出任何回答。
empty-version = Review Gate { $version }
empty-history = 历史记录
empty-page-connect = 连接
empty-page-settings = 设置
empty-page-doctor = 诊断
empty-all-answered = 全部已回复
empty-all-put-off = 没有其他待处理的请求
empty-put-off = 已推迟
empty-put-off-until = 至{ $time }
