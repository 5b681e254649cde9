# 回复的回执：回复对什么有效、有效到何时、谁可以检查，以及吊销它。
receipt-label = 回执 { $id }
receipt-held = 尚未生效：在{ $at } 之前可以收回此回复。
receipt-withdrawn = 已吊销：{ $at }。无法撤销。
receipt-expired = 已过有效期：有效期到{ $at } 为止。
receipt-set-aside = 它仍然有效，但它的日志已被搁置：吊销它的记录可能已丢失。
receipt-for = 适用于
receipt-for-tree = 此基础上的此树，与显示的一致。其他任何内容都需要重新批准。
receipt-for-changes = 该问题及其更改，与显示的一致。
receipt-for-question = 该问题，与显示的一致。
receipt-tree = 树
receipt-tree-copy = 复制树
receipt-base = 基础
receipt-base-copy = 复制基础
receipt-good = 有效期
receipt-good-until = { $from } – { $until }
receipt-good-from = 自{ $from } 起
receipt-level = 级别
receipt-level-L0 = L0：任何进程都可能给出它。没有什么能表明是你本人。
receipt-level-L1 = L1：在显示它的地方给出，当时你在场。
receipt-level-L2 = L2：在显示它的地方给出，并由你向系统确认。
receipt-level-L3 = L3：在显示它的地方给出，并在你触碰安全密钥时由它签名。
receipt-digest = 回执
receipt-digest-copy = 复制回执
receipt-check = 检查方法
receipt-check-copy = 复制命令
receipt-revoke = 吊销…
receipt-revoke-label = 吊销回执
receipt-revoke-ask = { $decision ->
    [approved] 要吊销此批准吗？
   *[other] 要吊销此回复吗？
}
receipt-revoke-what = 从现在起它不再有效：review-gate verify 和 git 的钩子会拒绝它。已据此完成的事情不会改变。此操作无法撤销：要再次给出，必须重新提问。
receipt-revoke-yes = 吊销
receipt-revoke-no = 保留
