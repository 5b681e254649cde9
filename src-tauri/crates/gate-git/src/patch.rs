//! What of a diff stays the same when it is made on another base. Runs nothing.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// A digest of a diff that is the same for the same patch on another base: paths, modes, renames and every line of its
/// hunks to the byte, with those around; not where in the file a hunk stands, nor what else the file holds. Of a binary
/// it has both objects.
///
/// A patch may fit in two places of a file. That it is the same doesn't say that it stands in the same place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Patch([u8; 32]);

impl Patch {
    /// Of a diff that [`Objects::compare`](crate::Objects::compare) has made; absent for other bytes.
    #[must_use]
    pub fn of(diff: &[u8]) -> Option<Self> {
        let mut hash = Sha256::new();
        // The objects of a file, until it turns out to be a binary.
        let mut index: &[u8] = b"";
        // How many lines of both sides a hunk still has.
        let (mut old, mut new) = (0_u64, 0_u64);
        let mut in_binary = false;
        for line in diff.split_inclusive(|byte| *byte == b'\n') {
            let kind = *line.first()?;
            if (old, new) != (0, 0) {
                match kind {
                    b' ' => (old, new) = (old.checked_sub(1)?, new.checked_sub(1)?),
                    b'-' => old = old.checked_sub(1)?,
                    b'+' => new = new.checked_sub(1)?,
                    b'\\' => {}
                    _ => return None,
                }
            } else if line.starts_with(b"diff --git ") {
                (index, in_binary) = (b"", false);
            } else if in_binary || kind == b'\\' {
                // The rest of a binary; that a file's last line has no end.
            } else if line.starts_with(b"@@ ") {
                (old, new) = counts(line)?;
                hash.update(b"@@\n");
                continue;
            } else if line.starts_with(b"index ") {
                index = line;
                continue;
            } else if line.starts_with(b"similarity ") || line.starts_with(b"dissimilarity ") {
                continue;
            } else if line.starts_with(b"Binary files ") || line.starts_with(b"GIT binary patch") {
                hash.update(index);
                in_binary = true;
            } else if !is_header(line) {
                return None;
            }
            hash.update(line);
        }
        ((old, new) == (0, 0)).then(|| Self(hash.finalize().into()))
    }
}

/// 64 hexadecimal digits.
impl fmt::Display for Patch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

fn is_header(line: &[u8]) -> bool {
    let beginnings: [&[u8]; 10] = [
        b"old mode ",
        b"new mode ",
        b"new file mode ",
        b"deleted file mode ",
        b"rename from ",
        b"rename to ",
        b"copy from ",
        b"copy to ",
        b"--- ",
        b"+++ ",
    ];
    beginnings.iter().any(|beginning| line.starts_with(beginning))
}

/// The numbers of lines in `@@ -1,2 +3,4 @@`, each 1 where it isn't said.
fn counts(line: &[u8]) -> Option<(u64, u64)> {
    let text = std::str::from_utf8(line.strip_prefix(b"@@ -")?.split(|byte| *byte == b'@').next()?).ok()?;
    let mut sides = text.trim_end().split(" +").map(|side| match side.split_once(',') {
        Some((_, count)) => count.parse().ok(),
        None => Some(1),
    });
    Some((sides.next()??, sides.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "diff --git a/f b/f\nindex 1111111..2222222 100644\n--- a/f\n+++ b/f\n";

    fn of(text: &str) -> Option<Patch> {
        Patch::of(text.as_bytes())
    }

    #[test]
    fn a_patch_is_the_same_wherever_it_stands() {
        let here = of(&format!("{HEAD}@@ -1,2 +1,2 @@ fn a()\n x\n-y\n+z\n"));
        let moved = HEAD.replace("1111111..2222222", "3333333..4444444");
        assert!(here.is_some());
        assert_eq!(of(&format!("{moved}@@ -9,2 +12,2 @@ fn b()\n x\n-y\n+z\n")), here);
    }

    #[test]
    fn a_byte_of_a_line_a_path_or_a_mode_makes_another() {
        let whole = format!("{HEAD}@@ -1,2 +1,2 @@\n x\n-y\n+z\n");
        let others = [
            whole.replace("+z", "+z "),
            whole.replace(" x", " X"),
            whole.replace("b/f", "b/g"),
            whole.replace("+z\n", "+z\n\\ No newline at end of file\n"),
            whole.replace("index", "old mode 100644\nnew mode 100755\nindex"),
            format!("{whole}@@ -9 +9 @@\n-a\n+b\n"),
        ];
        for other in others {
            assert!(of(&other).is_some(), "{other}");
            assert_ne!(of(&other), of(&whole), "{other}");
        }
    }

    #[test]
    fn what_looks_like_a_header_within_a_hunk_is_a_line() {
        let text = format!("{HEAD}@@ -1,2 +1,2 @@\n--- a\n-index 1\n+++ b\n+@@ -1 +1 @@\n");
        let other = text.replace("-index 1", "-index 2");
        assert!(of(&text).is_some() && of(&other).is_some());
        assert_ne!(of(&text), of(&other), "it is of the file");
    }

    #[test]
    fn a_binary_is_told_by_its_objects() {
        let binary =
            |oid: &str| format!("diff --git a/b b/b\nindex 1111111..{oid} 100644\nBinary files a/b and b/b differ\n");
        assert!(of(&binary("2222222")).is_some());
        assert_ne!(of(&binary("2222222")), of(&binary("3333333")));
    }

    #[test]
    fn what_is_no_diff_has_no_patch() {
        for text in ["x", &format!("{HEAD}@@ -1,2 +1,2 @@\n x\n"), &format!("{HEAD}@@ bad @@\n"), "\n"] {
            assert_eq!(of(text), None, "{text}");
        }
        assert!(of("").is_some(), "no change is a patch, too");
    }
}
