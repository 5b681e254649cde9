# 诊断的各项检查的名称，显示在窗口和终端中。由网关指定。
check-program = PATH 上的程序
check-desktop = 桌面应用
check-webkit = 桌面应用所需的库
check-system = 由系统确认（L2）
check-others = 其他程序的权限
check-home = 数据目录
check-disk = 磁盘空间
check-file-system = 文件系统
check-settings = 设置文件
check-gate = 正在运行的网关
check-lock = 锁文件
check-socket = 本地套接字
check-token = 令牌
check-http = HTTP 端口
check-database = 数据库
check-backups = 备份
check-search = 搜索索引
check-prompts = 提示词
check-display = 图形显示
check-window = 窗口
check-person = 你的状态
check-guards = 防护
check-receipts = 凭据
check-notifications = 通知服务
check-tray = 系统托盘
check-voice = 语音
check-microphone = 麦克风
check-model = 语音模型
check-clients = 智能体的客户端
check-popup = 测试请求
check-heard = 提过问题的智能体

# 客户端的配置（用户级或项目级），以及试运行其中的命令。
check-client = { $client }
check-client-project = { $client }（当前项目）
check-trial = { $client } 试运行
check-trial-project = { $client }（当前项目）试运行
