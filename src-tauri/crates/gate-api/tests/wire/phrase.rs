//! Texts by name, as they pass.

use std::path::Path;

use gate_api::{Phrase, PhraseValue};

#[test]
fn a_phrase_keeps_its_numbers_on_the_wire() -> serde_json::Result<()> {
    let phrase = Phrase::new("finding-disk-left").with("folder", Path::new("/srv/7")).with("megabytes", 7_u64);
    let wire = r#"{"id":"finding-disk-left","values":{"folder":"/srv/7","megabytes":7}}"#;
    assert_eq!(serde_json::to_string(&phrase)?, wire);
    assert_eq!(serde_json::from_str::<Phrase>(wire)?, phrase);
    let (none, zero) = (PhraseValue::from(None::<&str>), PhraseValue::from("0"));
    assert_eq!((none, zero), (PhraseValue::Number(0), PhraseValue::Text("0".to_owned())), "no text is nothing");
    Ok(())
}
