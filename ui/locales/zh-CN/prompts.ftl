# The person's own templates for replies.
prompts-list = 常用回复
prompts-new = 新建常用回复
prompts-search = 搜索常用回复
prompts-none = 没有包含这些词的常用回复。
prompts-unnamed = 未命名
prompts-used = { $n ->
    [0] 尚未使用
   *[other] 已使用 { $n } 次，最近一次：{ $age }
}
prompts-changed = 尚未保存
prompts-copy = 复制内容
prompts-delete = 删除
prompts-save = 保存
prompts-revert = 还原
prompts-discard = 放弃
prompts-deleted = 已删除“{ $name }”。
prompts-not-deleted = “{ $name }”未能删除
prompts-full = 已有 { $most } 条常用回复，达到上限。请先删除一条。
prompts-use = 在空白回复中输入 / 和名称中的几个字即可插入；书写时随时按 { $key } 可列出全部。

# While there are none.
prompts-empty-title = 写一次，反复用
prompts-empty-lead = 常用回复是您经常要写的一段话，可以是整条回复，也可以是其中一部分。保存在这里后，按几个键就能插入回复。
prompts-empty-make = 在这里写一条；或者像平时一样写回复，再从输入框下方的常用回复列表中保存。
prompts-empty-put = 在空白回复中输入 / 和名称中的几个字，按 Enter 插入。写回复时随时按 { $key } 可列出全部。
prompts-empty-send = 看一遍，按需修改，然后发送。常用回复绝不会自动发送。
prompts-empty-begin = 或者从下面的例子开始
prompts-example-tests = 先写测试
prompts-example-tests-text = 请先写出会失败的测试给我看，再让它通过。
prompts-example-steps = 拆小一些
prompts-example-steps-text = 一次改动太多了。请拆成可以逐一审查的小步骤，每一步完成后再问我。
prompts-example-risks = 可能影响什么？
prompts-example-risks-text = 继续之前请说明：这会改动哪些文件，可能影响什么，出了问题我们如何发现？

# Keys.
prompts-key-new = 新建常用回复
prompts-key-change = 修改常用回复
prompts-key-delete = 删除常用回复
prompts-key-undo = 恢复刚刚删除的常用回复
