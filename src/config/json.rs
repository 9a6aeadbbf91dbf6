//! Nodes as JSON and back, for tools and for tests.
//!
//! JSON has no tuples, no types and only string keys. Going out, tuples become arrays, types their
//! dotted paths, and a dict with other keys than strings becomes `{"$items": [[key, value], …]}`,
//! which is also read coming in. Floats that JSON cannot hold become `"inf"`, `"-inf"` and `"nan"`.

use serde_json::{Map, Number, Value as Json};

use super::{
    print,
    value::{Node, Value},
};

/// The key of a dict that is written as a list of pairs.
const ITEMS: &str = "$items";

impl Node {
    /// The node that a JSON value stands for; its origins are `<memory>`.
    pub fn from_json(json: &Json) -> Self {
        let value = match json {
            Json::Null => Value::None,
            Json::Bool(flag) => Value::Bool(*flag),
            Json::Number(number) => from_number(number),
            Json::String(text) => Value::Str(text.clone()),
            Json::Array(items) => Value::List(items.iter().map(Self::from_json).collect()),
            Json::Object(members) => Value::Dict(match pairs(members) {
                Some(pairs) => pairs
                    .iter()
                    .map(|[key, value]| (Self::from_json(key), Self::from_json(value)))
                    .collect(),
                None => members
                    .iter()
                    .map(|(key, value)| (Value::Str(key.clone()).into(), Self::from_json(value)))
                    .collect(),
            }),
        };
        value.into()
    }

    /// This node as JSON.
    pub fn to_json(&self) -> Json {
        match &self.value {
            Value::None => Json::Null,
            Value::Bool(flag) => Json::Bool(*flag),
            Value::Int(number) => Json::from(*number),
            Value::Float(number) => Number::from_f64(*number)
                .map_or_else(|| Json::String(print::float(*number)), Json::Number),
            Value::Str(text) | Value::Type(text) => Json::String(text.clone()),
            Value::List(items) | Value::Tuple(items) => {
                Json::Array(items.iter().map(Self::to_json).collect())
            }
            Value::Dict(entries) => members(entries),
        }
    }
}

fn from_number(number: &Number) -> Value {
    match (number.as_i64(), number.as_f64()) {
        (Some(int), _) => Value::Int(int),
        (None, Some(float)) => Value::Float(float),
        (None, None) => Value::Str(number.to_string()),
    }
}

/// The pairs of a `$items` object.
fn pairs(members: &Map<String, Json>) -> Option<Vec<&[Json; 2]>> {
    let items = members.get(ITEMS).filter(|_| members.len() == 1)?.as_array()?;
    items.iter().map(|item| item.as_array()?.as_slice().try_into().ok()).collect()
}

fn members(entries: &[(Node, Node)]) -> Json {
    let named: Option<Map<String, Json>> = entries
        .iter()
        .map(|(key, value)| match &key.value {
            Value::Str(name) => Some((name.clone(), value.to_json())),
            _ => None,
        })
        .collect();
    named.map_or_else(
        || {
            let pairs = entries
                .iter()
                .map(|(key, value)| Json::Array(vec![key.to_json(), value.to_json()]))
                .collect();
            Json::Object(Map::from_iter([(ITEMS.to_owned(), Json::Array(pairs))]))
        },
        Json::Object,
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_survives_the_way_there_and_back() {
        let json = json!({"b": [1, -2.5, null, true, "x"], "a": {"$items": [[0, "A"], ["B", {}]]}});
        assert_eq!(Node::from_json(&json).to_json(), json);
    }

    #[test]
    fn infinity_becomes_text() {
        assert_eq!(Node::from(Value::Float(f64::NEG_INFINITY)).to_json(), json!("-inf"));
    }
}
