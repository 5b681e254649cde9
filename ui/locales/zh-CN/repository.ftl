# 当 diff 由 Review Gate 自己生成时，显示仓库的哪一部分；`base` 是其下的提交。
repository-shown = { $kind ->
    [worktree] { $name } 的工作区
    [staged] { $name } 中已暂存的内容
    [range] { $name } 的 { $what }
   *[commit] { $name } 的提交 { $commit }
}，{ $base ->
    [none] 尚无任何提交
   *[other] 基于 { $base }
}，由 Review Gate 生成
repository-tree = 树 { $tree }
