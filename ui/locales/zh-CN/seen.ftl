# 仅可批准已显示过的内容时，请求中尚未显示的部分。
seen-not-yet = 尚未看过：
seen-message = 消息末尾
seen-more = 另有 { $n } 个文件
seen-show = 查看
seen-keys-unseen = 转到尚未看过的内容
