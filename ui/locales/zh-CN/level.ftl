# 需要更可靠时，除操作本身之外还需要什么：在操作之前和等待期间说明。
level-needs = { $level ->
    [L2] 这需要在系统自己的提示中输入你的系统密码或验证指纹（L2）。
   *[other] 这需要你触碰安全密钥（L3）。
}
level-nothing = 这需要由系统或安全密钥确认，而这里都没有。
level-no-key = 这需要安全密钥，但尚未登记任何密钥。设置 → 安全密钥。
level-no-program = 这需要安全密钥，但找不到 { $program }：请安装 OpenSSH 并重新启动 Review Gate，或在浏览器中它的页面上添加密钥。
level-page-key = 你的安全密钥在浏览器中的 Review Gate 页面 { $page } 上使用：请在那里批准。
level-key-elsewhere = 你的安全密钥是在 { $page } 的页面上添加的，而现在页面不在那里。设置 → 安全密钥。
level-open-localhost = 安全密钥只能在 { $page } 的页面上使用：请在那里打开（review-gate link）。
level-no-webauthn = 此浏览器无法使用安全密钥（WebAuthn）：请在支持它的浏览器中打开页面。
level-service-absent = 这需要你的系统密码或指纹，但负责询问的服务尚未安装：sudo review-gated install。也可以用安全密钥：设置 → 安全密钥。
level-service-silent = 这需要你的系统密码或指纹，但负责询问的服务 review-gated 没有应答：review-gated status 会说明详情。
level-service-version = 这需要你的系统密码或指纹，但负责询问的服务版本不同：sudo review-gated install。
level-service-root = 这需要你的系统密码或指纹，但系统不会向 root 询问：请以你自己的用户运行 Review Gate。
level-service-polkit = 这需要你的系统密码或指纹，但负责询问的 polkit 不存在或不知道该操作：review-gated status 会说明缺少什么。
level-service-rule = 这需要你的系统密码或指纹，但 polkit 的一条规则使其不再询问：请在 /etc/polkit-1/rules.d 中查找 org.reviewgate.confirm。
level-waits = { $level ->
    [L2] 请在系统的提示中确认……
   *[other] 请触碰你的安全密钥……
}
level-digits = 仅当系统的提示显示这些数字时才确认：{ $digits }
level-cancel = 取消
