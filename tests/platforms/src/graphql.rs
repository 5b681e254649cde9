//! As much of GraphQL as a question needs: its selection, and the answer cut to it. What isn't selected isn't answered, and a
//! field that isn't there is an error, as the specification has it (GraphQL, October 2021, 2.5 and 5.3.1).

use serde_json::{Map, Value};

/// A field that is asked for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: String,
    /// Its arguments as they stand there.
    pub(crate) arguments: String,
    pub(crate) fields: Vec<Field>,
}

/// The fields of an operation.
pub(crate) fn read(query: &str) -> Result<Vec<Field>, String> {
    let open = query.find('{').ok_or("there is no selection")?;
    let mut rest = &query[open + 1..];
    let fields = selection(&mut rest)?;
    if rest.trim().is_empty() { Ok(fields) } else { Err(format!("what is this: {rest}")) }
}

fn selection(rest: &mut &str) -> Result<Vec<Field>, String> {
    let mut fields = Vec::new();
    loop {
        *rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        if let Some(after) = rest.strip_prefix('}') {
            *rest = after;
            return Ok(fields);
        }
        if let Some(after) = rest.strip_prefix("...") {
            // What is selected of one type: asked of whatever type is there.
            let open = after.find('{').ok_or("a fragment has no selection")?;
            *rest = &after[open + 1..];
            fields.extend(selection(rest)?);
            continue;
        }
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        if length == 0 {
            return Err(format!("no name at: {rest}"));
        }
        let name = rest[..length].to_owned();
        *rest = rest[length..].trim_start();
        let mut arguments = String::new();
        if let Some(after) = rest.strip_prefix('(') {
            let close = after.find(')').ok_or("arguments have no end")?;
            arguments = after[..close].to_owned();
            *rest = after[close + 1..].trim_start();
        }
        let mut inner = Vec::new();
        if let Some(after) = rest.strip_prefix('{') {
            *rest = after;
            inner = selection(rest)?;
        }
        fields.push(Field { name, arguments, fields: inner });
    }
}

/// The value with the fields that are asked for, and no others.
pub(crate) fn cut(value: &Value, fields: &[Field]) -> Result<Value, String> {
    match value {
        Value::Array(values) => {
            values.iter().map(|value| cut(value, fields)).collect::<Result<_, _>>().map(Value::Array)
        }
        Value::Object(known) if !fields.is_empty() => {
            let mut out = Map::new();
            for field in fields {
                let missing = || format!("Field '{}' doesn't exist", field.name);
                let value = known.get(&field.name).ok_or_else(missing)?;
                out.insert(field.name.clone(), cut(value, &field.fields)?);
            }
            Ok(Value::Object(out))
        }
        Value::Object(_) => Err("an object takes a selection".to_owned()),
        scalar if fields.is_empty() || scalar.is_null() => Ok(scalar.clone()),
        _ => Err("a scalar takes no selection".to_owned()),
    }
}

/// The field of this name at any depth.
pub(crate) fn find<'a>(fields: &'a [Field], name: &str) -> Option<&'a Field> {
    fields.iter().find_map(|field| if field.name == name { Some(field) } else { find(&field.fields, name) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_answer_has_what_was_asked_for() {
        let fields =
            read("query($id: ID!) { node(id: $id) { ... on Thread { id comments(first: 1) { nodes { url } } } } }");
        let fields = fields.expect("a query");
        let all = json!({"node": {"id": "T", "secret": 1, "comments": {"nodes": [{"url": "u", "body": "b"}]}}});
        let expected = json!({"node": {"id": "T", "comments": {"nodes": [{"url": "u"}]}}});
        assert_eq!(cut(&all, &fields), Ok(expected));
        assert_eq!(find(&fields, "comments").map(|field| field.arguments.as_str()), Some("first: 1"));
        assert!(cut(&json!({"node": {"id": "T"}}), &fields).is_err(), "what isn't there is an error");
        assert!(read("query { a ").is_err() && read("nothing").is_err());
    }
}
