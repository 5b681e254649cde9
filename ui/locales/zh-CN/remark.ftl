# 对消息段落的评论。
remark-bubble = 选中的段落
remark-comment = 评论
remark-quote = 引用到回复
remark-label = 评论 { $number }，针对“{ $quote }”
remark-placeholder = 评论这段文字…
remark-save = 保存评论
remark-discard = 放弃
remark-revert = 撤销修改
remark-edit = 编辑评论
remark-delete = 删除评论
remark-previous = 上一条评论
remark-next = 下一条评论
remark-show = 显示这段文字
remark-cut = 引文只包含这段文字的前 { $most } 个字符。
remark-lost = 所评论的文字不在消息中
