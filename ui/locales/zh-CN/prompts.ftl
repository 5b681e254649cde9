# The person's own snippets.
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
prompts-empty-lead = 常用回复是你经常要写的一段话，可以是整条回复，也可以是其中一部分。保存在这里后，按几个键就能插入回复。
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
prompts-key-new = 新建提示词或常用回复
prompts-key-sides = 提示词、常用回复
prompts-key-parts = 提示词的各部分
prompts-key-save = 保存输入的内容
prompts-key-delete = 删除所选的一项
prompts-key-undo = 恢复刚刚删除的一项

# The two sides of the page.
prompts-sides = 这里保存的内容
prompts-side-prompts = 提示词
prompts-side-replies = 常用回复

# The list of prompts.
prompts-prompts = 提示词
prompts-new-prompt = 新建提示词
prompts-import = 导入提示词
prompts-search-prompts = 搜索提示词
prompts-origins = 列出哪些提示词
prompts-origins-all = 全部
prompts-origins-local = 我的
prompts-origins-synced = 已同步
prompts-origins-built_in = 内置
prompts-origin-local = 我的
prompts-origin-synced = 同步
prompts-origin-built_in = 内置
prompts-no-category = 未分类
prompts-none-found = 没有包含这些词的提示词。
prompts-none-here = 这里还没有提示词。
prompts-broken = 有错误

# While there are none of one’s own.
prompts-teach-title = 同样的事，同样地问
prompts-teach-lead = 提示词是你反复交给智能体的任务，其中留有待填的空。每个已连接的智能体都会把它作为斜杠命令提供。这里还没有属于你的提示词。
prompts-teach-folder = 它们都是文件
prompts-teach-folder-how = 每个提示词都是此文件夹中的一个 Markdown 或 YAML 文件。可以用任何工具编辑，保存后立即生效。
prompts-teach-share = 与团队共享
prompts-teach-share-how = 存放在 git 仓库中的提示词会从那里获取，与你自己的一起提供。
prompts-teach-import = 把已有的带过来
prompts-teach-import-how = 可以导入斜杠命令，以及 mcp-feedback-enhanced 的提示词。
prompts-teach-choose = 或者在列表中选择一个提示词，看看它的结果。

# One prompt.
prompts-version = 版本 { $version }
prompts-hides-built_in = 覆盖了内置的提示词
prompts-hides-synced = 覆盖了同步的提示词
prompts-broken-served = 文件有错误。智能体仍会得到最近一个没有错误的版本。
prompts-broken-unserved = 文件有错误，智能体暂时无法使用。
prompts-remove = 删除提示词
prompts-removed = 已删除“{ $title }”。
prompts-not-back = “{ $title }”未能恢复
prompts-deleted-title = 已删除的提示词
prompts-deleted-none = 你没有删除过提示词。
prompts-deleted-how = 恢复后，提示词会以最后的内容回到你的文件夹中。
prompts-deleted-restore = 恢复
prompts-deleted-restore-of = 恢复 { $name }
prompts-tab-preview = 预览
prompts-tab-source = 源文件
prompts-tab-versions = 版本
prompts-tab-use = 使用情况
prompts-slash = 复制为斜杠命令
prompts-slash-copy = 复制用于 { $name } 的斜杠命令
prompts-slash-others = Cursor、Codex 及其他

# What it gives.
prompts-arguments = 参数
prompts-argument-required = 必填
prompts-argument-default = 默认值：{ $value }
prompts-argument-list = 可填多个，用英文逗号分隔。
prompts-argument-inferred = 文件中使用了它，但没有声明。
prompts-argument-secret = 机密：输入时不显示，也不会保留。
prompts-argument-choose = 请选择
prompts-messages = 智能体得到的内容
prompts-messages-copy = 复制这些消息
prompts-role-user = 用户
prompts-role-assistant = 助手
prompts-fill-in = 填写“{ $name }”即可看到结果。
prompts-before = 下面是先前的结果。

# Its text.
prompts-source-of = { $name } 的源文件
prompts-source-keys = Tab 缩进，Esc 离开；已输入的内容会保留。
prompts-built-in-file = Review Gate 自带
prompts-own = 变为我的
prompts-own-hint-built_in = 它由 Review Gate 自带，只能阅读。在你的文件夹中建立副本后，名称不变并覆盖原件；删除副本即可恢复原件。
prompts-own-hint-synced = 它来自团队的仓库，只能阅读。在你的文件夹中建立副本后，名称不变并覆盖原件；删除副本即可恢复原件。
prompts-own-hint-local = 它在你的文件夹中。
prompts-owned-built-in = 提示词现在是你的，并覆盖了内置的那个。
prompts-owned-synced = 提示词现在是你的，并覆盖了同步的那个。
prompts-reverted = 已放弃输入的内容。
prompts-conflict = 你开始输入之后，文件已被更改。
prompts-conflict-how = 在你选择之前不会覆盖任何内容。绿色是你的，红色是文件中现有的。
prompts-conflict-diff = 从文件到你的文本
prompts-conflict-mine = 保留我的
prompts-conflict-theirs = 采用文件中的
prompts-problem-go = 转到此处
prompts-problem-served = 仍提供没有此错误的最近版本。

