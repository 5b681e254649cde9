# 设置：页面、各项设置，以及对更改的说明。
settings-sections = 分类
settings-search = 搜索设置
settings-search-label = 搜索设置
settings-found = 找到 { $n } 项设置
settings-nothing = 没有包含“{ $words }”的设置。

settings-saving = 正在保存…
settings-saved = 已保存：{ $name }
settings-reset-done = 已恢复默认：{ $name }
settings-undone = 已撤销。
settings-undone-what = 已撤销：{ $name }
settings-undo = 撤销
settings-weaken = 降低“{ $name }”的安全性？
settings-weaken-means = 它保护你，因此只有你才能放宽它。
settings-weaken-told = 每个回复、状态和诊断都会说明它已被放宽。
settings-weaken-no = 保持不变
settings-weaken-yes = 降低安全性
settings-undo-what = { $more ->
    [0] 撤销：{ $name }
   *[other] 撤销：{ $name } 及另外 { $more } 项
}
settings-undo-failed = 未能撤销更改

# 设置及其取值。
settings-on = 开
settings-off = 关
settings-automatic = 自动
settings-none = 无
settings-with-unit = { $value } { $unit }
settings-s = { $n } 秒
settings-default = 默认：{ $value }
settings-reset = 恢复默认：{ $name }
settings-reset-title = 恢复默认：{ $value }
settings-from-file = 在文件中设定
settings-agents-change = 智能体可以更改
settings-next-start = 下次启动后生效
settings-from-environment = 由环境变量 { $variable } 设定，优先于本页。请在环境中更改，然后重新启动 Review Gate。
settings-from-flag = 由启动 Review Gate 时的参数设定，优先于本页。请去掉该参数后重新启动。
settings-overtaken = 此设置刚被别处更改，现在是 { $value }。
settings-keep-mine = 保留我的
settings-take-theirs = 采用新值

# 输入有误时的说明。
settings-range = { $name }：请输入 { $min } 到 { $max } 之间的整数。
settings-too-long = { $name }：最多 { $max } 个字符，现有 { $n } 个。
settings-too-many = 最多 { $max } 项，现有 { $n } 项。
settings-twice = “{ $what }”出现了两次。
settings-time = “{ $time }”不是有效时间，请写成 22:00 这样。
settings-no-time = 开始与结束的时间相同。
settings-client-missing = 是哪个客户端？请写出其名称的一部分。
settings-seconds-missing = 要等待“{ $client }”多少秒？
settings-seconds = { $client }：请输入 { $min } 到 { $max } 之间的整数秒。
settings-keys-wrong = “{ $keys }”不是有效的按键。

# 控件。
settings-more = 增加
settings-less = 减少
settings-add = 添加
settings-remove = 移除 { $what }
settings-remove-row = 移除
settings-row = { $name } { $n }
settings-hours-set = 设置安静时段
settings-from = 从
settings-to = 到
settings-keys-press = 请按下按键…
settings-keys-none = 无，点按以录入
settings-keys-clear = 不使用按键
settings-keys-hint = 按 Esc 保持不变，按退格键清除。
settings-keys-alone = 请同时按住 Ctrl、Alt 或 Super：单独一个键会使其他程序无法使用它。
settings-keys-unknown = 此处不能使用这个键。
settings-waiting-client = 客户端
settings-waiting-stdio = 秒数（stdio）
settings-waiting-http = 秒数（HTTP）
settings-waiting-add = 添加客户端

# 即时的预览与试听。
settings-preview = 预览
settings-preview-who = payments-api · Claude Code
settings-preview-title = 要重试 webhook 投递吗？
settings-preview-message = 我把投递移到了带退避的队列中：
settings-preview-reply = 可以。把重试记录保存到表里
settings-preview-approve = 批准
settings-preview-changes = 要求修改
settings-sounds = 试听
settings-sound-soft = 普通请求
settings-sound-urgent = 紧急请求
settings-sound-none = 此处无法播放声音。

