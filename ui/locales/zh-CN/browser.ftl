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

browser-none = 此浏览器尚未登录
browser-before = 请重新登录一次
browser-before-more = Review Gate 已更新。它不再给浏览器发放 Cookie，因为这台机器上的其他服务器也能看到；现在由此浏览器生成一把不会离开它的密钥。
browser-used = 此链接已被使用
browser-used-more = 每个链接只能让一个浏览器登录一次。如果使用它的人不是你，运行 review-gate link --sign-out 可让所有浏览器退出登录。
browser-expired = 此链接已过期
browser-expired-more = 链接在十分钟内有效。
browser-unknown = 无法识别此链接
browser-unknown-more = 链接可能在复制时被截断，或者 Review Gate 之后重新启动过。
browser-insecure = 此浏览器无法在这个地址登录
browser-insecure-more = 只有在本机的地址（例如 localhost）或使用 https 时，浏览器才提供用于签名的密钥。否则，从别处传来的内容可能在途中被读取或篡改。
browser-insecure-how = 在你所用的机器上打开终端，转发端口：
browser-insecure-then = 然后在那里打开 review-gate link 给出的链接，它以 http://localhost:{ $port } 开头。

browser-signed-out = 你已退出登录
browser-signed-out-how = 在运行 Review Gate 的机器上打开终端，输入
browser-signed-out-then = 然后在此浏览器中打开它打印的链接。链接只能使用一次，十分钟内有效；此页面随后会自动继续，已写的内容会保留。

browser-link-refused = 不能打开此链接。
browser-link-mend = 只能打开 https、http 和 mailto 链接。
