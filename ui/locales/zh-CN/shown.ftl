# 文本中看不见或容易被误认的内容。$code 形如 U+202E，$name 为其 Unicode 名称，可能为空。
shown-unseen = { $code } { $name }：看不见的字符
shown-turns = { $code } { $name }：会改变文字的阅读方向
shown-blank = { $code } { $name }：并非普通空格的空白
shown-alike = { $code } { $name }：看起来像“{ $like }”，其实是另一个字母
shown-script = { $code }：这个词里混入了另一种文字的字母
shown-spaces = { $n } 个空白
shown-spaces-about = { $n } 个空白，已折叠：它们会把后面的内容推到很远
shown-lines = { $n } 个空行
shown-lines-about = { $n } 个空行，已折叠：它们会把后面的内容推到很远

# Markdown 会略去的文字。
shown-dropped = 隐藏：
shown-dropped-about = Markdown 不会显示这段文字：它已随消息发送，是消息的一部分。
shown-picture = 图片，未加载：

# 消息原文。
shown-source-changed = 这不是此处显示的消息：提问在此期间已更改。
