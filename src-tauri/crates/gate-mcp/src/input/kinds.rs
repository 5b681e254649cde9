//! The kinds of values that fields may have: the schema of each, and how it is read.

use std::marker::PhantomData;
use std::str::FromStr;

use gate_core::ask::excerpt;
use gate_core::{Code, Fault, SessionUuid};
use serde_json::{Map, Value, json};

use super::Fields;

/// What a field may be. A tool that needs one of its own implements it beside itself.
pub(crate) trait Kind {
    /// What is read.
    type Value;

    /// Its JSON Schema, without a description.
    fn schema(&self) -> Value;

    /// Reads a value that errors call `path`.
    ///
    /// # Errors
    /// `invalid_input` or `too_many` that name `path`.
    fn read(&self, path: &str, value: Value) -> Result<Self::Value, Fault>;

    /// Several of them, as an error names them after `an array of`.
    fn several(&self) -> String {
        "such values".to_owned()
    }
}

/// A text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text {
    least: Option<usize>,
    most: Option<usize>,
}

/// A text of any length.
pub(crate) const TEXT: Text = Text { least: None, most: None };

impl Text {
    /// With at least so many characters.
    pub(crate) const fn at_least(self, least: usize) -> Self {
        Self { least: Some(least), ..self }
    }

    /// With at most so many characters.
    pub(crate) const fn at_most(self, most: usize) -> Self {
        Self { most: Some(most), ..self }
    }
}

impl Kind for Text {
    type Value = String;

    fn schema(&self) -> Value {
        with_bounds(json!({ "type": "string" }), [("minLength", self.least), ("maxLength", self.most)])
    }

    fn read(&self, path: &str, value: Value) -> Result<String, Fault> {
        match value {
            Value::String(text) => Ok(text),
            other => Err(wrong_type(path, "a string", &other)),
        }
    }

    fn several(&self) -> String {
        "strings".to_owned()
    }
}

/// True or false.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flag;

/// The one kind of flag.
pub(crate) const FLAG: Flag = Flag;

impl Kind for Flag {
    type Value = bool;

    fn schema(&self) -> Value {
        json!({ "type": "boolean" })
    }

    fn read(&self, path: &str, value: Value) -> Result<bool, Fault> {
        value.as_bool().ok_or_else(|| wrong_type(path, "true or false", &value))
    }
}

/// An identifier that an earlier result gave.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Id<T>(PhantomData<fn() -> T>);

impl<T> Id<T> {
    /// An identifier of this type.
    pub(crate) const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T: FromStr<Err = Fault>> Kind for Id<T> {
    type Value = T;

    fn schema(&self) -> Value {
        json!({ "type": "string", "format": "uuid" })
    }

    fn read(&self, path: &str, value: Value) -> Result<T, Fault> {
        TEXT.read(path, value)?.parse()
    }
}

/// The session of the call, the same for every tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Session;

/// The session of the call.
pub(crate) const SESSION: Session = Session;

impl Kind for Session {
    type Value = SessionUuid;

    fn schema(&self) -> Value {
        let about = "The session of an earlier result. Leave it out on the first call.";
        super::described(Id::<SessionUuid>::new().schema(), about)
    }

    fn read(&self, path: &str, value: Value) -> Result<SessionUuid, Fault> {
        Id::new().read(path, value)
    }
}

/// A whole number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Whole {
    /// The least that it may be.
    pub(crate) least: u64,
    /// The most that it may be.
    pub(crate) most: u64,
}

impl Kind for Whole {
    type Value = u64;

    fn schema(&self) -> Value {
        match self.most {
            u64::MAX => json!({ "type": "integer", "minimum": self.least }),
            most => json!({ "type": "integer", "minimum": self.least, "maximum": most }),
        }
    }

