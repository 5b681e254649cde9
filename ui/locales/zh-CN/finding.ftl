# 诊断的检查结果及处理办法，显示在窗口和终端中。由网关指定。
# 值为数字 0 表示没有该内容。

# 不需要文字的：路径、名称、故障自身的说明。
finding-as-it-is = { $text }

# 多项检查共用的说明。
finding-cant-start = { $program } 无法启动：{ $error }。
finding-cant-read = 无法读取 { $path }：{ $error }。
finding-cant-see = 无法查看 { $path }：{ $error }。
finding-cant-write = 无法写入 { $path }：{ $error }。
finding-no-folder = { $path } 不是文件夹。
finding-no-file = { $path } 不是文件。
finding-first-start = 网关首次启动时会创建。
finding-not-executable = { $program } 没有执行权限。
finding-version = { $program }，版本 { $version }
finding-mend-executable = 请添加执行权限。
finding-mend-make-new = 请新建一份。
finding-mend-move-what-is-there = 请将该位置的内容移到别处。
finding-mend-other-home = 请将 REVIEW_GATE_HOME 设为其他文件夹。
finding-mend-restart-gate = 请重新启动网关。
finding-mend-write-entry = 请重新写入该条目。

# 程序。
finding-program-missing = PATH 中没有 `review-gate`：终端和智能体的钩子找不到它。
finding-program-same-version = PATH 中的 { $found } 与当前程序 { $ours } 不是同一个文件，但版本相同。
finding-program-other-version = PATH 中的 { $found } 是版本 { $theirs }，而当前程序 { $program } 是版本 { $ours }。
finding-program-another = PATH 中的 { $found } 是另一个同名程序。
finding-program-ends = PATH 中的 { $found } 无法给出版本：{ $code ->
    [0] 它被信号终止
   *[other] 它以代码 { $code } 退出
}。{ $words }
finding-program-silent = PATH 中的 { $found } 在 { $seconds } 秒内没有给出版本。
finding-program-cant-start = PATH 中的 { $found } 无法启动：{ $error }。
finding-mend-link = 请在 PATH 中的某个文件夹里放一个指向它的链接。
finding-mend-path-there = 请把文件夹 { $folder } 加入你的 PATH 变量（“编辑帐户的环境变量”），然后打开新的终端。
finding-mend-path = 请让 PATH 指向你要用的程序，或更新较旧的那个。
finding-desktop-missing = 当前程序旁边没有 review-gate-desktop：网关将在没有窗口的情况下运行。
finding-desktop-other-version = { $program } 的版本{ $theirs ->
    [0] 未知
   *[other] 是 { $theirs }
}，而当前程序是版本 { $ours }。
finding-desktop-ends = { $program } 无法运行：{ $code ->
    [0] 它被信号终止
   *[other] 它以代码 { $code } 退出
}。{ $words }
finding-desktop-silent = { $program } 在 { $seconds } 秒内没有给出版本。
finding-libraries-good = 全部齐备。
finding-library-missing = 桌面应用无法启动：缺少库 { $library }。
finding-mend-desktop = 请安装桌面应用，或在浏览器中回答。
finding-mend-same-package = 请从同一个安装包安装两者。
finding-mend-library = 请安装包含它的软件包。
finding-mend-install-anew = 请重新安装 Review Gate。

# 本用户的其他程序能对网关做什么。
finding-others-kept-out = 就系统所示，本用户的其他程序既不能通过内核代为输入，也不能查看网关的进程或替换其程序。
finding-others-type = 本用户的程序可以自行创建键盘：它们可以写入 { $device }。通过它输入的内容与你本人的输入无法区分。
finding-others-look-in = 系统允许同一用户的程序互相查看，包括显示窗口页面的进程。
finding-others-replace = 本用户的程序可以替换 Review Gate 的程序：它们可以写入 { $folder }。
finding-others-glib = GLib { $version } 可能让会话总线上的任何程序按下通知的按钮（CVE-2024-34397）。无法得知你的系统是否已修复。
finding-others-root-group = 你属于 { $group } 组：你的任何程序都可以在你不知情时成为 root，并代你行事，包括确认批准。
finding-others-root-sudo = sudo 不要求密码：你的任何程序都可以在你不知情时成为 root，并代你行事，包括确认批准。
finding-mend-others-type = 请取消开放它的设置：udev 规则，或你所在的用户组（如 input）。
finding-mend-others-look-in = 请关闭此项，并写入 /etc/sysctl.d 使其持续有效。
finding-mend-others-replace = 请用软件包安装 Review Gate：其程序将归 root 所有。
finding-mend-others-glib = 请更新系统。
finding-mend-others-root = 请退出该组，或让 sudo 要求密码；也可以在沙箱中运行智能体（`review-gate run`），在其中两者都无法使用。

