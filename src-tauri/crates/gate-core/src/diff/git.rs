//! The lines that git writes between `diff --git` and a file's first hunk (git's documentation, "Generating patch text
//! with -p"). A line that only looks like one is none.

use super::paths;

/// What a line of git's extended header says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// The contents by their ids; and the mode, where that stays as it is.
    Index(Option<String>),
    OldMode(String),
    NewMode(String),
    /// A new file with its mode.
    Created(String),
    Deleted(String),
    /// In percent.
    Similarity(u8),
    Dissimilarity,
    /// Where a file was renamed or copied from.
    From {
        renamed: bool,
        path: String,
    },
    To(String),
    /// A binary file without its content: what stands between `Binary files` and `differ`.
    Binary(&'a str),
    /// The data of a binary file follows.
    Patch,
}

/// What the line says; none where it is no line of such a header.
pub(super) fn line(text: &str) -> Option<Line<'_>> {
    let (word, rest) = text.split_once(' ')?;
    match word {
        "index" => index(rest),
        "old" => mode(rest.strip_prefix("mode ")?).map(Line::OldMode),
        "new" => match rest.strip_prefix("file mode ") {
            Some(created) => mode(created).map(Line::Created),
            None => mode(rest.strip_prefix("mode ")?).map(Line::NewMode),
        },
        "deleted" => mode(rest.strip_prefix("file mode ")?).map(Line::Deleted),
        "similarity" => percent(rest).map(Line::Similarity),
        "dissimilarity" => percent(rest).map(|_| Line::Dissimilarity),
        "rename" | "copy" => match rest.split_once(' ')? {
            ("from", path) => Some(Line::From { renamed: word == "rename", path: paths::of_rename(path) }),
            ("to", path) => Some(Line::To(paths::of_rename(path))),
            _ => None,
        },
        "Binary" => Some(Line::Binary(rest.strip_prefix("files ")?.strip_suffix(" differ")?)),
        "GIT" => (rest == "binary patch").then_some(Line::Patch),
        _ => None,
    }
}

fn index(rest: &str) -> Option<Line<'_>> {
    let (ids, kept) = rest.split_once(' ').map_or((rest, None), |(ids, kept)| (ids, Some(kept)));
    let are_ids = ids.contains("..") && ids.bytes().all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b'.' | b','));
    match kept {
        _ if !are_ids => None,
        Some(kept) => Some(Line::Index(Some(mode(kept)?))),
        None => Some(Line::Index(None)),
    }
}

/// Six octal digits.
fn mode(text: &str) -> Option<String> {
    (text.len() == 6 && text.bytes().all(|byte| matches!(byte, b'0'..=b'7'))).then(|| text.to_owned())
}

fn percent(text: &str) -> Option<u8> {
    text.strip_prefix("index ")?.strip_suffix('%')?.parse().ok().filter(|percent| *percent <= 100)
}

/// What begins the data of a binary patch: `literal BYTES`, or `delta BYTES`, which doesn't count the file's own.
pub(super) fn data(line: &str) -> Option<Option<u32>> {
    match line.split_once(' ')? {
        ("literal", bytes) => bytes.parse().ok().map(Some),
        ("delta", bytes) => bytes.parse::<u32>().ok().map(|_| None),
        _ => None,
    }
}

/// Whether the line is data of a binary patch: how many bytes it holds, and these in git's base 85.
pub(super) fn is_data(line: &str) -> bool {
    let Some((first, rest)) = line.as_bytes().split_first() else { return false };
    let bytes = match first {
        b'A'..=b'Z' => first - b'A' + 1,
        b'a'..=b'z' => first - b'a' + 27,
        _ => return false,
    };
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&()*+-;<=>?@^_`{|}~".contains(byte);
    rest.len() == usize::from(bytes).div_ceil(4) * 5 && rest.iter().all(is_digit)
}

#[cfg(test)]
mod tests {
    use super::{Line, data, is_data, line};

    #[test]
    fn what_only_looks_like_a_header_is_none() {
        for text in [
            "index of what to approve",
            "index 123..456 and more",
            "old mode of working",
            "new file mode 100644 is fine",
            "similarity index 900%",
            "rename this please",
            "Binary files are fine",
            "GIT binary patches",
            "index",
        ] {
            assert_eq!(line(text), None, "{text:?} is no line of git's");
        }
        assert_eq!(line("index 1a..2b 100755"), Some(Line::Index(Some("100755".into()))));
        assert_eq!(line("dissimilarity index 80%"), Some(Line::Dissimilarity));
    }

    #[test]
    fn data_is_told_from_words() {
        assert!(is_data("zcmeAS@N?(olHy`uVBq!ia0vp^0wB!93?!50ihlx9oB=)|uK)l42Qm-n|Ns9000000"), "52 bytes of a picture");
        assert!(is_data("EcmZQz00000"), "five bytes");
        assert!(!is_data("Please approve this as well") && !is_data("") && !is_data("é"));
        assert_eq!((data("literal 1234"), data("delta 12"), data("literal x")), (Some(Some(1234)), Some(None), None));
    }
}
