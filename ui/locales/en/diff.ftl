# The changes that come with a request.
diff-changes = Changes
diff-grid = Changed lines
diff-toolbar = What is shown of the changes
diff-file-count = { $n ->
    [one] { $n } file
   *[other] { $n } files
}
diff-comments = { $n ->
    [one] { $n } comment
   *[other] { $n } comments
}
diff-lines-added = { $n ->
    [one] { $n } line added
   *[other] { $n } lines added
}
diff-lines-removed = { $n ->
    [one] { $n } line removed
   *[other] { $n } lines removed
}

# A file.
diff-renamed = { $alike ->
    [-1] renamed from { $path }
   *[other] renamed from { $path }, { $alike }% alike
}
diff-copied = { $alike ->
    [-1] copied from { $path }
   *[other] copied from { $path }, { $alike }% alike
}
diff-added-file = new file
diff-deleted-file = deleted
diff-binary = A binary file. Its content isn’t shown.
diff-only-renamed = Only its name changed.
diff-only-mode = No changed lines: its mode or another property changed.
diff-empty-file = An empty file.
diff-nothing-fresh = Nothing in it changed since your last answer.
diff-copy-path = Copy the path
diff-viewed = Viewed
diff-viewed-hint = Mark as viewed and fold it away (V)
diff-viewed-count = { $n } of { $of } viewed

# What is odd about it.
diff-kind = { $kind ->
    [program] executable
    [link] symbolic link
    [module] submodule
   *[other] mode { $mode }
}
diff-mode-changed = { $is ->
    [program] executable now
    [link] symbolic link now
    [module] submodule now
   *[other] { $was ->
        [program] no longer executable
        [link] no longer a symbolic link
        [module] no longer a submodule
       *[other] another mode
    }
} ({ $old } → { $new })
diff-is-binary = { $sizes ->
    [none] binary
   *[other] binary, { $sizes }
}
diff-sizes = { $old } → { $new }
diff-line-ends = line ends: { $old ->
    [lf] LF
    [crlf] CRLF
   *[mixed] mixed
} → { $new ->
    [lf] LF
    [crlf] CRLF
   *[mixed] mixed
}
diff-line-ends-mixed = mixed line ends
diff-no-lines = No changed lines.
diff-outside = Outside of the changes
diff-outside-lines = In the diff’s text, but part of no change
diff-end-crlf = CRLF
diff-end-crlf-about = This line ends with a carriage return and a line feed; others in this file don’t.
diff-end-nothing = no line break
diff-end-nothing-about = The file ends here without a line break.

# The tree of files.
diff-files = Files
diff-filter = Filter the files
diff-filter-none = No file has such a path.

# Compared with what the person answered before.
diff-since-new = new since then
diff-since-changed = changed since then
diff-since-same = as you last saw it
diff-fresh = changed since your last answer
diff-fresh-only = Only what changed since your last answer
diff-fresh-count = { $n } of { $of } changed since your last answer
diff-all-seen = Nothing changed since your last answer.

# Compared with an earlier round of a review.
diff-round-new = new in this round
diff-round-changed = changed in this round
diff-round-same = as in round { $round }
diff-round-fresh = not so in round { $round }
diff-round-fresh-only = Only what changed since round { $round }
diff-round-fresh-count = { $n } of { $of } changed since round { $round }
diff-round-all-seen = Nothing changed since round { $round }.
diff-round-nothing-fresh = Nothing in it changed since round { $round }.
diff-round-seen-open = { $n ->
    [one] { $n } line as in round { $round }
   *[other] { $n } lines as in round { $round }
}
diff-round-seen-close = { $n ->
    [one] Fold { $n } line as in round { $round }
   *[other] Fold { $n } lines as in round { $round }
}

# Rows that are folded away.
diff-context-open = { $n ->
    [one] { $n } unchanged line
   *[other] { $n } unchanged lines
}
diff-context-close = { $n ->
    [one] Fold { $n } unchanged line
   *[other] Fold { $n } unchanged lines
}
diff-seen-open = { $n ->
    [one] { $n } line as you last saw it
   *[other] { $n } lines as you last saw them
}
diff-seen-close = { $n ->
    [one] Fold { $n } line as you last saw it
   *[other] Fold { $n } lines as you last saw them
}
diff-empty-open = { $n ->
    [one] { $n } empty line
   *[other] { $n } empty lines
}
diff-empty-close = { $n ->
    [one] Fold { $n } empty line
   *[other] Fold { $n } empty lines
}

# What a row is, for those who don't see it.
diff-row-added = Added, line { $line }
diff-row-removed = Removed, old line { $line }
diff-row-same = Line { $line }
diff-row-old = Old line { $line }
diff-row-none = Nothing on this side
diff-line-more = { $n } more characters
diff-line-rest = { $n } more characters, too many to show
diff-copy-line = Copy the whole line

# Comments.
diff-you = You
diff-line = line { $line }
diff-lines = lines { $start }–{ $line }
diff-old-line = old line { $line }
diff-old-lines = old lines { $start }–{ $line }
diff-comment-add = Comment on line { $line }
diff-comment-on = Comment on { $where }…
diff-comment-label = Comment on { $where }
diff-comment-edit = Edit comment
diff-comment-delete = Delete comment
diff-comment-save = Save comment
diff-comment-revert = Undo changes
diff-comment-discard = Discard

# Finding.
diff-find = Find in the changes

# How it looks.
diff-options = Options of the changes
diff-previous-change = Previous change
diff-next-change = Next change
diff-unified = unified
diff-split = side by side
diff-to-unified = Show in one column (T)
diff-to-split = Show side by side (T)
diff-wrap = Wrap long lines
diff-fold-all = Fold all files
diff-unfold-all = Unfold all files
diff-tab = Tab width

# The sheet of keys.
diff-keys-cross = To the changes
diff-keys-cross-back = Back to the message
diff-keys-lines = Move between lines; also J and K
diff-keys-choose = Choose several lines
diff-keys-comment = Comment on them; also C
diff-keys-finish = Finish the comment
diff-keys-change = Next, previous change
diff-keys-comments = Next, previous comment
diff-keys-file = Previous, next file
diff-keys-viewed = Viewed; fold the file
diff-keys-split = Side by side; wrap lines
diff-keys-fresh = Only what changed since your last answer
diff-keys-find = Find
