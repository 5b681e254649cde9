//! The options that `review-gate answer --choose` names: by their labels, or by their numbers as
//! `review-gate requests` shows them.

use gate_core::{Ask, Code, Fault};

/// The labels of the options that were named, each once. A label as it is written comes before a number, since an
/// option may be called `2`.
///
/// # Errors
/// `invalid_input` where there is no such option, or several for a question that takes one.
pub(crate) fn chosen(ask: &Ask, named: &[String]) -> Result<Vec<String>, Fault> {
    if ask.options.is_empty() {
        return Err(Fault::new(
            Code::InvalidInput,
            "This request offers no options.",
            "Answer with --text, --approve or --request-changes; nothing was sent.",
        ));
    }
    let mut labels: Vec<String> = Vec::new();
    for name in named {
        for label in labels_of(ask, name)? {
            if labels.iter().all(|known| known != label) {
                labels.push(label.to_owned());
            }
        }
    }
    if labels.len() > 1 && !ask.allow_multiple {
        return Err(Fault::new(
            Code::InvalidInput,
            format!("{} options are chosen, but this request takes one.", labels.len()),
            offered(ask),
        ));
    }
    Ok(labels)
}

/// What one `--choose` names: a label, a number, or several numbers with commas between them.
fn labels_of<'a>(ask: &'a Ask, name: &str) -> Result<Vec<&'a str>, Fault> {
    if let Some(option) = ask.options.iter().find(|option| option.label == name) {
        return Ok(vec![option.label.as_str()]);
    }
    let numbers: Option<Vec<usize>> = name.split(',').map(|part| part.trim().parse().ok()).collect();
    let numbers = numbers
        .ok_or_else(|| Fault::new(Code::InvalidInput, format!("{name:?} is not one of the options."), offered(ask)))?;
    numbers.into_iter().map(|number| label_of(ask, number)).collect()
}

fn label_of(ask: &Ask, number: usize) -> Result<&str, Fault> {
    let option = number.checked_sub(1).and_then(|at| ask.options.get(at));
    option.map(|option| option.label.as_str()).ok_or_else(|| {
        Fault::new(
            Code::InvalidInput,
            format!("There is no option {number}: they are numbered from 1 to {}.", ask.options.len()),
            offered(ask),
        )
    })
}

fn offered(ask: &Ask) -> String {
    let options = ask.options.iter().enumerate().map(|(at, option)| format!("{} {}", at + 1, option.label));
    format!("Choose one of: {}; nothing was sent.", options.collect::<Vec<_>>().join(" | "))
}

#[cfg(test)]
mod tests {
    use gate_core::Choice;

    use super::*;

    fn ask(labels: &[&str], allow_multiple: bool) -> Ask {
        let option = |label: &&str| Choice { label: (*label).to_owned(), description: None, recommended: false };
        let options = labels.iter().map(option).collect();
        Ask { message: "Which?".to_owned(), options, allow_multiple, ..Ask::default() }
    }

    fn named(ask: &Ask, names: &[&str]) -> Result<Vec<String>, String> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        chosen(ask, &names).map_err(|fault| {
            assert_eq!(fault.code, Code::InvalidInput);
            format!("{} {}", fault.message, fault.mend)
        })
    }

    #[test]
    fn options_are_chosen_by_number_and_by_label() {
        let several = ask(&["Key only", "Both", "Neither, thanks"], true);
        for (names, labels) in [
            (&["2"][..], &["Both"][..]),
            (&["Both"], &["Both"]),
            (&["1", "3"], &["Key only", "Neither, thanks"]),
            (&["1,3"], &["Key only", "Neither, thanks"]),
            (&["3, 1"], &["Neither, thanks", "Key only"]),
            (&["Neither, thanks"], &["Neither, thanks"]),
            (&["1", "Key only", "1,1"], &["Key only"]),
        ] {
            let labels = labels.iter().map(|label| (*label).to_owned()).collect();
            assert_eq!(named(&several, names), Ok(labels), "{names:?}");
        }
        let years = ask(&["3", "2", "1"], true);
        assert_eq!(named(&years, &["3"]), Ok(vec!["3".to_owned()]), "a label is what it says");
        assert_eq!(named(&years, &["1,2"]), Ok(vec!["3".to_owned(), "2".to_owned()]), "two numbers are no label");
    }

    #[test]
    fn what_cannot_be_chosen_is_named_with_what_can() {
        let one = ask(&["Key only", "Both"], false);
        let offered = "Choose one of: 1 Key only | 2 Both; nothing was sent.";
        for (names, cause) in [
            (&["3"][..], "There is no option 3: they are numbered from 1 to 2."),
            (&["0"], "There is no option 0: they are numbered from 1 to 2."),
            (&["1,9"], "There is no option 9: they are numbered from 1 to 2."),
            (&["Neither"], "\"Neither\" is not one of the options."),
            (&["1,"], "\"1,\" is not one of the options."),
            (&["-1"], "\"-1\" is not one of the options."),
            (&["1", "2"], "2 options are chosen, but this request takes one."),
            (&["1,Both"], "\"1,Both\" is not one of the options."),
        ] {
            assert_eq!(named(&one, names), Err(format!("{cause} {offered}")), "{names:?}");
        }
        assert_eq!(
            named(&ask(&[], false), &["1"]),
            Err(
                "This request offers no options. Answer with --text, --approve or --request-changes; nothing was sent."
                    .to_owned()
            )
        );
    }
}
