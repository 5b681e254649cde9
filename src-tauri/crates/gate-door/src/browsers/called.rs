//! What a browser calls itself, so that the person tells one from another. Whoever signs in says it: nothing is decided by
//! it, and nothing is kept of it but names that stand here.

use serde::{Deserialize, Serialize};

/// A browser and its system, each where it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Called {
    pub(super) name: Option<String>,
    pub(super) system: Option<String>,
}

/// What stands in a `User-Agent`, and whose it is. Of several the first counts: most browsers say what others are, too.
const BROWSERS: &[(&str, &str)] = &[
    ("Edg/", "Edge"),
    ("EdgA/", "Edge"),
    ("EdgiOS/", "Edge"),
    ("OPR/", "Opera"),
    ("Vivaldi/", "Vivaldi"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Epiphany/", "GNOME Web"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];
const SYSTEMS: &[(&str, &str)] = &[
    ("Android", "Android"),
    ("iPhone", "iOS"),
    ("iPad", "iPadOS"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Macintosh", "macOS"),
    ("Linux", "Linux"),
    ("FreeBSD", "FreeBSD"),
];

impl Called {
    /// By what it says in `User-Agent`.
    pub(super) fn of(agent: &str) -> Self {
        let found = |all: &[(&str, &str)]| {
            all.iter().find(|(mark, _)| agent.contains(mark)).map(|(_, name)| (*name).to_owned())
        };
        Self { name: found(BROWSERS), system: found(SYSTEMS) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_is_called_by_its_name_and_its_system() {
        let webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";
        for (agent, name, system) in [
            ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0".to_owned(), "Firefox", "Linux"),
            (format!("Mozilla/5.0 (X11; Linux x86_64) {webkit} Chrome/142.0.0.0 Safari/537.36"), "Chrome", "Linux"),
            (
                format!("Mozilla/5.0 (Windows NT 10.0; Win64; x64) {webkit} Chrome/142.0.0.0 Safari/537.36 Edg/142.0"),
                "Edge",
                "Windows",
            ),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15"
                    .to_owned(),
                "Safari",
                "macOS",
            ),
            (
                format!("Mozilla/5.0 (Linux; Android 15) {webkit} Chrome/142.0 Mobile Safari/537.36"),
                "Chrome",
                "Android",
            ),
        ] {
            let called = Called { name: Some(name.to_owned()), system: Some(system.to_owned()) };
            assert_eq!(Called::of(&agent), called, "{agent}");
        }
        for strange in ["", "curl/8.5.0", "<b>you</b>"] {
            assert_eq!(Called::of(strange), Called::default(), "nothing that it says is repeated: {strange}");
        }
    }
}
