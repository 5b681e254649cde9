# 浏览器尚未登录时显示的内容：标题、正文、要输入的命令，以及命令的作用。反引号之间是命令。由网关显示。

sign-in-none = 此浏览器尚未登录
sign-in-none-text = 在运行 Review Gate 的机器上打开终端，输入
sign-in-none-then = 然后在此浏览器中打开它打印的链接。链接只能使用一次，十分钟内有效。

sign-in-used = 此链接已被使用
sign-in-used-text = 每个链接只能让一个浏览器登录一次。要获取新链接，请在运行 Review Gate 的机器上打开终端，输入
sign-in-used-then = 如果使用它的人不是你，运行 `review-gate link --sign-out` 可让所有浏览器退出登录。

sign-in-expired = 此链接已过期
sign-in-expired-text = 链接在十分钟内有效。要获取新链接，请在运行 Review Gate 的机器上打开终端，输入
sign-in-expired-then = 然后在此浏览器中打开它打印的链接。

sign-in-unknown = 无法识别此链接
sign-in-unknown-text = 链接可能在复制时被截断，或者 Review Gate 之后重新启动过。要获取新链接，请在运行它的机器上打开终端，输入
sign-in-unknown-then = 然后在此浏览器中打开它打印的链接。

sign-in-not-built = 此程序不含页面
sign-in-not-built-text = 构建此程序时页面尚未构建。在代码仓库中输入
sign-in-not-built-then = 它会构建两者并启动 Review Gate。
