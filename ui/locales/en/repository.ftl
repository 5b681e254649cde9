# What of a repository is shown, where the gate itself has made the diff; `base` is the commit below it.
repository-shown = { $kind ->
    [worktree] Work tree of { $name }
    [staged] What is staged in { $name }
    [range] { $what } of { $name }
   *[commit] Commit { $commit } of { $name }
} { $base ->
    [none] before any commit
   *[other] on { $base }
}, made by Review Gate
repository-tree = tree { $tree }
