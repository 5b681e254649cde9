# 已登录 Review Gate 页面的浏览器。
browsers-title = 浏览器
browsers-lead = 已登录的浏览器显示与此处相同的内容，并可以替你回答。72 小时无人使用的浏览器会退出登录。
browsers-list = 已登录的浏览器
browsers-none = 没有浏览器登录。此处或托盘菜单中的“在浏览器中打开”会让你的浏览器登录；在别处，`review-gate link` 会给出链接。
browsers-none-page = 没有浏览器登录。

# 浏览器的自称：Firefox（Linux）。
browsers-on = { $name }（{ $system }）
browsers-unknown = 浏览器
browsers-here = 此浏览器
browsers-open = 页面正打开
browsers-used = 最近使用：{ $age }
browsers-used-lately = 一小时内使用过
browsers-since = { $age }登录
browsers-by-person = 通过你的链接
browsers-by-script = 通过脚本的链接：它的回答按脚本计

browsers-open-one = 在浏览器中打开
browsers-sign-out = 退出登录
browsers-sign-out-name = 让 { $name } 退出登录
browsers-sign-out-ask = 再次登录需要新的链接。在其中写下的内容会保留。
browsers-sign-out-all = 全部退出登录
browsers-sign-out-all-ask = 每个浏览器再次登录都需要新的链接，尚未使用的链接也会作废。
browsers-keep = 保持登录

# 有浏览器登录时的提示。
browsers-signed-in = { $name } 已登录 { $address } 的页面。
browsers-signed-in-script = { $name } 已通过脚本的链接登录 { $address } 的页面。
browsers-show = 查看
