# 浏览器中的页面：与 Review Gate 的连接，以及登录。

browser-gone = Review Gate 没有响应。
browser-gone-mend = 页面会自动重试，你写的内容会保留。如果它已停止，请运行 `review-gate serve`。
browser-replaced = 此页面已暂停：更新的页面正在显示 Review Gate。
browser-replaced-mend = 一个浏览器最多同时显示四个页面。
browser-here = 在此继续
browser-outdated = Review Gate 已更新。
browser-outdated-mend = 重新加载此页面即可使用新版本；草稿会保留。
browser-incomplete = 此页面的一部分无法加载。
browser-incomplete-mend = 请重新加载；草稿会保留。
browser-reload = 重新加载

browser-signed-out = 你已退出登录
browser-signed-out-how = 在运行 Review Gate 的机器上打开终端，输入
browser-signed-out-then = 然后在此浏览器中打开它打印的链接，此页面会自动继续。在你关闭页面之前，已写的内容会保留。

browser-link-refused = 不能打开此链接。
browser-link-mend = 只能打开 https、http 和 mailto 链接。
