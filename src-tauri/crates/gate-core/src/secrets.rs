//! What could be a secret in a text: tokens and codes of the gate's own, private keys, the sign-in of an address,
//! what follows words such as `token:`, and opaque words.
//!
//! It knows texts only: who may read what is its callers' to say.

mod shapes;

pub use shapes::{Shaped, shape_in};

/// What stands in a secret's place.
pub const HIDDEN: &str = "…";

/// How a token of the gate's begins, and the least of it that is taken for one.
const TOKEN: (&str, usize) = ("rg_", 8);
/// What a one-time code in a link follows.
const CODE: &str = "code=";
/// Words that come before a secret.
const BEFORE_SECRETS: &[&str] = &[
    "key",
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "credential",
    "credentials",
    "authorization",
    "bearer",
    "cookie",
];
/// A word of at least so many characters, with letters and digits in it, may be a secret.
const OPAQUE_CHARS: usize = 16;
/// How PEM begins and ends a block, and what it calls one that is secret.
const BLOCK: &str = "-----BEGIN ";
const BLOCK_ENDS: &str = "-----END ";
const BLOCK_NAME_ENDS: &str = "-----";
const PRIVATE_KEY: &str = "PRIVATE KEY";

/// Whether what is called so is a secret: `api_key`, `token`, `Your password`.
#[must_use]
pub fn names_a_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    BEFORE_SECRETS.iter().any(|word| name.ends_with(word))
}

/// Without the gate's tokens and one-time codes, wherever they stand.
#[must_use]
pub fn without_tokens(text: &str) -> String {
    let (prefix, least) = TOKEN;
    let text = hidden_after(text, prefix, least, |c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    hidden_after(&text, CODE, 1, |c| !c.is_whitespace() && !"&\"'".contains(c))
}

/// Without anything that could be a secret. It hides more than that: better so than less.
#[must_use]
pub fn without_secrets(text: &str) -> String {
    without_secret_words(&without_sign_ins(&without_tokens(&without_private_keys(text))))
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

/// Hides private keys as PEM has them; one without an end is hidden to the end of the text.
fn without_private_keys(text: &str) -> String {
    let mut done = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(BLOCK) {
        done.push_str(before);
        let name = after.split(BLOCK_NAME_ENDS).next().unwrap_or_default();
        if name.contains(PRIVATE_KEY) {
            done.push_str(HIDDEN);
            let end = after.split_once(BLOCK_ENDS).and_then(|(_, end)| end.split_once(BLOCK_NAME_ENDS));
            rest = end.map_or("", |(_, later)| later);
        } else {
            done.push_str(BLOCK);
            rest = after;
        }
    }
    done.push_str(rest);
    done
}

/// Hides what stands before the host of an address: `https://user:password@host`.
fn without_sign_ins(text: &str) -> String {
    let mut parts = text.split("://");
    let mut done = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        done.push_str("://");
        let length = part.find(|c: char| c.is_whitespace() || "/?#\"'`<>".contains(c)).unwrap_or(part.len());
        let (place, rest) = part.split_at(length);
        match place.rsplit_once('@') {
            Some((_, host)) => {
                done.push_str(HIDDEN);
                done.push('@');
                done.push_str(host);
            }
            None => done.push_str(place),
        }
        done.push_str(rest);
    }
    done
}

/// Hides words that may be secrets: those after `token:`, `KEY=` and the like, and opaque ones.
fn without_secret_words(text: &str) -> String {
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
            _ if names_a_secret(name) => {
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

    #[test]
    fn tokens_and_codes_are_hidden_and_nothing_else() {
        let said = "rg_abcDEF123-_x and http://localhost:1/#code=abc&x=1 and rg_short, key: x";
        assert_eq!(without_tokens(said), "rg_… and http://localhost:1/#code=…&x=1 and rg_short, key: x");
    }

    #[test]
    fn whatever_could_be_a_secret_is_hidden() {
        for (said, shown) in [
            ("API_KEY=abc failed", "API_KEY=… failed"),
            ("token: hunter2, try again", "token: …, try again"),
            ("Authorization: Bearer abc", "Authorization: Bearer …"),
            ("\"password\": \"hunter2\"", "\"password\": \"…\""),
            ("the passphrase = open sesame", "the passphrase = … sesame"),
            ("key sk-proj-0123456789abcdef was refused", "key … was refused"),
            ("https://ada:hunter2@example.org/x and ssh://git@host", "https://…@example.org/x and ssh://…@host"),
            ("a -----BEGIN OPENSSH PRIVATE KEY-----\nb3/x\n-----END OPENSSH PRIVATE KEY----- b", "a … b"),
            ("-----BEGIN PRIVATE KEY-----\ncut/off", "…"),
            ("-----BEGIN CERTIFICATE-----\na/b\n-----END", "-----BEGIN CERTIFICATE-----\na/b\n-----END"),
            ("src/cart.rs, main..fix-12 and ada@example.org", "src/cart.rs, main..fix-12 and ada@example.org"),
            ("Geheimnis: größer als 4", "Geheimnis: größer als 4"),
        ] {
            assert_eq!(without_secrets(said), shown, "{said}");
            assert_eq!(without_secrets(shown), shown, "what is hidden stays so: {said}");
        }
    }

    #[test]
    fn a_secret_is_told_by_its_name() {
        assert!(["api_key", "Token", "Your password", "AWS_SECRET"].into_iter().all(names_a_secret));
        assert!(!["file_path", "max_tokens", "keyboard", ""].into_iter().any(names_a_secret));
    }
}