# 由系统确认的内容。
finding-system-confirms = review-gated { $version } 会让批准通过你的密码或指纹确认。其密钥为 { $key }。
finding-system-absent = 尚未安装所需的服务 review-gated：无法用你的密码或指纹确认批准。可用 `sudo review-gated install` 安装。
finding-mend-system = 请安装该服务，或降低 security.require 的要求。

# 文件夹与私有文件。
finding-disk-local = 本地文件系统。
finding-disk-network = { $folder } 位于网络上：数据库在那里使用回滚日志，速度较慢。
finding-disk-full = { $folder } 无法再存入内容：{ $error }。
finding-disk-read-only = { $folder } 所在的磁盘不可写入。
finding-disk-left = { $folder } 还可用 { $megabytes } MB。
finding-disk-unknown = 系统没有给出剩余空间。
finding-home-not-yet = { $folder } 会在网关首次启动时创建。
finding-of-another-user = { $path } 属于用户 { $owner }，而你是用户 { $ours }。
finding-others-enter = 本机的其他用户可以进入 { $folder }：其权限为 { $mode }。
finding-others-read = 本机的其他用户可以读取 { $file }：其权限为 { $mode }。
finding-socket-not-yet = 网关启动时会创建。
finding-socket-in-the-way = { $path } 占用了本地套接字的位置，但它不是套接字。
finding-token-empty = { $path } 中没有令牌。
finding-mend-free-space = 请在该磁盘上腾出空间。
finding-mend-no-space = 请在该磁盘上腾出空间：现在什么都无法存储。
finding-mend-little-space = 请在该磁盘写满之前腾出空间。
finding-mend-disk-writable = 请让该磁盘可写，或将 REVIEW_GATE_HOME 设为其他文件夹。
finding-mend-yours = 请将其所有者改为你。
finding-mend-yours-alone = 请改为仅你可以访问。
finding-mend-yours-and-writable = 请将其所有者改为你，并设为可写。
finding-mend-folder-yours = 请将其所在文件夹的所有者改为你。
finding-mend-socket-folder = 请将其所在文件夹的所有者改为你并设为可写，或将 REVIEW_GATE_HOME 设为其他文件夹。
finding-mend-move = 请将它移到别处。
finding-mend-token-read = 其他人可能已经读过它：请新建令牌，并告知通过 HTTP 连接的客户端。
finding-mend-token-empty = 请重新启动网关：它会新建令牌。

# 设置文件。
finding-settings-none = 没有设置文件：所有设置均为默认值。
finding-settings-more = 另有 { $count } 个条目有误。
finding-mend-entries = 请更正或删除它们。

