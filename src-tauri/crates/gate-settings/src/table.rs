//! The settings: the one place where a setting is added. Its type, its default, its bounds, where it
//! stands on the page, who may change it, and its words in both languages; everything else follows.

use gate_core::QuietHours;

use crate::schema::{Choice, Shape, counted, number, settings};
use crate::values::Waits;

const SECONDS: (&str, &str) = ("seconds", "秒");
const HOURS: (&str, &str) = ("hours", "小时");
const DAYS: (&str, &str) = ("days", "天");
const MEGABYTES: (&str, &str) = ("MB", "MB");
const PIXELS: (&str, &str) = ("pixels", "像素");
const BACKUPS: (&str, &str) = ("backups", "份");
const MINUTES: (&str, &str) = ("minutes", "分钟");
const ROUNDS: (&str, &str) = ("rounds", "轮");

const DAY_SECONDS: i64 = 24 * 60 * 60;
const WEEK_SECONDS: i64 = 7 * DAY_SECONDS;

const THEMES: &[Choice] =
    &[("system", ("As the system", "跟随系统")), ("light", ("Light", "浅色")), ("dark", ("Dark", "深色"))];
const LANGUAGES: &[Choice] = &[
    ("system", ("As the system", "跟随系统")),
    ("en", ("English", "English")),
    ("zh-CN", ("Simplified Chinese", "简体中文")),
];
const SPOKEN: &[Choice] = &[
    ("auto", ("Find out", "自动识别")),
    ("ar", ("Arabic", "阿拉伯语")),
    ("cs", ("Czech", "捷克语")),
    ("da", ("Danish", "丹麦语")),
    ("de", ("German", "德语")),
    ("el", ("Greek", "希腊语")),
    ("en", ("English", "英语")),
    ("es", ("Spanish", "西班牙语")),
    ("fi", ("Finnish", "芬兰语")),
    ("fr", ("French", "法语")),
    ("he", ("Hebrew", "希伯来语")),
    ("hi", ("Hindi", "印地语")),
    ("hu", ("Hungarian", "匈牙利语")),
    ("id", ("Indonesian", "印度尼西亚语")),
    ("it", ("Italian", "意大利语")),
    ("ja", ("Japanese", "日语")),
    ("ko", ("Korean", "韩语")),
    ("nl", ("Dutch", "荷兰语")),
    ("no", ("Norwegian", "挪威语")),
    ("pl", ("Polish", "波兰语")),
    ("pt", ("Portuguese", "葡萄牙语")),
    ("ro", ("Romanian", "罗马尼亚语")),
    ("ru", ("Russian", "俄语")),
    ("sv", ("Swedish", "瑞典语")),
    ("th", ("Thai", "泰语")),
    ("tr", ("Turkish", "土耳其语")),
    ("uk", ("Ukrainian", "乌克兰语")),
    ("vi", ("Vietnamese", "越南语")),
    ("zh", ("Chinese", "中文")),
];
const JOURNALS: &[Choice] = &[
    ("auto", ("As the disk allows", "根据磁盘自动选择")),
    ("wal", ("Write-ahead log", "预写日志（WAL）")),
    ("rollback", ("Rollback journal", "回滚日志")),
];

