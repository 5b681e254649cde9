//! What a tool gives, declared once: the structure of its result and the schema of that.

mod shapes;

use gate_core::Fault;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::input::described;

/// What a type looks like as JSON.
pub(crate) trait Shape {
    /// Its JSON Schema, without a description.
    fn schema() -> Value;

    /// The schema where it is there, for what is left out otherwise.
    fn present() -> Value {
        Self::schema()
    }

    /// Whether it is left out where it may be.
    fn is_absent(&self) -> bool {
        false
    }
}

/// What a tool gives. [`output!`] implements it.
pub(crate) trait Output: Shape {
    /// The same, borrowed from what is told.
    type Of<'a>: Serialize;
}

/// The structure of a result.
pub(crate) fn structure<O: Output>(output: &O::Of<'_>) -> Result<Value, Fault> {
    serde_json::to_value(output).map_err(|error| Fault::internal(error.to_string()))
}

/// The field of a result's structure for what a model is told besides.
pub(crate) const ASIDES: &str = "asides";

/// Says in the structure what the text says besides: some clients hand their model nothing but the structure.
pub(crate) fn add_asides(structured: &mut Value, asides: &[String]) {
    let Some(fields) = structured.as_object_mut().filter(|_| !asides.is_empty()) else { return };
    match fields.get_mut(ASIDES).and_then(Value::as_array_mut) {
        Some(there) => there.extend(asides.iter().map(|aside| json!(aside))),
        None => drop(fields.insert(ASIDES.to_owned(), json!(asides))),
    }
}

/// The schema of a type that may be null: of a scalar one more type, of words one more word.
fn or_null(mut schema: Value) -> Value {
    let Some(fields) = schema.as_object_mut() else { return schema };
    if let Some(words) = fields.get_mut("enum").and_then(Value::as_array_mut) {
        words.push(Value::Null);
        fields.remove("type");
        return schema;
    }
    match fields.get("type").and_then(Value::as_str) {
        None | Some("object" | "array") => json!({ "anyOf": [schema, { "type": "null" }] }),
        Some(scalar) => {
            let types = json!([scalar, "null"]);
            fields.insert("type".to_owned(), types);
            schema
        }
    }
}

/// The schema of an object, from its fields.
#[derive(Debug, Default)]
pub(crate) struct Object {
    properties: Map<String, Value>,
    required: Vec<&'static str>,
}

impl Object {
    /// The schema of a field that is always there.
    pub(crate) fn always<T: Shape>() -> (Value, bool) {
        (T::schema(), true)
    }

    /// The schema of a field that may be left out.
    pub(crate) fn maybe<T: Shape>() -> (Value, bool) {
        (T::present(), false)
    }

    /// With a field. `more` is what its schema says besides what its type does.
    pub(crate) fn with(
        mut self,
        name: &'static str,
        (mut schema, is_required): (Value, bool),
        more: Value,
        about: &str,
    ) -> Self {
        add(&mut schema, more);
        self.properties.insert(name.to_owned(), described(schema, about));
        self.required.extend(is_required.then_some(name));
        self
    }

    /// The whole schema; `more` is what it says besides.
    pub(crate) fn schema(self, more: Value) -> Value {
        let mut schema = json!({ "type": "object", "properties": self.properties, "required": self.required });
        add(&mut schema, more);
        schema
    }
}

fn add(schema: &mut Value, more: Value) {
    if let (Some(schema), Value::Object(more)) = (schema.as_object_mut(), more) {
        schema.extend(more);
    }
}

