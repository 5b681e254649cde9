# 请求附带的改动。
diff-changes = 改动
diff-grid = 改动的行
diff-toolbar = 改动的显示方式
diff-file-count = { $n } 个文件
diff-comments = { $n } 条评论
diff-lines-added = 新增 { $n } 行
diff-lines-removed = 删除 { $n } 行

# 文件。
diff-renamed = { $alike ->
    [-1] 原名 { $path }
   *[other] 原名 { $path }，相似度 { $alike }%
}
diff-copied = { $alike ->
    [-1] 复制自 { $path }
   *[other] 复制自 { $path }，相似度 { $alike }%
}
diff-added-file = 新文件
diff-deleted-file = 已删除
diff-binary = 二进制文件，不显示内容。
diff-only-renamed = 仅更改了文件名。
diff-only-mode = 没有改动的行：更改的是文件权限或其他属性。
diff-empty-file = 空文件。
diff-nothing-fresh = 自你上次回复以来没有变化。
diff-copy-path = 复制路径
diff-viewed = 已看
diff-viewed-hint = 标记为已看并折叠（V）
diff-viewed-count = 已看 { $n } / { $of }

# 异常之处。
diff-kind = { $kind ->
    [program] 可执行
    [link] 符号链接
    [module] 子模块
   *[other] 模式 { $mode }
}
diff-mode-changed = { $is ->
    [program] 变为可执行
    [link] 变为符号链接
    [module] 变为子模块
   *[other] { $was ->
        [program] 不再可执行
        [link] 不再是符号链接
        [module] 不再是子模块
       *[other] 模式已变
    }
}（{ $old } → { $new }）
diff-is-binary = { $sizes ->
    [none] 二进制
   *[other] 二进制，{ $sizes }
}
diff-sizes = { $old } → { $new }
diff-line-ends = 换行符：{ $old ->
    [lf] LF
    [crlf] CRLF
   *[mixed] 混用
} → { $new ->
    [lf] LF
    [crlf] CRLF
   *[mixed] 混用
}
diff-line-ends-mixed = 换行符混用
diff-no-lines = 没有改动的行。
diff-outside = 不属于任何改动
diff-outside-lines = 位于差异文本中，但不属于任何改动
diff-end-crlf = CRLF
diff-end-crlf-about = 此行以回车加换行结尾，文件中的其他行并非如此。
diff-end-nothing = 无换行符
diff-end-nothing-about = 文件在此结束，末尾没有换行符。

# 文件树。
diff-files = 文件
diff-filter = 筛选文件
diff-filter-none = 没有匹配的文件路径。

# 与上次回复时相比。
diff-since-new = 上次之后新增
diff-since-changed = 上次之后有改动
diff-since-same = 与上次所见相同
diff-fresh = 上次回复后有改动
diff-fresh-only = 只看上次回复后的变化
diff-fresh-count = 上次回复后 { $of } 个文件中有 { $n } 个变化
diff-all-seen = 自你上次回复以来没有任何变化。

# 与审阅的上一轮比较。
diff-round-new = 本轮新增
diff-round-changed = 本轮有改动
diff-round-same = 与第 { $round } 轮相同
diff-round-fresh = 与第 { $round } 轮不同
diff-round-fresh-only = 只看第 { $round } 轮之后的变化
diff-round-fresh-count = 第 { $round } 轮之后 { $of } 个文件中有 { $n } 个变化
diff-round-all-seen = 第 { $round } 轮之后没有任何变化。
diff-round-nothing-fresh = 第 { $round } 轮之后没有变化。
diff-round-seen-open = { $n } 行与第 { $round } 轮相同
diff-round-seen-close = 折叠与第 { $round } 轮相同的 { $n } 行

# 折叠的行。
diff-context-open = { $n } 行未改动
diff-context-close = 折叠 { $n } 行未改动的内容
diff-seen-open = { $n } 行与上次所见相同
diff-seen-close = 折叠与上次所见相同的 { $n } 行
diff-empty-open = { $n } 个空行
diff-empty-close = 折叠 { $n } 个空行

# 供屏幕阅读器朗读的行说明。
diff-row-added = 新增，第 { $line } 行
diff-row-removed = 删除，旧文件第 { $line } 行
diff-row-same = 第 { $line } 行
diff-row-old = 旧文件第 { $line } 行
diff-row-none = 这一侧没有内容
diff-line-more = 还有 { $n } 个字符
diff-line-rest = 还有 { $n } 个字符，太长，无法显示
diff-copy-line = 复制整行

# 评论。
diff-you = 你
diff-line = 第 { $line } 行
diff-lines = 第 { $start }–{ $line } 行
diff-old-line = 旧文件第 { $line } 行
diff-old-lines = 旧文件第 { $start }–{ $line } 行
diff-comment-add = 评论第 { $line } 行
diff-comment-on = 评论{ $where }…
diff-comment-label = 评论{ $where }
diff-comment-edit = 编辑评论
diff-comment-delete = 删除评论
diff-comment-save = 保存评论
diff-comment-revert = 撤销修改
diff-comment-discard = 放弃

# 查找。
diff-find = 在改动中查找

# 显示方式。
diff-options = 改动的选项
diff-previous-change = 上一处改动
diff-next-change = 下一处改动
diff-unified = 合并显示
diff-split = 并排显示
diff-to-unified = 切换为单栏（T）
diff-to-split = 切换为并排（T）
diff-wrap = 长行自动换行
diff-fold-all = 折叠所有文件
diff-unfold-all = 展开所有文件
diff-tab = 制表符宽度

# 快捷键表。
diff-keys-cross = 转到改动
diff-keys-cross-back = 返回消息
diff-keys-lines = 在行间移动，也可用 J 和 K
diff-keys-choose = 选择多行
diff-keys-comment = 评论所选的行，也可用 C
diff-keys-finish = 完成评论
diff-keys-change = 下一处、上一处改动
diff-keys-comments = 下一条、上一条评论
diff-keys-file = 上一个、下一个文件
diff-keys-viewed = 已看；折叠文件
diff-keys-split = 并排显示；自动换行
diff-keys-fresh = 只看上次回复后的变化
diff-keys-find = 查找
