# 请求显示期间发生了什么。
happened-answered = 已{ $where ->
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
happened-answered-unsent = 你在这里写的内容没有发送。
happened-withdrawn = 智能体撤回了此请求。没有作出任何回复；你的草稿已保留。
happened-expired = 此请求已过期。没有作出任何回复；你的草稿已保留。
happened-urgent = 来自 { $client } 的紧急请求：
happened-show = 查看
