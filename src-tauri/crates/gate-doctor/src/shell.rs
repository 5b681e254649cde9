//! Paths in commands, as a shell reads them.

use std::path::Path;

/// A path as one word of a command. What is in the person's folder begins with `~/`, so that the command
/// names nobody and still works.
pub(crate) fn word(path: &Path, user_folder: Option<&Path>) -> String {
    let below = user_folder.and_then(|folder| path.strip_prefix(folder).ok());
    match below {
        Some(below) if below.as_os_str().is_empty() => "~".to_owned(),
        Some(below) => format!("~/{}", quoted(&below.to_string_lossy())),
        None => quoted(&path.to_string_lossy()),
    }
}

fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@%".contains(c);
    match !text.is_empty() && text.chars().all(plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_back_the_path_that_was_meant() {
        let home = Path::new("/srv/ada");
        for (path, word_of_it) in [
            ("/usr/bin/review-gate", "/usr/bin/review-gate"),
            ("/srv/ada/.config/x.yaml", "~/.config/x.yaml"),
            ("/srv/ada/My Files/it's", r"~/'My Files/it'\''s'"),
            ("/srv/adam/x", "/srv/adam/x"),
            ("/srv/a b", "'/srv/a b'"),
            ("/srv/$HOME", "'/srv/$HOME'"),
            ("/srv/ada", "~"),
        ] {
            assert_eq!(word(Path::new(path), Some(home)), word_of_it, "the tilde stands outside of the quotes");
        }
    }
}
