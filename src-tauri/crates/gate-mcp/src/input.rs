//! What a tool takes, declared once: schema and parser follow from it, and what the fuzz tests damage. A
//! wrong type is an error that names the field; an unknown field is ignored and named, so that a stray
//! `timeout` doesn't cost the question; null is absent.
//!
//! A bound stands in the schema. Texts are checked against theirs where the domain stores them.

mod kinds;

use gate_core::Fault;
use gate_core::ask::excerpt;
use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};

pub(crate) use kinds::{
    Brief, Entries, FLAG, Id, Kind, List, Named, Object, SESSION, TEXT, Unlisted, Whole, Word, wrong_type,
};

/// Most unknown fields that are named in a result.
pub(crate) const UNKNOWN_NAMED: usize = 10;

/// The fields of an object that an agent passes. [`fields!`] implements it.
pub(crate) trait Fields: Default {
    /// Their names, in the order of the declaration.
    const NAMES: &'static [&'static str];
    /// Those that the schema asks for.
    const NEEDED: &'static [&'static str];

    /// The schema of each.
    fn properties() -> Map<String, Value>;

    /// Takes the value of a field, which is not null and is called `path` in errors. False for a field
    /// that there isn't.
    ///
    /// # Errors
    /// `invalid_input` or `too_many` that name `path`.
    fn take(&mut self, name: &str, path: &str, value: Value) -> Result<bool, Fault>;

    /// The object's schema.
    fn schema() -> Value {
        match Self::NEEDED {
            [] => json!({ "type": "object", "properties": Self::properties() }),
            needed => json!({ "type": "object", "properties": Self::properties(), "required": needed }),
        }
    }
}

/// Arguments as they were read.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Read<T> {
    pub(crate) input: T,
    /// Names of fields that the tool doesn't know.
    pub(crate) unknown: Vec<String>,
}

/// Reads the arguments of a call.
///
/// # Errors
/// Of the first field that is wrong.
pub(crate) fn read<T: Fields>(arguments: Option<JsonObject>) -> Result<Read<T>, Fault> {
    let mut read = Read { input: T::default(), unknown: Vec::new() };
    for (field, value) in arguments.unwrap_or_default() {
        if !value.is_null() && !read.input.take(&field, &field, value)? && read.unknown.len() < UNKNOWN_NAMED {
            read.unknown.push(excerpt(&field, 60));
        }
    }
    Ok(read)
}

/// What the model is told of fields that the tool doesn't know.
pub(crate) fn unknown_note(unknown: &[String]) -> Option<String> {
    (!unknown.is_empty()).then(|| format!("Ignored unknown fields: {}.", unknown.join(", ")))
}

/// The schema of a field with what its documentation says.
pub(crate) fn property(kind: &impl Kind, about: &str) -> Value {
    described(kind.schema(), about)
}

/// A schema with a description, where there is one.
pub(crate) fn described(mut schema: Value, about: &str) -> Value {
    let about = about.trim();
    if let (Some(schema), false) = (schema.as_object_mut(), about.is_empty()) {
        schema.insert("description".to_owned(), about.into());
    }
    schema
}

/// Declares what a tool takes: a struct whose fields have a type, a [`Kind`], and documentation that is
/// their description in the schema. `needs` names those that the schema asks for; `as` is how a field is written, where
/// that isn't its name.
macro_rules! fields {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident $(needs $($needed:ident $(as $asked:literal)?),+)? {
            $($(#[doc = $about:literal])* $field:ident $(as $told:literal)?: $type:ty = $kind:expr,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Default, Clone, PartialEq)]
        $visibility struct $name {
            $($(#[doc = $about])* pub(crate) $field: $type,)+
        }

        impl $crate::input::Fields for $name {
            const NAMES: &'static [&'static str] = &[$($crate::input::named!($field $($told)?)),+];
            const NEEDED: &'static [&'static str] = &[$($($crate::input::named!($needed $($asked)?)),+)?];

            fn properties() -> serde_json::Map<String, serde_json::Value> {
                let mut properties = serde_json::Map::new();
                $(properties.insert(
                    $crate::input::named!($field $($told)?).to_owned(),
                    $crate::input::property(&$kind, concat!($($about),*)),
                );)+
                // What is accepted and told to nobody has none.
                properties.retain(|_, schema| !schema.is_null());
                properties
            }

            fn take(&mut self, name: &str, path: &str, value: serde_json::Value) -> Result<bool, gate_core::Fault> {
                match name {
                    $($crate::input::named!($field $($told)?) => {
                        self.$field = $crate::input::Kind::read(&$kind, path, value)?.into();
                    })+
                    _ => return Ok(false),
                }
                Ok(true)
            }
        }

        // What is needed is one of the fields.
        $(const _: fn(&$name) = |input| { $(let _ = &input.$needed;)+ };)?
    };
}
pub(crate) use fields;

/// How a field is written.
macro_rules! named {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $told:literal) => {
        $told
    };
}
pub(crate) use named;