/// Declares what is given: a struct, how it is written as JSON, and the schema of that. A field is
/// described by its documentation; `name ?: type` is left out where it [`Shape::is_absent`]; what stands
/// behind `=` is added to a schema; `as` is how a field is written, where that isn't its name. With `of`, a type of another crate, whose fields the compiler compares.
macro_rules! output {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident $(<$life:lifetime>)? {
            $($(#[doc = $about:literal])* $field:ident $(as $told:literal)? $(? : $maybe:ty)? $(: $always:ty)? $(= $more:tt)?,)+
        } $(= $all:tt)?
    ) => {
        $(#[$meta])*
        #[derive(Debug)]
        $visibility struct $name $(<$life>)? {
            $($(#[doc = $about])* pub(crate) $field: $($maybe)? $($always)?,)+
        }

        impl $(<$life>)? serde::Serialize for $name $(<$life>)? {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeStruct as _;
                let count = [$(stringify!($field)),+].len();
                let mut written = serializer.serialize_struct(stringify!($name), count)?;
                $(
                    let name = $crate::input::named!($field $($told)?);
                    $(if !<$maybe as $crate::output::Shape>::is_absent(&self.$field) {
                        written.serialize_field::<$maybe>(name, &self.$field)?;
                    })?
                    $(written.serialize_field::<$always>(name, &self.$field)?;)?
                )+
                written.end()
            }
        }

        $crate::output::output!(@shape [$(<$life>)?] $name {
            $($(#[doc = $about])* $field $(as $told)? $(? : $maybe)? $(: $always)? $(= $more)?,)+
        } $(= $all)?);
        $crate::output::output!(@output $name $($life)?);
    };
    (
        of $name:ident {
            $($(#[doc = $about:literal])* $field:ident $(as $told:literal)? $(? : $maybe:ty)? $(: $always:ty)? $(= $more:tt)?,)+
        }
    ) => {
        // Its fields are these, no more and no fewer.
        const _: fn($name) = |whole| {
            let $name { $($field),+ } = whole;
            $($(let _: $maybe = $field;)? $(let _: $always = $field;)?)+
        };

        $crate::output::output!(@shape [] $name {
            $($(#[doc = $about])* $field $(as $told)? $(? : $maybe)? $(: $always)? $(= $more)?,)+
        });
        $crate::output::output!(@output $name);
    };
    (
        @shape [$($generics:tt)*] $name:ident {
            $($(#[doc = $about:literal])* $field:ident $(as $told:literal)? $(? : $maybe:ty)? $(: $always:ty)? $(= $more:tt)?,)+
        } $(= $all:tt)?
    ) => {
        impl $($generics)* $crate::output::Shape for $name $($generics)* {
            fn schema() -> serde_json::Value {
                $crate::output::Object::default()
                $(
                    .with(
                        $crate::input::named!($field $($told)?),
                        $($crate::output::Object::maybe::<$maybe>())? $($crate::output::Object::always::<$always>())?,
                        $crate::output::output!(@json $($more)?),
                        concat!($($about),*),
                    )
                )+
                .schema($crate::output::output!(@json $($all)?))
            }
        }
    };
    (@output $name:ident) => {
        impl $crate::output::Output for $name {
            type Of<'a> = $name;
        }
    };
    (@output $name:ident $life:lifetime) => {
        impl $crate::output::Output for $name<'static> {
            type Of<$life> = $name<$life>;
        }
    };
    (@json) => { serde_json::Value::Null };
    (@json $more:tt) => { serde_json::json!($more) };
}
pub(crate) use output;

/// Declares the words of an enum, in the order of the schema; one that is forgotten doesn't compile.
macro_rules! words {
    ($name:ident: $($word:ident),+) => {
        impl $crate::output::Shape for $name {
            fn schema() -> serde_json::Value {
                const _: fn($name) = |word| match word {
                    $($name::$word)|+ => {}
                };
                serde_json::json!({ "type": "string", "enum": [$($name::$word),+] })
            }
        }
    };
}
pub(crate) use words;

/// Identifiers, whose form says nothing to whoever reads them.
macro_rules! ids {
    ($($id:ty),+) => {
        $(impl $crate::output::Shape for $id {
            fn schema() -> serde_json::Value {
                serde_json::json!({ "type": "string", "format": "uuid" })
            }
        })+
    };
}
pub(crate) use ids;
