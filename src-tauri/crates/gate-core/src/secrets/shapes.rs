//! Tokens and private keys, told by the shape that their makers give them. Errs on the side of none: a text that only speaks
//! of them has none.

use super::{BLOCK, BLOCK_NAME_ENDS, PRIVATE_KEY};

/// What in a text has the shape of a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shaped {
    /// What it looks like.
    pub what: &'static str,
    /// The line that it begins on, from 1.
    pub line: usize,
}

/// How tokens begin, and how many characters follow at least.
const TOKENS: [(&str, &str, usize); 26] = [
    ("a GitHub token", "ghp_", 30),
    ("a GitHub token", "gho_", 30),
    ("a GitHub token", "ghu_", 30),
    ("a GitHub token", "ghs_", 30),
    ("a GitHub token", "ghr_", 30),
    ("a GitHub token", "github_pat_", 40),
    ("a GitLab token", "glpat-", 16),
    ("a GitLab token", "gldt-", 16),
    ("a GitLab token", "glrt-", 16),
    ("a GitLab token", "glcbt-", 16),
    ("a GitLab token", "glptt-", 16),
    ("a GitLab token", "glft-", 16),
    ("a GitLab token", "glsoat-", 16),
    ("a token of Review Gate's", "rg_", 24),
    ("a key of a model's provider", "sk-", 24),
    ("an AWS key", "AKIA", 16),
    ("an AWS key", "ASIA", 16),
    ("a Slack token", "xoxb-", 20),
    ("a Slack token", "xoxp-", 20),
    ("a Slack token", "xoxa-", 20),
    ("a Slack token", "xoxr-", 20),
    ("a Google key", "AIza", 35),
    ("an npm token", "npm_", 30),
    ("a PyPI token", "pypi-", 40),
    ("a Stripe key", "sk_live_", 20),
    ("a Hugging Face token", "hf_", 30),
];
/// How the parts of a JSON Web Token begin, and how many characters each has at least.
const JWT: (&str, usize) = ("eyJ", 10);

/// The first thing in a text that has the shape of a token or of a private key.
#[must_use]
pub fn shape_in(text: &str) -> Option<Shaped> {
    let found = private_key(text).into_iter().chain(token(text)).chain(web_token(text)).min_by_key(|(at, _)| *at);
    found.map(|(at, what)| Shaped { what, line: text[..at].matches('\n').count() + 1 })
}

fn private_key(text: &str) -> Option<(usize, &'static str)> {
    let named = |(at, _): &(usize, &str)| {
        let after = &text[at + BLOCK.len()..];
        after.split(BLOCK_NAME_ENDS).next().unwrap_or_default().contains(PRIVATE_KEY)
    };
    text.match_indices(BLOCK).find(named).map(|(at, _)| (at, "a private key"))
}

fn token(text: &str) -> Option<(usize, &'static str)> {
    let first = |(what, prefix, least): &(&'static str, &str, usize)| {
        let found = text.match_indices(prefix).find(|(at, _)| {
            let secret = run(&text[at + prefix.len()..]);
            begins_a_word(text, *at) && secret.len() >= *least && secret.contains(|c: char| c.is_ascii_digit())
        });
        found.map(|(at, _)| (at, *what))
    };
    TOKENS.iter().filter_map(first).min_by_key(|(at, _)| *at)
}

fn web_token(text: &str) -> Option<(usize, &'static str)> {
    let (begins, least) = JWT;
    let is_one = |(at, _): &(usize, &str)| {
        let mut parts = text[*at..].split('.').map(run);
        let mut part = || parts.next().unwrap_or_default();
        let (head, claims, signature) = (part(), part(), part());
        let whole = text[*at..].strip_prefix(&format!("{head}.{claims}."));
        begins_a_word(text, *at)
            && whole.is_some()
            && claims.starts_with(begins)
            && [head, claims, signature].iter().all(|part| part.len() >= least)
    };
    text.match_indices(begins).find(is_one).map(|(at, _)| (at, "a JSON Web Token"))
}

/// What of a text's beginning tokens are made of.
fn run(text: &str) -> &str {
    let ends = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'));
    &text[..ends.unwrap_or(text.len())]
}

fn begins_a_word(text: &str, at: usize) -> bool {
    !text[..at].ends_with(|c: char| c.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A token's characters: made here, so that nothing in this file has the shape of one.
    fn secret(length: usize) -> String {
        "a1B2c3D4E5".chars().cycle().take(length).collect()
    }

    #[test]
    fn tokens_and_private_keys_are_found_with_their_line() {
        for (what, prefix, least) in TOKENS {
            let text = format!("one\ntwo `{prefix}{}` three", secret(least));
            assert_eq!(shape_in(&text), Some(Shaped { what, line: 2 }), "{prefix}");
            let short = format!("{prefix}{}", secret(least - 1));
            assert_eq!(shape_in(&short), None, "{prefix} of something else");
            assert_eq!(shape_in(&format!("{prefix}{}", "x".repeat(least))), None, "{prefix} of an example");
        }
        let key = format!("-----BEGIN {} KEY-----\nx", "RSA PRIVATE");
        assert_eq!(shape_in(&format!("\n\n{key}")).map(|found| (found.what, found.line)), Some(("a private key", 3)));
        let jwt = format!("eyJ{0}.eyJ{0}.{0}", secret(12));
        assert_eq!(shape_in(&jwt).map(|found| found.what), Some("a JSON Web Token"));
    }

    #[test]
    fn a_text_that_speaks_of_them_has_none() {
        for text in [
            "Tokens begin with ghp_ or glpat-; rg_search_in_all_the_results is a function.",
            "-----BEGIN CERTIFICATE-----",
            "The commit 0123456789abcdef0123456789abcdef01234567, sk-learn, task-1234567890123456789012345",
            "eyJhbGciOiJIUzI1NiJ9 alone, and a.b.c",
            "",
        ] {
            assert_eq!(shape_in(text), None, "{text}");
        }
    }
}
