# Reviews: proposals of agents that other agents review, and the person's part in them.
reviews-turn-person = Your turn
reviews-turn-reviewer = The reviewer’s turn
reviews-turn-proposer = The proposer’s turn
reviews-turn-decided = Decided
reviews-count-more = { $n }+
reviews-filter = Where they stand
reviews-filter-all = All
reviews-none-so = No review stands so.
reviews-show-all = Show all
reviews-choose = Choose a review to read it.

# Where a review stands.
reviews-status-created = Waits for a reviewer
reviews-status-claimed = Under review
reviews-status-in_discussion = In discussion
reviews-status-awaiting_person = Waits for you
reviews-status-approved = Approved
reviews-status-rejected = Changes requested
reviews-status-closed = Closed
reviews-outcome-applied = Applied
reviews-found-exact = Applied as approved
reviews-found-equivalent = Applied as approved
reviews-found-unchecked = Applied
reviews-found-differs = Applied, not as approved
reviews-found-missing = Applied, not found
reviews-outcome-not_applied = Not applied
reviews-outcome-abandoned = Abandoned
reviews-outcome-withdrawn = Withdrawn
reviews-outcome-superseded = Superseded
reviews-outcome-expired = Expired
reviews-approved-agent = Approved by agents, not by you
reviews-approved-person = Approved by you
reviews-priority-high = high
reviews-priority-critical = critical
reviews-stale = stale
reviews-stale-means = Doesn’t apply any more
reviews-unsent = not sent
reviews-unsent-round = { $n ->
    [one] { $n } comment on round { $round } isn’t sent.
   *[other] { $n } comments on round { $round } aren’t sent.
}
reviews-unsent-open = Open round { $n }

# Who has it, and what it needs.
reviews-whom = { $proposer } → { $holder }
reviews-lease = { $time } left
reviews-lease-over = time is over
reviews-pool-holds = a program of your pool reviews it
reviews-labels-more = +{ $n }
reviews-labels-all = Show all labels
reviews-labels-fewer = Show fewer labels
reviews-need-person = needs you alone
reviews-need-agents = { $n ->
    [one] needs { $n } agent
   *[other] needs { $n } agents
}
reviews-need-both = { $n ->
    [one] needs { $n } agent, and you
   *[other] needs { $n } agents, and you
}
reviews-approvals = { $have } of { $need } approved by agents

# What became of what was approved.
reviews-found-differs-commit = Commit { $commit } isn’t what was approved.
reviews-found-differs-files = The files in the work tree aren’t what was approved.
reviews-found-missing-commit = Commit { $commit } has nothing of what was approved.
reviews-found-missing-files = Neither the last commit nor the work tree has anything of what was approved.
reviews-found-paths = Otherwise than approved:
reviews-found-extra = Not approved:

# What is asked of the person.
reviews-asked = What is asked of you
reviews-asked-escalated = An agent asks you to decide round { $n }: { $agent }.
reviews-asked-escalated-pool = A program of your pool asks you to decide round { $n }: { $agent }.
reviews-asked-decision = Round { $n } waits for your decision.
reviews-asked-replied = You replied without a decision. The proposer is to say something; what it says next asks you again.
reviews-asked-unreviewed = Nobody has reviewed this. It stays in the queue; you can decide it yourself.

# What the person has decided, while it can be taken back.
reviews-decided = What you have decided
reviews-decided-approved = You approved round { $n }.
reviews-decided-changes_requested = You requested changes to round { $n }.
reviews-decided-then = It isn’t final for a moment: you can take it back, and no agent goes on until then.
reviews-deciding-approved = Approved by you, not final yet
reviews-deciding-changes_requested = Changes requested by you, not final yet
reviews-take-back = Take back
reviews-take-back-how = Then it waits for your decision again, in the inbox.
reviews-taken-back = Taken back. It waits for your decision again.

# Rounds.
reviews-round = round { $n }
reviews-rounds = Round
reviews-rounds-title = Rounds ([ and ])
reviews-round-approved = Round { $n }, approved
reviews-round-rejected = Round { $n }, changes requested
reviews-round-escalate = Round { $n }, handed to you
reviews-round-comment = Round { $n }, commented on
reviews-newest = To round { $n }, the newest
reviews-round-patch = made of a reviewer’s patch
reviews-round-carried = the same patch as round { $n }, whose approvals by agents hold
reviews-fits-unchecked = held against nothing: only its bytes are known
reviews-fits-commit = applies on { $base }
reviews-fits-applied = is what { $base } changed last
reviews-fits-worktree = applies on the files as they lie there, not committed
reviews-no-diff = This round has no changes to look at.
reviews-says-approved = approved
reviews-says-rejected = requested changes
reviews-says-comment = commented
reviews-says-escalate = handed it to you

