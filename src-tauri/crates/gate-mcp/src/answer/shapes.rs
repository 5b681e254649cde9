//! The shapes of results.

use std::marker::PhantomData;

use gate_core::SessionUuid;
use serde_json::{Value, json};

use super::{NEXT, SESSION};
use crate::input::described;
use crate::output::Shape;

/// The shape of a result by itself.
pub(crate) struct Alone<T>(PhantomData<fn() -> T>);

/// The shape of two objects in one.
pub(crate) struct Both<A, B>(PhantomData<fn() -> (A, B)>);

impl<T: Shape> Shape for Alone<T> {
    fn schema() -> Value {
        said(T::schema())
    }
}

impl<A: Shape, B: Shape> Shape for Both<A, B> {
    fn schema() -> Value {
        joined(A::schema(), B::schema())
    }
}

/// Fields that any object may lack, where another one has them.
pub(crate) struct Perhaps<T>(PhantomData<fn() -> T>);

impl<T: Shape> Shape for Perhaps<T> {
    fn schema() -> Value {
        let mut schema = T::schema();
        schema["required"] = json!([]);
        schema
    }
}

/// Two objects in one.
pub(crate) fn joined(mut one: Value, mut other: Value) -> Value {
    if let (Some(own), Some(more)) = (one["properties"].as_object_mut(), other["properties"].as_object_mut()) {
        own.append(more);
    }
    if let (Some(own), Some(more)) = (one["required"].as_array_mut(), other["required"].as_array_mut()) {
        own.append(more);
    }
    one
}

/// With what every result may say.
pub(crate) fn said(mut schema: Value) -> Value {
    if let Some(properties) = schema["properties"].as_object_mut() {
        properties.insert(SESSION.to_owned(), described(SessionUuid::schema(), "Yours; pass it on."));
        properties.insert(NEXT.to_owned(), described(String::schema(), "What to do next."));
    }
    schema
}
