# 程序不含页面时浏览器显示的内容：标题、正文、要输入的命令，以及命令的作用。反引号之间是命令。由网关显示。

sign-in-not-built = 此程序不含页面
sign-in-not-built-text = 构建此程序时页面尚未构建。在代码仓库中输入
sign-in-not-built-then = 它会构建两者并启动 Review Gate。