    fn read(&self, path: &str, value: Value) -> Result<u64, Fault> {
        // Some clients write every number with a fraction.
        let float = value.as_f64().filter(|number| number.fract() == 0.0 && (0.0..9e15).contains(number));
        let whole = value.as_u64().or(float.map(|number| number as u64));
        whole.filter(|number| (self.least..=self.most).contains(number)).ok_or_else(|| match value.is_number() {
            true => Fault::new(
                Code::InvalidInput,
                format!(
                    "`{path}` is {}; it must be a whole number{}.",
                    excerpt(&value.to_string(), 60),
                    self.between()
                ),
                "Pass the field as the tool's input schema says, or leave it out.",
            ),
            false => wrong_type(path, "a whole number", &value),
        })
    }
}

impl Whole {
    fn between(&self) -> String {
        match self.most {
            u64::MAX => format!(" from {}", self.least),
            most => format!(" from {} to {most}", self.least),
        }
    }
}

/// One of several words.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Word<T: 'static> {
    /// Those that there are.
    pub(crate) all: &'static [T],
    /// How one is written.
    pub(crate) name: fn(T) -> &'static str,
    /// What a text stands for; words that are accepted besides among them.
    pub(crate) read: fn(&str) -> Option<T>,
}

impl<T: Copy + PartialEq> Kind for Word<T> {
    type Value = T;

    fn schema(&self) -> Value {
        let names: Vec<_> = self.all.iter().map(|word| (self.name)(*word)).collect();
        json!({ "type": "string", "enum": names })
    }

    fn read(&self, path: &str, value: Value) -> Result<T, Fault> {
        let text = TEXT.read(path, value)?;
        (self.read)(&text).filter(|word| self.all.contains(word)).ok_or_else(|| {
            let names: Vec<_> = self.all.iter().map(|word| (self.name)(*word)).collect();
            Fault::new(
                Code::InvalidInput,
                format!("`{path}` is {:?}; it may be one of {}.", excerpt(&text, 60), names.join(", ")),
                "Pass one of the words.",
            )
        })
    }
}

/// What is accepted and stands in no schema.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unlisted<K>(pub(crate) K);

impl<K: Kind> Kind for Unlisted<K> {
    type Value = K::Value;

    fn schema(&self) -> Value {
        Value::Null
    }

    fn read(&self, path: &str, value: Value) -> Result<Self::Value, Fault> {
        self.0.read(path, value)
    }
}

/// Several values of one kind.
#[derive(Debug, Clone, Copy)]
pub(crate) struct List<K> {
    of: K,
    most: usize,
    is_checked: bool,
}

impl<K> List<K> {
    /// At most so many, which is checked where the domain stores them.
    pub(crate) const fn of(of: K, most: usize) -> Self {
        Self { of, most, is_checked: false }
    }

    /// At most so many, which is checked here.
    pub(crate) const fn bounded(of: K, most: usize) -> Self {
        Self { of, most, is_checked: true }
    }
}

impl<K: Kind> Kind for List<K> {
    type Value = Vec<K::Value>;

    fn schema(&self) -> Value {
        json!({ "type": "array", "items": self.of.schema(), "maxItems": self.most })
    }

    fn read(&self, path: &str, value: Value) -> Result<Self::Value, Fault> {
        let Value::Array(items) = value else {
            return Err(wrong_type(path, &format!("an array of {}", self.of.several()), &value));
        };
        if self.is_checked {
            not_too_many(path, items.len(), self.most)?;
        }
        let item = |(index, item)| self.of.read(&format!("{path}[{index}]"), item);
        items.into_iter().enumerate().map(item).collect()
    }
}

/// An object that may be passed as the text of its one needed field.
pub(crate) trait Named: Fields + From<String> {
    /// That field.
    const KEY: &'static str;
    /// What one of them is called.
    const ONE: &'static str;
}

/// [`Named`] objects, as texts or as objects.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Brief<T>(PhantomData<fn() -> T>);

