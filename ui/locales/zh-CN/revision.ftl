# 与上次回复过的消息相比的变化。
revision-changes = { $n ->
    [0] 自你上次回复以来没有变化
   *[other] 自你上次回复以来有 { $n } 处变化
}
revision-changes-show = 标出变化之处
revision-changes-hide = 取消标记
revision-changes-next = 下一处变化
revision-changes-previous = 上一处变化
revision-new = 上次回复后新增
revision-reworded = 上次回复后有改动
revision-before = 之前的写法
revision-removed = 已删除：“{ $words }”
