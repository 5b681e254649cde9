//! Canonical JSON ([RFC 8785](https://www.rfc-editor.org/rfc/rfc8785)): every value has one form, whoever writes it, so
//! that others can make its digest again.
//!
//! Of numbers it has the integers that every program reads as they are written. It knows no single type.

use std::fmt::Display;

use serde::Serialize;
use serde_json::{Number, Value};

use crate::fault::Fault;

/// The largest integer that a double tells from its neighbours: 2⁵³ − 1.
const LARGEST: u64 = (1 << 53) - 1;

/// A value as canonical JSON.
///
/// # Errors
/// `internal` where it has a number that is no integer below 2⁵³, or can't be serialised.
pub fn json(value: &impl Serialize) -> Result<String, Fault> {
    let value = serde_json::to_value(value).map_err(unfit)?;
    let mut text = String::new();
    write(&value, &mut text)?;
    Ok(text)
}

fn write(value: &Value, text: &mut String) -> Result<(), Fault> {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(is) => text.push_str(if *is { "true" } else { "false" }),
        Value::Number(number) => text.push_str(&integer(number)?),
        Value::String(string) => write_string(string, text)?,
        Value::Array(items) => {
            text.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                write(item, text)?;
            }
            text.push(']');
        }
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            // By units of UTF-16, as JavaScript sorts; beyond U+FFFF that is another order than UTF-8's.
            fields.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
            text.push('{');
            for (at, (name, field)) in fields.into_iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                write_string(name, text)?;
                text.push(':');
                write(field, text)?;
            }
            text.push('}');
        }
    }
    Ok(())
}

/// serde_json escapes what section 3.2.2.2 has escaped, in the same way, and nothing else.
fn write_string(string: &str, text: &mut String) -> Result<(), Fault> {
    text.push_str(&serde_json::to_string(string).map_err(unfit)?);
    Ok(())
}

fn integer(number: &Number) -> Result<String, Fault> {
    match number.as_i64() {
        Some(integer) if integer.unsigned_abs() <= LARGEST => Ok(integer.to_string()),
        _ => Err(unfit(format_args!("{number} is no integer below 2^53"))),
    }
}

fn unfit(reason: impl Display) -> Fault {
    Fault::internal(format!("A digest can't be made: {reason}."))
}

#[cfg(test)]
mod tests {
    use crate::fault::Code;

    use super::*;

    /// What is read of this text, in its canonical form.
    fn canonical(text: &str) -> Result<String, Code> {
        let value: Value = serde_json::from_str(text).expect("it is JSON");
        json(&value).map_err(|fault| fault.code)
    }

    #[test]
    fn strings_and_literals_are_written_as_in_the_rfc_s_example() {
        // Section 3.2.2, without its numbers.
        let text = r#"{
            "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
            "literals": [null, true, false]
        }"#;
        let expected = r#"{"literals":[null,true,false],"string":"€$\u000f\nA'B\"\\\\\"/"}"#;
        assert_eq!(canonical(text).as_deref(), Ok(expected));
    }

    #[test]
    fn only_what_has_to_be_is_escaped() {
        let all: String = (0..0x20).map(|unit| format!("\\u{unit:04X}")).collect();
        let expected = concat!(
            r#""\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f"#,
            r#"\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c\u001d\u001e\u001f""#
        );
        assert_eq!(canonical(&format!("\"{all}\"")).as_deref(), Ok(expected), "short forms, and digits in lower case");
        let plain = "\"\u{7f}\u{80}\u{200b}\u{2028}\u{feff}\u{fffd}\u{1f600}</é e\u{301}\"";
        assert_eq!(canonical(plain).as_deref(), Ok(plain), "all else stays as it is, and nothing is normalised");
    }

    #[test]
    fn fields_are_sorted_by_their_names_in_utf_16() {
        // Section 3.2.3.
        let text = r#"{
            "\u20ac": "Euro Sign",
            "\r": "Carriage Return",
            "\ufb33": "Hebrew Letter Dalet With Dagesh",
            "1": "One",
            "\ud83d\ude00": "Emoji: Grinning Face",
            "\u0080": "Control",
            "\u00f6": "Latin Small Letter O With Diaeresis"
        }"#;
        let expected = concat!(
            r#"{"\r":"Carriage Return","1":"One",""#,
            "\u{80}",
            r#"":"Control","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","#,
            r#""😀":"Emoji: Grinning Face",""#,
            "\u{fb33}",
            r#"":"Hebrew Letter Dalet With Dagesh"}"#
        );
        assert_eq!(canonical(text).as_deref(), Ok(expected), "the face stands before the letter, as in no UTF-8");
        let nested = r#"[{"b": {"d": [], "c": {}}, "a": [ {"f": 1, "e": 2} ]}]"#;
        assert_eq!(canonical(nested).as_deref(), Ok(r#"[{"a":[{"e":2,"f":1}],"b":{"c":{},"d":[]}}]"#), "at any depth");
    }

    #[test]
    fn integers_are_written_as_they_are_and_other_numbers_refused() {
        // Appendix B has the two largest ones.
        let whole = "[0,1,-1,9007199254740991,-9007199254740991]";
        assert_eq!(canonical(whole).as_deref(), Ok(whole));
        for number in ["9007199254740992", "-9007199254740992", "18446744073709551615", "1.0", "1e2", "-0", "4.5"] {
            assert_eq!(canonical(number), Err(Code::Internal), "{number}");
        }
    }
}
