//! JSON whose objects say which keys stand in them twice.
//!
//! The last value of such a key counts, as in Python, and nothing of the first is left in the value. So a
//! repetition is seen while the text is read, which costs nothing more, or never.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// What leads to a key, outermost first, and the key itself.
pub(super) type KeyPath = Vec<Part>;

/// A part of a [`KeyPath`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A key of an object.
    Key(String),
    /// An item of a list, from 0.
    Item(usize),
}

/// Keys that stand twice in the objects of one row, with the place of that row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepeatedKeys {
    /// The file, and the line or item.
    pub place: String,
    /// The keys, as `question` or `options.A`.
    pub keys: Vec<String>,
}

/// The value that a text is, and the keys that stand twice in an object.
pub(super) fn parse(text: &str) -> Result<(Value, Vec<KeyPath>), serde_json::Error> {
    let mut repeated = Vec::new();
    let mut json = serde_json::Deserializer::from_str(text);
    let value = Watched(&mut repeated).deserialize(&mut json)?;
    json.end()?;
    for path in &mut repeated {
        path.reverse();
    }
    Ok((value, repeated))
}

/// `options[2].text`.
pub(super) fn shown(path: &[Part]) -> String {
    path.iter().fold(String::new(), |mut text, part| {
        match part {
            Part::Key(key) if text.is_empty() => text.push_str(key),
            Part::Key(key) => text.extend([".", key]),
            Part::Item(index) => text.extend(["[", &index.to_string(), "]"]),
        }
        text
    })
}

/// Reads a value; the paths of its repeated keys, innermost part first, go into the list.
struct Watched<'r>(&'r mut Vec<KeyPath>);

impl Watched<'_> {
    /// Says what leads to the keys that were found since there were `known`.
    fn below(&mut self, known: usize, part: impl Fn() -> Part) {
        for path in self.0.iter_mut().skip(known) {
            path.push(part());
        }
    }
}

impl<'de> DeserializeSeed<'de> for Watched<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Watched<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        let mut known = self.0.len();
        while let Some(value) = items.next_element_seed(Watched(self.0))? {
            let index = values.len();
            self.below(known, || Part::Item(index));
            known = self.0.len();
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let known = self.0.len();
            let value = entries.next_value_seed(Watched(self.0))?;
            self.below(known, || Part::Key(key.clone()));
            if members.contains_key(&key) {
                self.0.push(vec![Part::Key(key.clone())]);
            }
            members.insert(key, value);
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repeated(text: &str) -> Vec<String> {
        parse(text).unwrap().1.iter().map(|path| shown(path)).collect()
    }

    #[test]
    fn the_value_is_what_serde_json_reads() {
        for text in [
            r#"{"b": [1, -2, 2.50, 18446744073709551615, 1e400, "é\n", null, true, {}], "a": {"x": []}}"#,
            r#"{"a": 1, "b": 2, "a": 3}"#,
            "[",
            "{\"a\" 1}",
            "1 2",
            "",
        ] {
            let plain = serde_json::from_str::<Value>(text).map_err(|error| error.to_string());
            let own = parse(text).map(|(value, _)| value).map_err(|error| error.to_string());
            assert_eq!(own, plain, "{text}");
            if let (Ok(own), Ok(plain)) = (own, plain) {
                assert_eq!(own.to_string(), plain.to_string());
            }
        }
    }

    #[test]
    fn a_key_that_stands_twice_is_named_with_what_leads_to_it() {
        assert_eq!(repeated(r#"{"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]}"#), Vec::<String>::new());
        assert_eq!(repeated(r#"{"a": 1, "b": 2, "a": 1}"#), ["a"]);
        let deep = r#"{"o": [{"t": 1}, {"t": 2, "u": {"x": 1, "x": 2, "x": 3}}], "t": 1, "o": 2}"#;
        assert_eq!(repeated(deep), ["o[1].u.x", "o[1].u.x", "o"]);
    }
}