# 正在运行的网关。
finding-gate-with-window = 进程 { $pid }，版本 { $version }，有窗口；{ $waiting } 个请求等待处理。
finding-gate-without-window = 进程 { $pid }，版本 { $version }，没有窗口；{ $waiting } 个请求等待处理。
finding-gate-other-version = 正在运行的网关的版本{ $theirs ->
    [0] 未知
   *[other] 是 { $theirs }
}，而当前程序是版本 { $ours }。
finding-gate-none = 没有网关在运行；智能体下次调用时会启动。
finding-gate-silent = { $pid ->
    [0] 有程序在网关的套接字上接受连接，但没有响应。
   *[other] 网关（进程 { $pid }）接受连接，但没有响应。
}
finding-lock-held = 由正在运行的网关持有。
finding-lock-free = 没有被占用。
finding-lock-stuck = { $pid ->
    [0] 另一个进程持有网关的锁，但没有程序在监听。
   *[other] 网关的锁由进程 { $pid } 签署并仍被持有，但没有程序在监听。
}
finding-socket-left = { $pid ->
    [0] 上一个网关被强行终止或已崩溃，留下了它的套接字。
   *[other] 上一个网关（进程 { $pid }）被强行终止或已崩溃，留下了它的套接字。
}
finding-person-away = 你处于离开状态：智能体会被告知稍后再来。
finding-person-quiet = 勿扰或安静时段正在生效：只有紧急请求会弹出。
finding-guards-weak = 他人比默认情况下更容易代你回答：{ $what }。
finding-mend-guards = 如果不需要，请在启动网关时去掉该选项，或在设置中将其恢复为安全值。
finding-receipts-whole = 链条完整：{ $lines } 行。
finding-receipts-broken = 链条中断过 { $breaks } 次；有 { $lost } 个被搁置的日志已不存在。
finding-receipts-unread = 无法读取凭据日志。
finding-mend-receipts = 请检查那段时间前后批准的内容。如果你没有改动主文件夹，那就是其他程序改动的。
finding-heard-none = 还没有。
finding-heard = { $agent ->
    [0] 智能体
   *[other] { $agent }
}，经由{ $transport ->
    [0] 终端
   *[other] {" "}{ $transport }
}{ $token ->
    [0] {""}
   *[other] ，令牌 { $token }
}，协议{ $protocol ->
    [0] 未知
   *[other] {" "}{ $protocol }
}，{ $declared ->
    [0] 未声明能力
   *[other] 声明 { $declared }
}；等待 { $seconds } 秒，最近一次 { $last }
finding-window-there = 网关有窗口。
finding-window-missing = 正在运行的网关没有窗口，尽管可以显示窗口：启动它时没有图形显示。
finding-window-none = 网关在没有窗口的情况下运行；可以在浏览器中查看。
finding-mend-end-gate = 请终止它；已存储的内容不会丢失，下次调用会重新启动。
finding-mend-end-holder = 请终止持有它的进程；已存储的内容不会丢失。
finding-mend-start-again = 请重新启动；已存储的内容不会丢失。日志中可能有它终止的原因。
finding-mend-stop-older = 请停止它；下次调用会启动新版本，等待中的请求会保留。
finding-mend-away = 请告知你已回来。
finding-mend-quiet = 请在托盘菜单中关闭勿扰，或查看 `notifications.quiet_hours`。
finding-mend-window = 请停止它；下次调用或 `review-gate` 会启动桌面应用。等待中的请求会保留。

# HTTP 端口。
finding-http-off = HTTP 已关闭；客户端通过 `review-gate mcp` 连接网关。
finding-http-not-served = 设置中启用了 HTTP，但网关没有提供。
finding-http-answers = { $url } 有响应。
finding-http-another = 在 { $url } 响应的不是网关。
finding-http-unreachable = 无法连接 { $url }：{ $error }。
finding-http-silent = { $url } 在 { $seconds } 秒内没有响应。
finding-port-taken = { $served ->
    [0] 端口 { $port } 被其他程序占用：使用此端口的客户端会连到那个程序。
   *[other] 端口 { $port } 被其他程序占用：使用此端口的客户端会连到那个程序。网关改用 { $served }。
}
finding-mend-restart = 请重新启动。
finding-mend-http-another = 请重新启动网关：它会改用其他端口。
finding-mend-port = 请停止那个程序，或改用其他端口并告知通过 HTTP 连接的客户端。

# 记录及其备份和搜索索引。
finding-record-read-only = { $path } 不可写入。
finding-record-slow = 未能在 { $seconds } 秒内检查完。
finding-record-large = 可以打开；其中的 { $megabytes } MB 没有逐一检查。
finding-record-sound = 完好。
finding-record-counts = 完好；{ $conversations } 个对话，{ $messages } 条消息，{ $waiting } 个请求等待处理。
finding-record-unsound = 已损坏：{ $problem }。
finding-record-without-schema = 已损坏：无法读取其结构。
finding-record-behind = 已损坏：部分回复只存在于第二副本中。
finding-record-newer = 它由更新版本的 Review Gate 写入，当前程序不会改动它。
finding-backup-bad = { $others ->
    [0] { $name } 无法恢复：{ $problem }。
   *[other] { $name } 无法恢复：{ $problem }。另有 { $others } 份也无法恢复。
}
finding-backups-off = 已关闭备份。
finding-backups-none = 还没有备份；网关运行时每 { $hours } 小时备份一次。
finding-backups-old = 最新的备份比最近的更改早 { $behind } 小时；应每 { $hours } 小时备份一次。
finding-backups-good = 共 { $count } 份；最新的一份是 { $hours } 小时前的。
finding-search-good = 已有。
finding-search-empty = 索引是空的；网关会重新建立。
finding-search-none = { $file } 不是搜索索引。
finding-search-not-yet = 首次需要时会建立。
finding-mend-writable = 请设为可写。
finding-mend-record = 请重新启动网关：它会用备份恢复记录，并保留损坏的文件。
finding-mend-newer = 请更新当前程序，或将 REVIEW_GATE_HOME 设为其他文件夹。
finding-mend-backups-off = 请设置 `storage.backups`，或现在备份一次。
finding-mend-backups-old = 请现在备份一次，并在日志中查看网关没有备份的原因。
finding-mend-search = 请在没有网关运行时删除它；它会根据记录重新建立。

