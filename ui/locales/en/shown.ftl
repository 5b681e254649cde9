# What of a text nobody would see, or would take for something else. $code is a code point like U+202E, $name what
# Unicode calls it, which may be empty.
shown-unseen = { $code } { $name }: nobody sees this character
shown-turns = { $code } { $name }: turns the direction in which text is read
shown-blank = { $code } { $name }: a blank, but not the usual one
shown-alike = { $code } { $name }: looks like “{ $like }” and is another letter
shown-script = { $code }: a letter of another script within this word
shown-spaces = { $n ->
    [one] { $n } blank
   *[other] { $n } blanks
}
shown-spaces-about = { $n ->
    [one] { $n } blank, folded: it would push what follows far away
   *[other] { $n } blanks, folded: they would push what follows far away
}
shown-lines = { $n ->
    [one] { $n } empty line
   *[other] { $n } empty lines
}
shown-lines-about = { $n ->
    [one] { $n } empty line, folded: it would push what follows far away
   *[other] { $n } empty lines, folded: they would push what follows far away
}

# Words that Markdown leaves out.
shown-dropped = hidden:
shown-dropped-about = Markdown wouldn’t show this: it was sent, and is part of the message.
shown-picture = picture, not loaded:

# The message as it was sent.
shown-source-changed = This isn’t the message that stands here: the question was changed meanwhile.