impl<T> Brief<T> {
    /// Objects of this type.
    pub(crate) const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T: Named> Kind for Brief<T> {
    type Value = T;

    fn schema(&self) -> Value {
        json!({ "anyOf": [T::properties().remove(T::KEY), T::schema()] })
    }

    fn read(&self, path: &str, value: Value) -> Result<T, Fault> {
        let mut fields = match value {
            Value::String(text) => return Ok(T::from(text)),
            Value::Object(fields) => fields,
            other => return Err(wrong_type(path, &format!("a string or an object with a {}", T::KEY), &other)),
        };
        let mut read = T::default();
        for &name in T::NAMES {
            match fields.remove(name).filter(|value| !value.is_null()) {
                Some(value) => {
                    read.take(name, &format!("{path}.{name}"), value)?;
                }
                None if name == T::KEY => {
                    return Err(Fault::new(
                        Code::InvalidInput,
                        format!("`{path}` has no `{name}`."),
                        format!("Give every {} a {name}, or pass plain strings.", T::ONE),
                    ));
                }
                None => {}
            }
        }
        Ok(read)
    }

    fn several(&self) -> String {
        format!("strings or of objects with a {}", T::KEY)
    }
}

/// An object with fields of its own. A field that there isn't is an error here: what it was meant to say would be missed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Object<T>(PhantomData<fn() -> T>);

impl<T> Object<T> {
    /// Objects of this type.
    pub(crate) const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T: Fields> Kind for Object<T> {
    type Value = T;

    fn schema(&self) -> Value {
        let mut schema = T::schema();
        if let Some(schema) = schema.as_object_mut() {
            schema.insert("additionalProperties".to_owned(), false.into());
        }
        schema
    }

    fn read(&self, path: &str, value: Value) -> Result<T, Fault> {
        let Value::Object(fields) = value else { return Err(wrong_type(path, "an object", &value)) };
        let there = |name: &str| fields.get(name).is_some_and(|value| !value.is_null());
        if let Some(missing) = T::NEEDED.iter().find(|name| !there(name)) {
            return Err(Fault::new(
                Code::InvalidInput,
                format!("`{path}` has no `{missing}`."),
                "Pass the field as the tool's input schema says.",
            ));
        }
        let mut read = T::default();
        for (name, value) in fields {
            if value.is_null() {
                continue;
            }
            let field = format!("{path}.{name}");
            if !T::NAMES.contains(&name.as_str()) || !read.take(&name, &field, value)? {
                return Err(Fault::new(
                    Code::InvalidInput,
                    format!("`{path}` has an unknown field {:?}.", excerpt(&name, 60)),
                    format!("Its fields are {}.", T::NAMES.join(", ")),
                ));
            }
        }
        Ok(read)
    }
}

/// An object with names of the agent's choice.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entries {
    /// At most so many.
    pub(crate) most: usize,
    /// What it is, as an error names it.
    pub(crate) wanted: &'static str,
}

impl Kind for Entries {
    type Value = Map<String, Value>;

    fn schema(&self) -> Value {
        json!({ "type": "object", "minProperties": 1, "maxProperties": self.most })
    }

    fn read(&self, path: &str, value: Value) -> Result<Self::Value, Fault> {
        let Value::Object(entries) = value else { return Err(wrong_type(path, self.wanted, &value)) };
        not_too_many(path, entries.len(), self.most)?;
        Ok(entries)
    }
}

fn with_bounds(mut schema: Value, bounds: [(&str, Option<usize>); 2]) -> Value {
    for (name, bound) in bounds {
        if let (Some(schema), Some(bound)) = (schema.as_object_mut(), bound) {
            schema.insert(name.to_owned(), bound.into());
        }
    }
    schema
}

fn not_too_many(path: &str, count: usize, most: usize) -> Result<(), Fault> {
    if count <= most {
        return Ok(());
    }
    Err(Fault::new(
        Code::TooMany,
        format!("`{path}` has {count} entries; at most {most} are allowed."),
        "Pass fewer at a time.",
    ))
}

/// The error for a value of another type than `wanted`.
pub(crate) fn wrong_type(path: &str, wanted: &str, found: &Value) -> Fault {
    let kind = match found {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    Fault::new(
        Code::InvalidInput,
        format!("`{path}` must be {wanted}, but it is {kind}."),
        "Pass the field as the tool's input schema says, or leave it out.",
    )
}
