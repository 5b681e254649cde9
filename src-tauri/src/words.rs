//! What the shell says outside of its windows: `shell.ftl` of the catalogues.

use gate_texts::Texts;

/// The texts for the setting `window.language`: `system`, or a language's tag.
pub(crate) fn spoken(setting: &str) -> Texts {
    match setting {
        "system" => Texts::preferred(sys_locale::get_locales()),
        tag => Texts::preferred([tag]),
    }
}

#[cfg(test)]
mod tests {
    use gate_api::Phrase;

    use super::*;

    #[test]
    fn the_catalogues_have_what_the_shell_says_and_nothing_else() {
        let sources = [include_str!("tray.rs"), include_str!("notices.rs"), include_str!("quitting.rs")];
        let said = sources.iter().flat_map(|source| phrases(source));
        assert_eq!(gate_texts::testing::differences("shell", said), Vec::<String>::new());
    }

    /// What a source says: `"shell-…"`, with the names in `[("name", …), …]` where values follow it.
    fn phrases(source: &str) -> Vec<Phrase> {
        let mut parts = source.split("\"shell-");
        parts.next();
        let phrase = |part: &str| {
            let (id, rest) = part.split_once('"').unwrap_or((part, ""));
            let values = rest.strip_prefix(", [").and_then(|rest| rest.split_once("])")).map(|(values, _)| values);
            let quoted = values.unwrap_or_default().split("(\"").skip(1).filter_map(|value| value.split('"').next());
            let names = quoted.filter(|name| name.chars().all(|letter| letter.is_ascii_lowercase()));
            names.fold(Phrase::new(format!("shell-{id}")), |phrase, name| phrase.with(name, "1"))
        };
        parts.map(phrase).collect()
    }

    #[test]
    fn the_setting_says_which_language_is_spoken() {
        assert_eq!(spoken("zh-CN").say("shell-history"), "历史记录");
        assert_eq!(spoken("en").say("shell-history"), "History");
        assert_eq!(spoken("xx").say("shell-history"), "History", "what nobody speaks is English");
    }
}