# 桌面：图形显示、通知、托盘。
finding-systems-own = 由系统提供。
finding-display-reached = 可以连接 { $display }。
finding-display-unreachable = 无法连接所指定的图形显示：{ $tried }。
finding-display-unnamed = 此处没有指定图形显示（DISPLAY、WAYLAND_DISPLAY）：从这里启动的网关没有窗口。
finding-display-none = 没有指定；网关在没有窗口的情况下运行。
finding-desktop-unneeded = 不显示窗口时不需要。
finding-bus-unnamed = 无法连接会话总线：DBUS_SESSION_BUS_ADDRESS 没有指定。没有程序显示通知，也没有托盘。
finding-bus-unreachable = 无法连接会话总线：{ $error }。没有程序显示通知，也没有托盘。
finding-bus-silent = 无法连接会话总线：{ $seconds } 秒内没有响应。没有程序显示通知，也没有托盘。
finding-bus-missing = 无法连接会话总线。
finding-notifications-run = 正在运行。
finding-notifications-on-demand = 需要时会启动。
finding-notifications-none = 会话总线上没有程序显示通知：窗口隐藏时收到的请求不会有提示。
finding-tray-there = 有托盘。
finding-tray-none = 桌面没有托盘（StatusNotifierWatcher）：看不到应用的图标及其菜单。
finding-mend-display = 请在桌面自身的会话中运行；经过 `su`、`sudo` 或 SSH 时变量不正确。在此期间可以用浏览器查看网关。
finding-mend-display-unnamed = 请在桌面自身的会话中启动桌面应用，或在浏览器中回答。
finding-mend-session = 请在桌面自身的会话中启动桌面应用。
finding-mend-notifications = 请启动桌面的通知服务，或安装一个，例如 dunst。
finding-mend-tray = 请打开桌面的托盘；在 GNOME 中请安装扩展 AppIndicator。窗口不受影响。

# 语音。
finding-voice-off = 已在设置中关闭。
finding-voice-missing = { $program } 旁边没有 { $name }。
finding-voice-other-version = { $program } 是版本 { $theirs }，而当前程序是版本 { $ours }。
finding-voice-ends = { $program } 无法运行：{ $words ->
    [0] 没有说明原因
   *[other] { $words }
}。
finding-voice-hangs = { $program } 没有响应。
finding-microphones = { $others ->
    [0] { $name }
   *[other] { $name }，另有 { $others } 个
}
finding-microphone-unneeded = 只有语音需要麦克风。
finding-microphone-none = 没有麦克风。
finding-microphone-no-device = 没有录音设备，也没有音频服务。
finding-microphone-unplugged = { $server } 正在运行；没有接入录音设备。
finding-microphone-closed = 有 { $count } 个录音设备，{ $server ->
    [0] 没有音频服务
   *[other] { $server } 正在运行
}，但都无法打开。
finding-model-cut = { $name } 有 { $bytes } 字节，应为 { $whole } 字节：文件不完整，或是其他文件。
finding-model-none = 还没有：回复可以键入，但不能用语音。
finding-model-missing = 没有设置中指定的 { $name }。
finding-model-no-detector = 缺少用于区分语音与静音的小模型。
finding-mend-install-all = 请重新安装 Review Gate，并让它的所有程序位于同一个文件夹。
finding-mend-voice = 请安装它缺少的内容；在 Linux 上是 ALSA 的库 libasound2。
finding-mend-plug = 要用语音回复，请接上麦克风；键入则不需要。
finding-mend-sound-server = 请检查音频服务是否正在运行，以及你是否有权使用音频（audio 组）。
finding-mend-get = 请下载。
finding-mend-get-again = 请重新下载。
finding-mend-model-none = 要用语音回复，请下载一个；它只在本机使用。
finding-mend-model-missing = 请下载它，或在设置中选择其他模型。

