//! What findings must not say: whose machine it is, and secrets. A person pastes them into a bug report.

use std::path::{Path, PathBuf};

use gate_api::{Finding, Phrase, PhraseValue};
use gate_core::ask::excerpt;
use gate_core::markdown::visible;

/// How a token of the gate's begins, and the least of it that is taken for one.
const TOKEN: (&str, usize) = ("rg_", 8);
/// What a one-time code in a link follows.
const CODE: &str = "code=";
/// Words that come before a secret.
const BEFORE_SECRETS: &[&str] = &["key", "token", "secret", "password", "passwd", "authorization", "bearer", "cookie"];
/// A word of others of at least so many characters, with letters and digits in it, may be a secret.
const OPAQUE_CHARS: usize = 16;
/// Longest text of others in a finding, in characters.
const FOREIGN_CHARS: usize = 300;
/// Shortest value of a variable that is looked for in a program's output, in characters.
const SECRET_CHARS: usize = 4;
const HIDDEN: &str = "…";

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
        let real = folder.and_then(|folder| std::fs::canonicalize(folder).ok());
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
        visible(&without_codes(&without_tokens(&text)))
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

/// Without tokens of the gate's, wherever they stand.
fn without_tokens(text: &str) -> String {
    let (prefix, least) = TOKEN;
    hidden_after(text, prefix, least, |c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

fn without_codes(text: &str) -> String {
    hidden_after(text, CODE, 1, |c| !c.is_whitespace() && !"&\"'".contains(c))
}

/// Hides what follows `prefix`, as far as its characters are `of_it`, where there are at least so many.
fn hidden_after(text: &str, prefix: &str, least: usize, of_it: impl Fn(char) -> bool) -> String {
    let mut parts = text.split(prefix);
    let mut done = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        done.push_str(prefix);
        let length: usize = part.chars().take_while(|c| of_it(*c)).map(char::len_utf8).sum();
        let (secret, rest) = part.split_at(length);
        done.push_str(if secret.chars().count() >= least { HIDDEN } else { secret });
        done.push_str(rest);
    }
    done
}

/// Hides words that may be secrets: those after `token:`, `KEY=` and the like, and opaque ones.
fn without_secrets(text: &str) -> String {
    let mut done = String::with_capacity(text.len());
    // The word before names a secret; the next one is it.
    let (mut named, mut announced) = (false, false);
    for piece in text.split_inclusive(between_words) {
        let (word, space) = piece.split_at(piece.trim_end_matches(between_words).len());
        let (name, value) = word.split_once(['=', ':']).unwrap_or((word, ""));
        match word {
            // Quotes and blanks between a name and its value.
            "" => {}
            ":" | "=" => {
                announced = named;
                done.push_str(word);
            }
            _ if announces(name) => {
                let value_at = name.len() + usize::from(word.len() > name.len());
                done.push_str(word.get(..value_at).unwrap_or_default());
                done.push_str(if value.is_empty() { "" } else { HIDDEN });
                named = value.is_empty();
                announced = named && (value_at > name.len() || word.eq_ignore_ascii_case("bearer"));
            }
            _ => {
                done.push_str(if announced || is_opaque(word) { HIDDEN } else { word });
                (named, announced) = (false, false);
            }
        }
        done.push_str(space);
    }
    done
}

fn between_words(c: char) -> bool {
    c.is_whitespace() || "\"'`,;(){}[]<>".contains(c)
}

fn announces(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    BEFORE_SECRETS.iter().any(|word| name.ends_with(word))
}

fn is_opaque(word: &str) -> bool {
    let of_a_key = |c: char| c.is_ascii_alphanumeric() || "_-+.=".contains(c);
    word.chars().count() >= OPAQUE_CHARS
        && word.chars().all(of_a_key)
        && word.chars().any(|c| c.is_ascii_digit())
        && word.chars().any(|c| c.is_ascii_alphabetic())
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
    fn tokens_and_codes_are_never_said() {
        let said = "rg_abcDEF123-_x and http://127.0.0.1:1/?code=abc&x=1 and rg_short";
        assert_eq!(privacy().own(said), "rg_… and http://127.0.0.1:1/?code=…&x=1 and rg_short");
    }

    #[test]
    fn what_others_say_loses_whatever_could_be_a_secret() {
        for (said, shown) in [
            ("API_KEY=abc failed", "API_KEY=… failed"),
            ("token: hunter2, try again", "token: …, try again"),
            ("Authorization: Bearer abc", "Authorization: Bearer …"),
            ("\"password\": \"hunter2\"", "\"password\": \"…\""),
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
