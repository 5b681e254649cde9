# A reply’s receipt: what the reply is good for, until when, who can check that, and revoking it.
receipt-label = Receipt { $id }
receipt-held = Not good yet: until { $at } the reply can be taken back.
receipt-withdrawn = Revoked: { $at }. That can’t be undone.
receipt-expired = Its time is over: it was good until { $at }.
receipt-set-aside = It counts, but its log was set aside: a line that revoked it may have been lost.
receipt-for = Stands for
receipt-for-tree = this tree on this base, as it was shown. For any other it takes a new approval.
receipt-for-changes = the question and its changes, as they were shown.
receipt-for-question = the question, as it was shown.
receipt-tree = Tree
receipt-tree-copy = Copy the tree
receipt-base = Base
receipt-base-copy = Copy the base
receipt-good = Good
receipt-good-until = { $from } – { $until }
receipt-good-from = from { $from } on
receipt-level = Level
receipt-level-L0 = L0: any process could have given it. Nothing shows that it was you.
receipt-level-L1 = L1: given where it was shown, while you were there.
receipt-level-L2 = L2: given where it was shown, and confirmed to the system by you.
receipt-level-L3 = L3: given where it was shown, and signed by your security key when you touched it.
receipt-digest = Receipt
receipt-digest-copy = Copy the receipt
receipt-check = To check it
receipt-check-copy = Copy the command
receipt-revoke = Revoke…
receipt-revoke-label = Revoke the receipt
receipt-revoke-ask = { $decision ->
    [approved] Revoke this approval?
   *[other] Revoke this reply?
}
receipt-revoke-what = From now on it is good for nothing: review-gate verify and git’s hooks refuse it. What was done with it stays done. It can’t be undone: to give it again, it has to be asked again.
receipt-revoke-yes = Revoke
receipt-revoke-no = Keep