settings! {
    /// How long agents wait, and for whom.
    waiting: Waiting {
        clients: Waits = {}, Shape::Waiting { min: 5, max: WEEK_SECONDS };
            on Waiting, agents Change, applies Now;
            ["Waiting time of a client", "客户端等待时间"],
            ["After how many seconds a client's call is answered with pending, where that differs from what Review Gate knows of it. A name may have a version, as in codex >= 0.60.",
             "客户端的调用在多少秒后返回“等待中”，仅在与内置值不同时填写。名称后可以带版本，例如 codex >= 0.60。"];
        away_after_pending: u32 = 0, counted(0, 1000, ROUNDS);
            on Waiting, agents See, applies Now;
            ["Away after unanswered rounds", "多少轮无人回答后视为离开"],
            ["After so many pending results in a row without any act of yours, agents are told that you are away. 0 for never.",
             "连续这么多次返回“等待中”而你没有任何操作时，会告知智能体你已离开。0 表示从不。"];
    }

    /// How the person is called.
    notifications: Notifications {
        enabled: bool = true, Shape::Switch;
            on Notifications, agents Change, applies Now;
            ["Notifications", "桌面通知"],
            ["Show a notification of the system when a request comes in.", "收到请求时显示系统通知。"];
        sounds: bool = true, Shape::Switch;
            on Notifications, agents Change, applies Now;
            ["Sounds", "提示音"],
            ["Play a sound when a request comes in.", "收到请求时播放提示音。"];
        quiet_hours: Option<QuietHours> = null, Shape::Hours;
            on Notifications, agents Change, applies Now;
            ["Quiet hours", "安静时段"],
            ["From when to when nothing comes up or sounds, as in 22:00-07:30. Urgent requests still do.",
             "在此时段内不弹出窗口，也不播放提示音，例如 22:00-07:30。紧急请求除外。"];
    }

    /// What the windows look like, and how they come up.
    window: Window {
        raise: bool = true, Shape::Switch;
            on Notifications, agents Change, applies Now;
            ["Bring the window up", "自动弹出窗口"],
            ["Bring up the review window when a request comes in. An urgent one does anyway.",
             "收到请求时弹出审阅窗口。紧急请求始终会弹出。"];
        undo_seconds: u8 = 5, counted(0, 30, SECONDS);
            on Waiting, agents See, applies Now;
            ["Time to take a reply back", "撤回回复的时限"],
            ["For so long a reply that you have sent can be taken back; the agent hears of it afterwards. 0 for not at all.",
             "发送回复后在此时间内可以撤回，之后才会告知智能体。0 表示不可撤回。"];
        theme: String = "system", Shape::Choice(THEMES);
            on Appearance, agents Change, applies Now;
            ["Theme", "主题"],
            ["Whether the windows are light or dark.", "窗口使用浅色还是深色。"];
        font_size: u8 = 14, counted(11, 24, PIXELS);
            on Appearance, agents Change, applies Now;
            ["Font size", "字号"],
            ["The size of running text.", "正文文字的大小。"];
        language: String = "system", Shape::Choice(LANGUAGES);
            on Appearance, agents Change, applies Now;
            ["Language", "语言"],
            ["The language of the windows. The tray follows when the app is started the next time.",
             "窗口所用的语言。托盘菜单在下次启动应用后生效。"];
        reduced_motion: bool = false, Shape::Switch;
            on Appearance, agents Change, applies Now;
            ["Reduce motion", "减少动态效果"],
            ["Nothing moves, whatever the system says.", "无论系统如何设置，界面都不使用动画。"];
        always_on_top: bool = false, Shape::Switch;
            on Appearance, agents Change, applies Now;
            ["Keep the review window on top", "审阅窗口置顶"],
            ["The review window stays above the windows of other programs.", "审阅窗口始终显示在其他程序的窗口之上。"];
        hotkey: String = "CmdOrCtrl+Alt+G", Shape::Keys;
            on Appearance, agents See, applies NextStart;
            ["Hotkey", "全局快捷键"],
            ["The keys that bring up the next request from anywhere. Empty for none.",
             "在任何地方按下即可调出下一个请求的快捷键。留空表示不使用。"];
        start_at_login: Option<bool> = null, Shape::Switch;
            on Appearance, agents See, applies NextStart;
            ["Start at login", "登录时启动"],
            ["Start Review Gate hidden when you log in. Without a choice here, the tray's menu decides.",
             "登录系统时在后台启动 Review Gate。此处未选择时，以托盘菜单中的选择为准。"];
    }

    /// Speaking replies. Agents change none of it: what is heard is the person's word. Which microphone listens,
    /// when, and where models come from is none of their business.
    voice: Voice {
        enabled: bool = true, Shape::Switch;
            on Voice, agents See, applies Now;
            ["Voice", "语音"],
            ["Speak replies instead of typing them. Everything is heard and written down on this machine.",
             "用语音代替键盘回复。所有声音都只在本机上识别。"];
        model: String = "", Shape::Text;
            on Voice, agents See, applies Now;
            ["Speech model", "语音模型"],
            ["The name of the model that writes down what you say, e.g. base-q8_0. Empty for the recommended one, or whichever is there.",
             "用于识别语音的模型名称，例如 base-q8_0。留空表示使用推荐的模型，或任何已安装的模型。"];
        language: String = "auto", Shape::Choice(SPOKEN);
            on Voice, agents See, applies Now;
            ["Language that you speak", "所说的语言"],
            ["Naming it is quicker and surer than having it found out.", "指定语言比自动识别更快、更准确。"];
        microphone: String = "", Shape::Text;
            on Voice, agents None, applies Now;
            ["Microphone", "麦克风"],
            ["The microphone's id, as `review-gate voice microphones` prints it. Empty for the one that the system uses.",
             "麦克风的标识，可用 `review-gate voice microphones` 查看。留空表示使用系统默认的麦克风。"];
        armed: bool = true, Shape::Switch;
            on Voice, agents None, applies Now;
            ["Keep the microphone ready", "让麦克风保持就绪"],
            ["Keep the microphone ready while a request is shown, so that the first word isn't lost. Half a second is kept in memory, and nothing is stored.",
             "显示请求时让麦克风保持就绪，以免漏掉第一个字。内存中只保留半秒的声音，不会存储。"];
        hotkey: String = "", Shape::Keys;
            on Voice, agents See, applies NextStart;
            ["Key to talk", "按住说话的快捷键"],
            ["The keys that you hold while you speak, wherever you are. Empty for none.",
             "在任何地方按住即可说话的快捷键。留空表示不使用。"];
        commands: bool = false, Shape::Switch;
            on Voice, agents See, applies Now;
            ["Spoken commands", "语音命令"],
            ["Understand send, approve and new line at the end of what you say. Nothing is approved before you confirm it.",
             "识别语音末尾的发送、批准和换行命令。批准之前始终会请你确认。"];
        longest_minutes: u8 = 10, counted(1, 60, MINUTES);
            on Voice, agents See, applies Now;
            ["Longest recording", "最长录音时间"],
            ["After so long a recording ends by itself, and what was said is written down.",
             "录音达到此时间后自动结束，并识别已说的内容。"];
        vocabulary: Vec<String> = [], Shape::Words;
            on Voice, agents See, applies Now;
            ["Your own words", "自定义词汇"],
            ["Names and words to listen for, each as it is written, or with what is heard instead, as in get hub -> GitHub.",
             "需要识别的名称和词语，按正确写法填写；也可以写明会被听成什么，例如 get hub -> GitHub。"];
        mirror: String = "", Shape::Address;
            on Voice, agents None, applies Now;
            ["Where models come from", "模型下载地址"],
            ["The address of a folder with the models' files, for networks that don't reach huggingface.co. Empty for the usual place.",
             "存放模型文件的目录地址，用于无法访问 huggingface.co 的网络。留空表示使用默认地址。"];
        unload_minutes: u8 = 5, counted(1, 240, MINUTES);
            on Voice, agents See, applies Now;
            ["Keep the model loaded for", "模型保留时间"],
            ["So long after its last use, the model's memory is freed. The next use loads it again, in about a second.",
             "最后一次使用后经过此时间释放模型占用的内存。下次使用时会重新加载，约需一秒。"];
    }

    /// Where prompts come from. Agents change none of it: prompts say what agents are told to do.
    prompts: Prompts {
        folder: String = "", Shape::Text;
            on Prompts, agents See, applies Now;
            ["Your prompts", "你的提示词"],
            ["The folder with your own prompts. Empty for the folder prompts beside the settings file.",
             "存放你自己的提示词的文件夹。留空表示使用设置文件旁的 prompts 文件夹。"];
        repository: String = "", Shape::Text;
            on Prompts, agents None, applies Now;
            ["Repository", "仓库"],
            ["Prompts are fetched from here: owner/repo on GitHub, or any git URL. Empty for none.",
             "从此处获取提示词：GitHub 上的 owner/repo，或任意 git 地址。留空表示不同步。"];
        branch: String = "", Shape::Text;
            on Prompts, agents None, applies Now;
            ["Branch", "分支"],
            ["The branch to fetch. Empty for the repository's own.", "要获取的分支。留空表示使用仓库的默认分支。"];
        subfolder: String = "", Shape::Text;
            on Prompts, agents None, applies Now;
            ["Folder in the repository", "仓库中的文件夹"],
            ["The folder of the repository that holds the prompts. Empty for all of it.",
             "仓库中存放提示词的文件夹。留空表示整个仓库。"];
        interval_seconds: u32 = 300, counted(30, DAY_SECONDS, SECONDS);
            on Prompts, agents See, applies Now;
            ["Time between looks", "检查间隔"],
            ["How long after one look at the repository the next one is taken.", "两次检查仓库之间的间隔。"];
        pin: String = "", Shape::Text;
            on Prompts, agents None, applies Now;
            ["Pinned commit", "固定提交"],
            ["Serve this commit and no later one. Empty for the newest.", "只使用此提交，不再更新。留空表示使用最新提交。"];
        token: String = "", Shape::Text;
            on Prompts, agents None, applies Now, secret;
            ["Token", "访问令牌"],
            ["For a private repository over https. It is kept in the settings file, and left out of exports.",
             "用于通过 https 访问私有仓库。令牌保存在设置文件中，导出时不包含。"];
        own_credentials: bool = false, Shape::Switch;
            on Prompts, agents None, applies Now;
            ["Use git's own sign-in", "使用 git 自身的登录信息"],
            ["Sign in as git does for you: with its credential helpers and your SSH keys.",
             "以 git 的方式登录：使用凭据助手和你的 SSH 密钥。"];
        webhook_secret: String = "", Shape::Text;
            on Prompts, agents None, applies Now, secret;
            ["Webhook secret", "Webhook 密钥"],
            ["With the secret of a GitHub webhook, a push to /webhooks/github is followed at once. Empty for no webhook.",
             "填写 GitHub webhook 的密钥后，推送到 /webhooks/github 的更新会立即同步。留空表示不使用 webhook。"];
    }

    /// When a session's status changes.
    sessions: Sessions {
        timeout_seconds: u32 = 300, counted(1, WEEK_SECONDS, SECONDS);
            on Sessions, agents See, applies Now;
            ["Time out after", "会话超时"],
            ["A session without a relay times out after so long without activity; open questions are activity.",
             "没有中继的会话在此时间内没有任何活动时视为超时；未回答的请求也算活动。"];
        stale_seconds: u32 = 30, counted(1, DAY_SECONDS, SECONDS);
            on Sessions, agents See, applies Now;
            ["Stale after", "会话失联"],
            ["A session is stale when its relay hasn't been heard for so long; relays beat every 10 seconds.",
             "在此时间内没有收到中继的心跳时，会话视为失联；中继每 10 秒发送一次心跳。"];
        forget_seconds: u32 = 3600, counted(1, WEEK_SECONDS, SECONDS);
            on Sessions, agents See, applies Now;
            ["Leave the list after", "移出列表"],
            ["So long after its end, a session is no longer on the sessions page; the history keeps it.",
             "会话结束后经过此时间，将不再显示在会话页面中；历史记录仍会保留。"];
    }

    /// How the record is kept.
    storage: Storage {
        backups: u32 = 5, counted(0, 100, BACKUPS);
            on Storage, agents See, applies Now;
            ["Backups", "备份份数"],
            ["How many backups of the record are kept; the oldest makes room. 0 for none.",
             "保留多少份数据备份；超出时删除最旧的。0 表示不备份。"];
        backup_hours: u32 = 24, counted(1, 31 * 24, HOURS);
            on Storage, agents See, applies Now;
            ["Time between backups", "备份间隔"],
            ["How long after one backup the next one is made.", "一次备份之后多久进行下一次备份。"];
        keep_days: Option<u32> = null, counted(1, 36_500, DAYS);
            on Storage, agents See, applies Now;
            ["Keep conversations for", "对话保留天数"],
            ["Conversations in which nothing happened for longer are deleted. Empty for never.",
             "超过此天数没有任何活动的对话会被删除。留空表示永不删除。"];
        max_megabytes: Option<u32> = null, counted(10, 1_000_000, MEGABYTES);
            on Storage, agents See, applies Now;
            ["Largest size of the record", "数据大小上限"],
            ["When the record is larger, the oldest conversations are deleted. Empty for no bound.",
             "数据超过此大小时，删除最旧的对话。留空表示不限制。"];
        journal: String = "auto", Shape::Choice(JOURNALS);
            on Storage, agents See, applies NextStart;
            ["SQLite journal", "SQLite 日志方式"],
            ["How SQLite writes. Network disks need the rollback journal; it is chosen for them by itself.",
             "SQLite 的写入方式。网络磁盘需要回滚日志，会自动选用。"];
    }

    /// How the gate is reached over HTTP, and by whom.
    network: Network {
        http: bool = true, Shape::Switch;
            on Network, agents See, applies NextStart;
            ["Serve HTTP", "提供 HTTP 服务"],
            ["Serve MCP and the page in a browser on 127.0.0.1.", "在 127.0.0.1 上提供 MCP 和浏览器页面。"];
        port: u16 = 8321, number(0, 65_535);
            on Network, agents See, applies NextStart;
            ["Port", "端口"],
            ["The port on 127.0.0.1 that is tried first. 0 for any.", "优先使用的 127.0.0.1 端口。0 表示任意端口。"];
        allowed_hosts: Vec<String> = [], Shape::Hosts;
            on Network, agents See, applies Now;
            ["Other names of this machine", "本机的其他名称"],
            ["Names besides localhost that a client may call this machine, e.g. gate.internal behind a tunnel.",
             "除 localhost 外，客户端可用来称呼本机的名称，例如通过隧道访问时的 gate.internal。"];
        allowed_origins: Vec<String> = [], Shape::Origins;
            on Network, agents See, applies Now;
            ["Pages that may speak to the gate", "允许访问的网页来源"],
            ["Origins of web pages that may call MCP with a token, e.g. http://localhost:6274.",
             "允许携带令牌调用 MCP 的网页来源，例如 http://localhost:6274。"];
    }

    /// What protects the person.
    security: Security {
        scripted_answers: Option<bool> = null, Shape::Switch;
            on Network, agents None, applies Now;
            ["Answers from scripts", "允许脚本回答"],
            ["Whether a process without a terminal may answer for you. Without a choice, only where Review Gate runs without windows.",
             "没有终端的进程能否代你回答。未选择时，仅在 Review Gate 无窗口运行时允许。"];
    }
}