# What whoever says something is, by the gate's word: beside each name, which its bearer chose.
reviews-is-person = (the person)
reviews-is-recorded = (recorded as yours; any process could have given it, L0)
reviews-is-proposer = (proposer, an agent)
reviews-is-reviewer = (reviewer, an agent)
reviews-is-pool = (reviewer, a program of your pool)

# Threads, and what is said to all.
reviews-whole-file = On the whole file
reviews-comment = Comment
reviews-discard = Discard
reviews-discarded = What you wrote was discarded.
reviews-draft-late = Round { $n } has come since you wrote this. It isn’t sent.
reviews-draft-carry = Carry it over to round { $n }
reviews-draft-over = The review is over, and this can’t be sent.
reviews-draft-copy = Copy what you wrote
reviews-carried-about = On { $place } of round { $n }:
reviews-answer = Answer
reviews-answer-label = Answer in the thread on { $where }
reviews-answer-hint = Answer…
reviews-answer-send = Send the answer
reviews-resolve = Resolve
reviews-reopen = Open again
reviews-resolved = Resolved: “{ $words }”
reviews-resolved-so = resolved
reviews-thread-from = from round { $n }
reviews-lines-gone = On lines that aren’t in these changes any more
reviews-elsewhere = Threads on other rounds
reviews-elsewhere-where = round { $n } · { $place }
reviews-loose = Threads on files that this round doesn’t change
reviews-messages = Said to all
reviews-say = Say something to all who are in it…
reviews-send = Send

# Other reviews that change the same files.
reviews-overlaps = { $n ->
    [one] Another review changes these files, too:
   *[other] { $n } other reviews change these files, too:
}
reviews-overlaps-more = +{ $n }
reviews-overlaps-all = Show all of them

# What the programs of the person’s pool did.
reviews-runs-title = Runs of your pool
reviews-runs = { $n ->
    [one] { $n } run of your pool
   *[other] { $n } runs of your pool
}
reviews-runs-failed = { $n } failed
reviews-run-answered = gave its verdict
reviews-run-late = was ended, or came too late
reviews-run-not_started = couldn’t be started
reviews-run-timed_out = took too long
reviews-run-too_much_output = printed too much
reviews-run-unusable = its answer can’t be read
reviews-run-crashed = { $code ->
    [-1] was ended
   *[other] ended with code { $code }
}
reviews-run-not_taken = its answer was refused
reviews-run-printed = The last that { $program } printed

# Patches.
reviews-patches = Patches
reviews-patch = Patch
reviews-patch-for = for round { $n }
reviews-patch-approves = its author’s approval comes with it
reviews-patch-accept = Accept as round { $n }
reviews-patch-reject = Reject…
reviews-patch-ask-accept = It becomes round { $n }, and approvals of the round before count no more. This isn’t your approval.
reviews-patch-ask-reject = Its author is told that the review goes on without it.
reviews-patch-yes-accept = Make it round { $n }
reviews-patch-yes-reject = Reject the patch
reviews-patch-accepted = accepted
reviews-patch-rejected = rejected
reviews-patch-superseded = a newer round took its place

# What the person does.
reviews-decide = Decide…
reviews-take = Take over
reviews-decide-how = You decide in the inbox, where it can be taken back.
reviews-take-how = Takes it from the agents; you decide in the inbox.
reviews-give-back = Give back
reviews-given-back = Given back to the agents.
reviews-end = End…
reviews-end-ask = End this review? Nobody can review it any more, and it can’t be taken back.
reviews-end-yes = End the review
reviews-end-no = Go on with it
reviews-over = This review is over: { $how }.
reviews-over-unsent = What you wrote wasn’t sent; it stays here.

# No review yet.
reviews-empty-title = No agent has proposed anything yet
reviews-empty-lead = Here one agent proposes a change, another reviews it, and you see both. Nobody reviews its own work, an agent’s approval is never yours, and you can take over any review.
reviews-empty-connect = Connect two agents
reviews-empty-how = Each needs the review tools beside those that it has. Add this to both:
reviews-empty-http = Over HTTP each needs a token of its own for the folder of the project (review-gate token create NAME --folder DIR), with the path { $path }.
reviews-empty-tell = Then tell the one:
reviews-empty-propose = “Before you commit, propose the change with submit_proposal and wait for its review.”
reviews-empty-other = And the other:
reviews-empty-review = “Review what others propose: claim_review, read it, submit_verdict, and begin again.”

# The sheet of keys.
reviews-key-take = Decide, or take over
reviews-key-rounds = The round before and after
reviews-key-write = Write to all
reviews-key-diff = To the changes
reviews-key-fresh = In the changes: what changed since the round before

# Above a request that asks the person to decide a round.
reviews-asks-round = A review, round { $n }
reviews-asks-open = Read the review