# 谁更改了什么。
settings-changes = 更改记录
settings-changes-none = 还没有人更改过设置。你、智能体、配置文件或终端所作的更改会列在这里，并且可以撤销。
settings-changes-lead = 最新的在前。撤销一项只影响该项设置。
settings-change-values = { $from } → { $to }
settings-change-undone = 已撤销
settings-change-undo = 撤销：{ $name }
settings-by-file = 配置文件
settings-by-terminal = 终端
settings-by-person = 你
settings-announce = { $who }：已将“{ $name }”由 { $from } 改为 { $to }

# 配置文件。
settings-keys = 安全密钥
settings-file = 配置文件
settings-file-lead = 这些页面上的内容都保存在一个文件里。你也可以直接编辑它：注释和此处不认识的内容会保留，更改会在 Review Gate 运行时生效。
settings-file-open = 打开文件
settings-file-look = 查看文件
settings-file-good = 文件没有问题。
settings-export = 导出
settings-export-lead = 把已设定的内容导出为文件，供其他机器使用。不含机密。
settings-export-show = 显示
settings-export-hide = 隐藏
settings-export-copy = 复制导出的设置
settings-import = 导入
settings-import-lead = 采用另一个文件中的设置。更改之前会先显示有何不同。
settings-import-paste = 粘贴 config.yaml 的内容
settings-import-look = 显示有何不同
settings-import-pick = 选择文件
settings-import-large = { $name } 超过了设置文件的大小上限（1 MB）。
settings-import-large-mend = 请选择在此处导出的 config.yaml。
settings-import-same = 这些设置已经生效。
settings-import-setting = 设置
settings-import-now = 现在
settings-import-then = 导入后
settings-import-apply = 应用 { $n } 项更改
settings-imported = 导入的设置
settings-prompts-sync = 同步

# 改变文字大小的快捷键。
settings-text-size = { $end ->
    [smallest] 文字大小为 { $n } px，已是最小。
    [largest] 文字大小为 { $n } px，已是最大。
   *[none] 文字大小为 { $n } px。
}
settings-text-size-failed = 无法更改文字大小

# 审阅规则：谁必须批准，以及批准什么。规则没有提到的为 0，行数为 -1。
settings-rule = { $path ->
    [0] 任何改动
   *[other] 对 { $path } 的改动
}{ $repository ->
    [0] {""}
   *[other] （位于 { $repository }）
}{ $proposer ->
    [0] {""}
   *[other] ，由 { $proposer } 提出
}{ $category ->
    [0] {""}
   *[other] ，类别为 { $category }
}{ $lines ->
    [-1] {""}
   *[other] ，超过 { $lines } 行
}：{ $person ->
    [1] { $agents ->
        [0] 只由你批准
       *[other] 由 { $agents } 个智能体和你批准
    }
   *[0] 由另外 { $agents } 个智能体批准
}。
settings-rule-need = { $person ->
    [1] { $agents ->
        [0] 你，不需要智能体
       *[other] { $agents } 个智能体和你
    }
   *[0] 另外 { $agents } 个智能体
}
# Whose agents propose changes and review those of others.
settings-parties = { $n ->
   *[other] { $names } 参与审阅。
}
settings-parties-none = 还没有客户端参与审阅。
settings-parties-choose = 选择参与者
settings-rule-name = 规则
settings-rule-new = 新规则：选择谁必须批准。
settings-rule-none = 没有规则：任何改动由另一个智能体批准。
settings-rule-few = 它需要 { $needed } 个不同的智能体，包括提案者。{ $known ->
    [0] 目前还没有任何智能体参与过审阅。
   *[other] 目前有 { $known } 个参与过审阅。
}
settings-rule-add = 添加规则
settings-rule-change = 修改：{ $what }
settings-rule-change-short = 修改
settings-rule-choose = 选择……
settings-rule-done = 完成
settings-rule-any = 任意
settings-rule-who = 谁必须批准
settings-rule-of-path = 文件或文件夹
settings-rule-of-repository = 仓库
settings-rule-of-proposer = 提案者
settings-rule-of-category = 类别（提案者自己的说法）
settings-rule-of-lines = 改动行数超过
settings-rule-hint = 用 | 隔开的几项中符合一项即可；* 代表任意内容。提到的各部分都须符合；取所有规则中要求最高的。
