//! What findings must not say: whose machine it is, and secrets. A person pastes them into a bug report.

use std::path::{Path, PathBuf};

use gate_api::{Finding, Phrase, PhraseValue};
use gate_core::ask::excerpt;
use gate_core::markdown::visible;
use gate_core::secrets::{HIDDEN, without_secrets, without_tokens};

/// Longest text of others in a finding, in characters.
const FOREIGN_CHARS: usize = 300;
/// Shortest value of a variable that is looked for in a program's output, in characters.
const SECRET_CHARS: usize = 4;

/// Takes out of texts what tells who the person is, and secrets.
#[derive(Debug, Clone, Default)]
pub struct Privacy {
    /// The person's folder, as it is called and as it really is.
    folders: Vec<String>,
    names: Vec<String>,
}

impl Privacy {
    /// For the person of this folder and these names.
    pub fn new(folder: Option<&Path>, names: impl IntoIterator<Item = String>) -> Self {
        let real = folder.and_then(|folder| gate_os::files::real_path(folder).ok());
        let folders = folder.map(Path::to_owned).into_iter().chain(real).collect::<Vec<PathBuf>>();
        // The root folder is everybody's.
        let mut folders: Vec<String> = folders
            .into_iter()
            .filter(|folder| folder.parent().is_some())
            .map(|folder| folder.to_string_lossy().into_owned())
            .collect();
        folders.sort_by_key(|folder| std::cmp::Reverse(folder.len()));
        folders.dedup();
        let mut names: Vec<String> = names.into_iter().filter(|name| !name.is_empty()).collect();
        names.sort();
        names.dedup();
        Self { folders, names }
    }

    /// A finding without what it must not say.
    #[must_use]
    pub fn cleaned(&self, finding: Finding) -> Finding {
        Finding {
            cause: self.phrase(finding.cause),
            mend: finding.mend.map(|mend| self.phrase(mend)),
            command: finding.command.map(|command| self.in_a_command(&command)),
            ..finding
        }
    }

    /// Only what is put into a phrase can tell anything: its words are the same for everybody.
    fn phrase(&self, mut phrase: Phrase) -> Phrase {
        for value in phrase.values.values_mut() {
            if let PhraseValue::Text(text) = value {
                *text = self.own(text);
            }
        }
        phrase
    }

    /// What a person reads.
    fn own(&self, text: &str) -> String {
        let mut text = self.in_a_command(text);
        for name in &self.names {
            text = replaced(&text, name, "you", |before, after| !is_of_a_word(before) && !is_of_a_word(after));
        }
        text
    }

    /// What a shell reads: a person may be called as a client is, and that is no path.
    fn in_a_command(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for folder in &self.folders {
            text = replaced(&text, folder, "~", |before, after| !is_of_a_path(before) && !is_of_a_word(after));
        }
        for name in &self.names {
            text = replaced(&text, name, "you", |before, after| before == Some('/') && !is_of_a_word(after));
        }
        visible(&without_tokens(&text))
    }

    /// What another program said, cut and on one line: also without anything that could be a secret.
    /// `secrets` are those that it was given.
    pub(crate) fn foreign<'a>(&self, text: &str, secrets: impl IntoIterator<Item = &'a str>) -> String {
        let mut text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        for secret in secrets.into_iter().filter(|secret| secret.chars().count() >= SECRET_CHARS) {
            text = text.replace(secret, HIDDEN);
        }
        excerpt(&without_secrets(&self.own(&text)), FOREIGN_CHARS)
    }
}

fn is_of_a_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

fn is_of_a_word(c: Option<char>) -> bool {
    c.is_some_and(is_of_a_name)
}

fn is_of_a_path(c: Option<char>) -> bool {
    c.is_some_and(|c| is_of_a_name(c) || c == '.' || c == '~')
}

/// Replaces `what` wherever the characters before and after it allow.
fn replaced(text: &str, what: &str, by: &str, fits: impl Fn(Option<char>, Option<char>) -> bool) -> String {
    let mut done = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(what) {
        let (before, from) = rest.split_at(at);
        let after = from.strip_prefix(what).unwrap_or_default();
        done.push_str(before);
        let fits = fits(done.chars().next_back(), after.chars().next());
        done.push_str(if fits { by } else { what });
        rest = after;
    }
    done.push_str(rest);
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    fn privacy() -> Privacy {
        Privacy::new(Some(Path::new("/srv/people/ada")), ["ada".to_owned()])
    }

    #[test]
    fn the_persons_folder_and_name_are_left_out_of_paths() {
        for (said, shown) in [
            ("/srv/people/ada/.config/x can't be read", "~/.config/x can't be read"),
            ("'/srv/people/ada' is full", "'~' is full"),
            ("/srv/people/adam/x stays", "/srv/people/adam/x stays"),
            ("on /media/ada/disk, not on /media/adas", "on /media/you/disk, not on /media/adas"),
            ("ada is away, adam is not", "you is away, adam is not"),
            ("x:/srv/people/ada:y", "x:~:y"),
        ] {
            assert_eq!(privacy().own(said), shown, "{said}");
        }
        assert_eq!(
            Privacy::new(None, ["cursor".to_owned()]).in_a_command("review-gate install cursor /run/cursor"),
            "review-gate install cursor /run/you",
            "a command still does what it is to do"
        );
        let everybodys = Privacy::new(Some(Path::new("/")), []);
        assert_eq!(everybodys.own("/usr/bin"), "/usr/bin", "a person whose folder is the root has no other");
    }

    #[test]
    fn what_is_put_into_a_finding_is_cleaned_and_its_words_stay() {
        let phrase = |path: &str| Phrase::new("finding-ada").with("path", path).with("ada", 3_usize);
        assert_eq!(privacy().phrase(phrase("/srv/people/ada/x")), phrase("~/x"));
    }

    #[test]
    fn what_others_say_loses_whatever_could_be_a_secret() {
        for (said, shown) in [
            ("token: hunter2, try again", "token: …, try again"),
            ("key sk-proj-0123456789abcdef was refused", "key … was refused"),
            ("ada@laptop said no", "you@laptop said no"),
            ("no such file: /usr/lib/node_modules/x2/index.js", "no such file: /usr/lib/node_modules/x2/index.js"),
            ("a\nb\u{1b}[2J", "a b [2J"),
        ] {
            assert_eq!(privacy().foreign(said, []), shown, "{said}");
        }
        assert_eq!(privacy().foreign("it has pw12 in it", ["pw12", "it"]), "it has … in it", "a variable's value");
        assert!(privacy().foreign(&"x ".repeat(1000), []).chars().count() <= FOREIGN_CHARS + 1, "and it is cut");
    }

    proptest::proptest! {
        #[test]
        fn whatever_stands_around_a_name_a_token_and_a_code_they_are_gone(before in ".{0,40}", after in ".{0,40}") {
            let said = format!("{before}/srv/people/ada/x {after} rg_0123456789abcdef{before} ?code=5ecret {after}");
            for shown in [privacy().own(&said), privacy().in_a_command(&said), privacy().foreign(&said, [])] {
                for secret in ["/ada/", "0123456789abcdef", "5ecret"] {
                    proptest::prop_assert!(!shown.contains(secret), "{secret:?} in {shown:?}");
                }
            }
        }
    }
}