# Its versions.
prompts-no-versions = 没有保留任何版本。
prompts-version-now = 与现在相同
prompts-version-same = 与文件现在的内容相同。
prompts-version-deleted = 文件在那时被删除。
prompts-compared = 从此版本到现在
prompts-counts = 新增 { $added } 行，删除 { $removed } 行
prompts-restore = 恢复此版本
prompts-restored = 版本已恢复。先前的版本仍在列表中。
prompts-restore-copies = 恢复会把该版本放入你的文件夹，并覆盖原件。
prompts-cause-found = 在文件夹中发现
prompts-cause-saved = 已保存
prompts-cause-imported = 已导入
prompts-cause-restored = 已恢复
prompts-cause-synced = 已同步
prompts-cause-deleted = 已删除

# Who used it.
prompts-use-how = 智能体以斜杠命令的形式使用它；使用者会列在这里。
prompts-clients = 按客户端
prompts-client-unnamed = 未命名的客户端
prompts-last-uses = 最近使用
prompts-given-secret = 可能是机密，未保留
prompts-review-none = 之后没有审查
prompts-review-pending = 审查等待中
prompts-review-cancelled = 审查已撤回
prompts-review-expired = 审查已过期
prompts-review-approved = 已批准
prompts-review-changes_requested = 要求修改
prompts-review-replied = 已回复

# A new one.
prompts-id = 标识
prompts-id-example = team/code_review
prompts-id-hint = 智能体通过标识调用它；/ 表示文件夹。
prompts-id-file = 它将成为你文件夹中的 { $file }。
prompts-id-none = 请为提示词填写标识。
prompts-id-long = 标识最多 { $most } 个字符。
prompts-id-wrong = 请使用字母、数字、_ 和 -，文件夹之间用 /。
prompts-id-taken = 你已有此标识的提示词。
prompts-format = 格式
prompts-format-markdown = Markdown
prompts-format-yaml = YAML
prompts-text = 提示词的文本
prompts-create = 创建
prompts-new-discarded = 已放弃新建的提示词。
prompts-start-title = 解释一个主题
prompts-start-description = 用一句话说明这个提示词的作用
prompts-start-topic = 要解释的内容
prompts-start-ask = 请向刚接触本项目的人解释 { $topic }。
prompts-start-more = 先说明它的用途，列出重要的文件。在更改任何内容之前，请停下来问我。

# Getting them from a repository.
prompts-sync-off = 你的提示词尚未与团队共享。
prompts-sync-set-up = 设置仓库
prompts-sync-settings = 设置
prompts-sync-never = 尚未获取任何内容。
prompts-sync-title = 同步
prompts-sync-step-asking = 正在查询新的提交……
prompts-sync-step-fetching = 正在获取最新的提交……
prompts-sync-step-reading = 正在读取文件……
prompts-sync-success = 已同步 { $n } 个提示词，{ $age }
prompts-sync-error = 无法获取提示词。仍提供先前的提示词。
prompts-sync-now = 立即同步
prompts-sync-not = 未能获取
prompts-sync-cancel = 取消
prompts-sync-not-cancelled = 未能取消
prompts-sync-repository = 仓库
prompts-sync-commit = 提交
prompts-sync-synced = 上次成功
prompts-sync-tried = 上次尝试
prompts-sync-next = 下次检查
prompts-sync-not-yet = 尚无
prompts-sync-brought = 此提交带来的变化
prompts-sync-brought-nothing = 没有提示词发生变化。
prompts-sync-change-new = 新增
prompts-sync-change-changed = 已更改
prompts-sync-change-gone = 已移除
prompts-sync-more = 另有 { $n } 个
prompts-problems = { $n } 个文件有错误
prompts-hints = { $n } 条关于文件的提示

# Taking them over from elsewhere.
prompts-import-title = 导入提示词
prompts-import-path = 文件或文件夹
prompts-import-example = ~/.claude/commands
prompts-import-hint = 运行 Review Gate 的机器上的斜杠命令或提示词文件夹，或 mcp-feedback-enhanced 的提示词文件。也可以在此选择文件。
prompts-import-pick = 选择文件……
prompts-import-large = 合计超过 { $most } MB 的文件无法一次导入。
prompts-import-fewer = 请少选一些。
prompts-import-unread = 无法读取所选文件。
prompts-import-again = 请重新选择。
prompts-import-look = 查看
prompts-import-found = { $n ->
    [0] { $kind }：没有提示词
   *[other] { $kind }：{ $n } 个提示词
}
prompts-import-all = 选择所有新的
prompts-import-none = 全不选
prompts-import-change-new = 新增
prompts-import-change-changed = 替换你的
prompts-import-change-same = 与你的相同
prompts-import-hides-built_in = 将覆盖内置的提示词
prompts-import-hides-synced = 将覆盖同步的提示词
prompts-import-replaced = 将替换你的 { $n } 个提示词；其版本会保留。
prompts-import-not = { $n } 个无法导入：
prompts-import-do = { $n ->
    [0] 导入
   *[other] 导入 { $n } 个提示词
}
prompts-imported = 已导入 { $n } 个提示词。
prompts-import-undone = 已撤销导入。
prompts-import-kept = { $n ->
    [one] 已撤销导入，但“{ $name }”除外：它之后又有更改。
   *[other] 已撤销导入，但有 { $n } 个提示词除外：它们之后又有更改。
}
prompts-import-not-undone = 未能撤销导入