# 客户端的配置。
finding-clients-none = 没有客户端的配置包含 Review Gate，本机上也没有它认识的客户端。
finding-clients-unconnected = 没有客户端的配置包含 Review Gate。本机上有：{ $clients }。
finding-clients-in-folders = { $client } 只在 { $folders } 中已连接：在其他文件夹中，它的智能体无法向你提问。
finding-mend-connect-everywhere = 在所有文件夹中连接它。
finding-clients-others = 在本机上但未连接：{ $clients }。
finding-entry-of-v2 = { $file } 中有 Review Gate V2 的条目 { $name }：智能体会向它提问。
finding-entry-again = { $file } 中有 { $count } 个 Review Gate 的条目：{ $others } 和 { $last }。智能体会重复看到每个工具。
finding-entry-good = { $file } 会启动 { $command }。
finding-entry-empty = { $file } 中的条目既没有命令，也没有 URL。
finding-entry-time-out = { $client } 等到其默认时间就不再等你：{ $file } 没有设置更长的时间。
finding-entry-asks-first = { $client } 可能在每次调用网关的工具之前先问你：没有事先允许它们。
finding-entry-may-ask = { $client } 可能在每次调用网关的工具之前先问你；你是否已在其中允许它们，从这里看不到。
finding-entry-not-on-path = { $file } 会启动 `{ $command }`，但 PATH 中没有它。
finding-entry-missing = { $file } 会启动 { $command }，但它不存在。
finding-entry-not-executable = { $file } 会启动 { $command }，但它没有执行权限。
finding-entry-no-server = { $file } 启动 { $command } 时第一个参数不是 `mcp`，因此不是 MCP 服务器。
finding-entry-other-home = { $file } 将 REVIEW_GATE_HOME 设为 { $theirs }，因此它的智能体会向另一个数据目录的网关提问，而不是当前的 { $ours }。
finding-entry-url = { $file } 指向 { $url }，网关正在那里提供 HTTP。
finding-entry-url-elsewhere = { $file } 指向 { $url }，而网关在 { $served } 提供服务。
finding-entry-url-unserved = { $file } 指向 { $url }；目前没有网关提供 HTTP。
finding-mend-clients-none = 请安装一个智能体，或按“连接”页面的说明手动连接。
finding-mend-connect = 请连接一个。
finding-mend-take-over = 请让 Review Gate 接管它。
finding-mend-leave-one = 请只保留其中一个。
finding-mend-entry-empty = 请重新写入。
finding-mend-time-out = 请设置它；智能体就不必频繁询问你是否已回答。
finding-mend-asks-first = 请允许其智能体无需确认即可提问；此项仅适用于这个服务器。
finding-mend-entry-path = 请改用当前程序的路径。
finding-mend-entry-home = 请重新写入该条目，或检查那个数据目录。
finding-mend-entry-url = 请改用命令而不是地址：无论网关在哪里，它都能找到。

# 权限请求。
finding-questions-good = 其智能体会在这里询问是否允许：由 { $file } 设置。试问往返用时 { $milliseconds } 毫秒，没有打扰任何人。
finding-questions-untried = 其智能体会在这里询问是否允许：由 { $file } 设置。未试问：没有支持试问的网关在运行。
finding-questions-tool = 其智能体会通过网关的工具在这里询问是否允许：由 { $file } 设置。
finding-questions-unasked = { $file } 让其智能体在这里询问是否允许；试问在 { $milliseconds } 毫秒内到达。目前不会询问任何人：{ $why ->
    [off] 此类询问已在这里关闭。
    [away] 你已离开。
    [nobody] 没有窗口、页面，也没有可作决定的终端。
   *[other] 网关无法读取所询问的内容。
}
finding-questions-other-home = { $file } 让其智能体询问 { $theirs } 的网关，而当前网关在 { $ours }。
finding-questions-foreign = { $file } 让其智能体在这里询问是否允许。未试问：其内容与本程序的 install 所写入的不同。
finding-questions-silent = { $file } 让其智能体通过 { $command } 在这里询问是否允许，但试问时它在 { $seconds } 秒内没有结束。
finding-questions-ended = { $file } 让其智能体通过 { $command } 在这里询问是否允许，但试问时它{ $code ->
    [0] 被信号终止
   *[other] 以代码 { $code } 结束
}。{ $words ->
    [0] 没有任何输出。
   *[other] 输出：{ $words }
}
finding-questions-printed = { $file } 让其智能体通过 { $command } 在这里询问是否允许，但没有询问任何人时它就自行回答了试问：{ $words }
finding-questions-lost = { $file } 让其智能体通过 { $command } 在这里询问是否允许，但试问没有到达当前网关。它可能是较旧的版本，或询问的是另一个主目录的网关。
finding-questions-there = { $client } 只在自己的终端中询问是否允许。
finding-questions-missing = { $client } 本应在这里询问是否允许，但 { $file } 启动的 { $program } 不存在或没有执行权限。
finding-questions-unknown = { $client } 本应在这里询问是否允许，但 { $file } 启动的 { $program } 不支持此功能，可能是较旧的版本。
finding-questions-untrusted = { $client } 尚未运行 { $file } 中的钩子：你还没有让它信任该钩子。
finding-questions-twice = { $client } 每次都会在这里询问两遍，因为以下文件都有设置：{ $files }。
finding-mend-questions-there = 请让它也在这里询问：只有你允许的才会被允许。
finding-mend-questions-anew = 请重新写入。
finding-mend-questions-untrusted = 请启动 { $client }，并在它询问时信任该钩子。
finding-mend-questions-twice = 请只保留其中一个。
finding-mend-questions-on = 请在设置中开启。

# 试运行的结果。
finding-trial-good = 已启动并有响应：{ $tools } 个工具，往返记录用时 { $milliseconds } 毫秒。
finding-trial-other-version = 有响应，版本是 { $theirs }；当前程序是版本 { $ours }。
finding-trial-without-gate = 未试运行：网关本身没有响应。
finding-trial-too-many = 未试运行：不同的命令超过 { $count } 个。
finding-trial-silent = { $command } 已启动，但在 { $seconds } 秒内没有响应 `{ $asked }`。
finding-trial-ended = { $command } 已启动，但没有响应 `{ $asked }`：{ $code ->
    [0] 它被强行终止
   *[other] 它以代码 { $code } 退出
}。{ $words ->
    [0] 没有输出。
   *[other] 输出：{ $words }
}
finding-trial-no-mcp = { $command } 已启动，但不使用 MCP。输出：{ $words }
finding-trial-no-answer = { $command } 已启动，但不使用 MCP。输出：{ $count } 行均不是响应
finding-trial-refused = { $command } 已启动，但拒绝了 `{ $asked }`：{ $words ->
    [0] 没有说明原因
   *[other] { $words }
}
finding-trial-another = { $command } 是另一个程序 { $name } 的服务器。
finding-trial-no-chat = { $command } 没有向你提问的工具 review_gate_chat。
finding-mend-trial-other-version = 请停止较旧的网关，或用当前程序重新写入该条目。
finding-mend-trial-refused = 请在终端中启动网关，查看它缺少什么。

# 测试请求的结果。
finding-seen-in-window = 已看到，并在 { $seconds } 秒后于窗口中回答。
finding-seen-in-browser = 已看到，并在 { $seconds } 秒后于浏览器中回答。
finding-seen-in-terminal = 已看到，并在 { $seconds } 秒后于终端中回答。
finding-seen-by-script = 已看到，并在 { $seconds } 秒后由脚本回答。
finding-seen-in-notification = 已看到，并在 { $seconds } 秒后通过通知上的按钮回答。
finding-seen-closed = 已看到，并在 { $seconds } 秒后关闭。
finding-unseen = 已显示，但 { $seconds } 秒内没有人回答或关闭它。
finding-unseen-without-window = 网关没有窗口，{ $seconds } 秒内也没有人在浏览器或终端中回答。
finding-mend-unseen = 如果你看到了，就一切正常。如果没有，请调出窗口，并看看它是否在其他工作区或屏幕上。
finding-mend-browser = 请在浏览器中查看网关。

# 提示词。
finding-prompts-not-fetched = { $cause } 目前提供的是上次成功获取（{ $at }）时的内容。
finding-prompts-never-fetched = { $cause } 此前从未获取过。
finding-prompts-broken = 有 { $count } 个提示词文件已损坏。
finding-prompts-served = 正在提供 { $count } 个提示词。
finding-mend-prompts = 请按列表所示的行和列修正。
