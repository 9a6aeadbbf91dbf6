//! Typed structs from nodes, by serde, with errors that name the line and the path of keys.
//!
//! A [`Node`] can itself be a field of a typed struct. serde has no call for "give me the input as
//! it is", so `Node` asks for a newtype of a reserved name; this deserializer, which alone knows the
//! name, lays the node in a thread-local slot and answers with a unit. Other formats know nothing of
//! the name and refuse.

use std::cell::Cell;

use serde::{
    Deserialize, Deserializer,
    de::{self, IntoDeserializer, Visitor, value::StrDeserializer},
};

use super::{
    error::ConfigError,
    value::{Node, Value},
};

/// The newtype name by which a [`Node`] asks for the input itself.
const NODE: &str = "$surprisal::config::Node";

thread_local! {
    /// The node on its way from the deserializer to `Node::deserialize`.
    static HANDED_OVER: Cell<Option<Node>> = const { Cell::new(None) };
}

/// Reads a node as a `T`; errors name the place and the path of keys.
pub fn from_node<T: de::DeserializeOwned>(node: &Node) -> Result<T, ConfigError> {
    T::deserialize(Reader(node)).map_err(|error| error.found_at(&node.origin))
}

/// The deserializer over a node.
#[derive(Clone, Copy)]
struct Reader<'n>(&'n Node);

impl<'n> Reader<'n> {
    fn mismatch(self, expected: &str) -> ConfigError {
        de::Error::custom(format!("expected {expected}, found {}", self.0.describe()))
    }

    fn items(self) -> Result<&'n [Node], ConfigError> {
        self.0.as_list().ok_or_else(|| self.mismatch("a list"))
    }

    fn entries(self) -> Result<&'n [(Node, Node)], ConfigError> {
        self.0.as_dict().ok_or_else(|| self.mismatch("a dict"))
    }
}

/// Methods that accept one kind of value only and say so in Python's words.
macro_rules! scalars {
    ($($method:ident: $get:ident => $visit:ident, $expected:literal;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigError> {
            let value = self.0.$get().ok_or_else(|| self.mismatch($expected))?;
            visitor.$visit(value).map_err(|error: ConfigError| error.found_at(&self.0.origin))
        }
    )*};
}

impl<'de> Deserializer<'de> for Reader<'_> {
    type Error = ConfigError;

    scalars! {
        deserialize_bool: as_bool => visit_bool, "a bool";
        deserialize_i8: as_int => visit_i64, "an int";
        deserialize_i16: as_int => visit_i64, "an int";
        deserialize_i32: as_int => visit_i64, "an int";
        deserialize_i64: as_int => visit_i64, "an int";
        deserialize_u8: as_int => visit_i64, "an int";
        deserialize_u16: as_int => visit_i64, "an int";
        deserialize_u32: as_int => visit_i64, "an int";
        deserialize_u64: as_int => visit_i64, "an int";
        deserialize_f32: as_float => visit_f64, "a float";
        deserialize_f64: as_float => visit_f64, "a float";
        deserialize_char: as_str => visit_str, "a str of one character";
        deserialize_str: as_str => visit_str, "a str";
        deserialize_string: as_str => visit_str, "a str";
        deserialize_identifier: as_str => visit_str, "a str";
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigError> {
        match &self.0.value {
            Value::None => visitor.visit_unit(),
            Value::Bool(flag) => visitor.visit_bool(*flag),
            Value::Int(number) => visitor.visit_i64(*number),
            Value::Float(number) => visitor.visit_f64(*number),
            Value::Str(text) | Value::Type(text) => visitor.visit_str(text),
            Value::List(_) | Value::Tuple(_) => self.deserialize_seq(visitor),
            Value::Dict(_) => self.deserialize_map(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigError> {
        if self.0.is_none() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigError> {
        if self.0.is_none() { visitor.visit_unit() } else { Err(self.mismatch("None")) }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ConfigError> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ConfigError> {
        if name == NODE {
            HANDED_OVER.set(Some(self.0.clone()));
            return visitor.visit_unit();
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigError> {
        let items = self.items()?.iter().enumerate();
        visitor.visit_seq(Items { items }).map_err(|error| error.found_at(&self.0.origin))
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, ConfigError> {
        let found = self.items()?.len();
        if found != length {
            let message = format!("expected {length} items, found {found}");
            return Err(ConfigError::at(&self.0.origin, message));
        }
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, ConfigError> {
        self.deserialize_tuple(length, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ConfigError> {
        let entries = Entries { entries: self.entries()?.iter(), value: None };
        visitor.visit_map(entries).map_err(|error| error.found_at(&self.0.origin))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ConfigError> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ConfigError> {
        let read = match &self.0.value {
            Value::Str(name) | Value::Type(name) => {
                let name: StrDeserializer<'_, ConfigError> = name.as_str().into_deserializer();
                visitor.visit_enum(name)
            }
            Value::Dict(entries) if entries.len() == 1 => {
                let entries = Entries { entries: entries.iter(), value: None };
                visitor.visit_enum(de::value::MapAccessDeserializer::new(entries))
            }
            _ => Err(self.mismatch("a str")),
        };
        read.map_err(|error| error.found_at(&self.0.origin))
    }

    serde::forward_to_deserialize_any! { bytes byte_buf ignored_any }
}

/// The items of a list or tuple.
struct Items<'n, I: Iterator<Item = (usize, &'n Node)>> {
    items: I,
}

impl<'de, 'n, I: Iterator<Item = (usize, &'n Node)>> de::SeqAccess<'de> for Items<'n, I> {
    type Error = ConfigError;

    fn next_element_seed<T: de::DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ConfigError> {
        let Some((index, item)) = self.items.next() else { return Ok(None) };
        seed.deserialize(Reader(item))
            .map(Some)
            .map_err(|error| error.found_at(&item.origin).under(format!("[{index}]")))
    }

    fn size_hint(&self) -> Option<usize> {
        self.items.size_hint().1
    }
}

/// The entries of a dict. Between key and value it holds the entry whose value is next.
struct Entries<'n> {
    entries: std::slice::Iter<'n, (Node, Node)>,
    value: Option<&'n (Node, Node)>,
}

impl<'de> de::MapAccess<'de> for Entries<'_> {
    type Error = ConfigError;

    fn next_key_seed<K: de::DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ConfigError> {
        let Some(entry) = self.entries.next() else { return Ok(None) };
        self.value = Some(entry);
        let (key, value) = entry;
        // The value's line is where the entry is; a key that came through a variable may not be.
        seed.deserialize(Reader(key)).map(Some).map_err(|error| error.found_at(&value.origin))
    }

    fn next_value_seed<V: de::DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, ConfigError> {
        let Some((key, value)) = self.value.take() else {
            return Err(de::Error::custom("a value was asked for before its key"));
        };
        let name = match &key.value {
            Value::Str(name) => name.clone(),
            _ => format!("[{}]", super::print::repr(key)),
        };
        seed.deserialize(Reader(value)).map_err(|error| error.found_at(&value.origin).under(name))
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Taker;

        impl Visitor<'_> for Taker {
            type Value = Node;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a value of a config")
            }

            fn visit_unit<E: de::Error>(self) -> Result<Node, E> {
                HANDED_OVER.take().ok_or_else(|| E::custom("a node can only be read from a node"))
            }
        }

        deserializer.deserialize_newtype_struct(NODE, Taker)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::{super::component::Component, *};

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct Plan {
        name: String,
        rate: f64,
        #[serde(default)]
        count: Option<usize>,
        #[serde(default)]
        steps: Vec<Step>,
        #[serde(default)]
        anything: Option<Node>,
        #[serde(default)]
        labels: BTreeMap<i64, String>,
        #[serde(default)]
        part: Option<Component>,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    struct Step {
        mode: Mode,
        #[serde(default)]
        pair: (i32, u8),
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "snake_case")]
    enum Mode {
        Every,
        Last,
    }

    fn read(json: &serde_json::Value) -> Result<Plan, String> {
        from_node(&Node::from_json(json)).map_err(|error| error.to_string())
    }

    #[test]
    fn every_kind_of_value_finds_its_field() {
        let plan = read(&json!({
            "name": "n", "rate": 1, "count": null, "anything": {"$items": [[1, [2]]]},
            "steps": [{"mode": "every", "pair": [1, 2]}], "labels": {"$items": [[0, "A"]]},
            "part": {"type": "a.B", "x": 1},
        }))
        .unwrap();
        assert!((plan.rate - 1.0).abs() < f64::EPSILON);
        assert_eq!(plan.count, None);
        assert_eq!(plan.steps, [Step { mode: Mode::Every, pair: (1, 2) }]);
        assert_eq!(plan.anything.unwrap().to_json(), json!({"$items": [[1, [2]]]}));
        assert_eq!(plan.labels, BTreeMap::from([(0, "A".to_owned())]));
        assert_eq!(plan.part.unwrap().type_name, "B");
    }

    #[test]
    fn a_type_reads_as_its_path() {
        let node = Node::from(Value::Type("torch.float16".into()));
        assert_eq!(from_node::<String>(&node).unwrap(), "torch.float16");
    }

    #[test]
    fn mistakes_are_named_in_python_terms_with_their_path() {
        let cases = [
            (json!({"name": 3}), "name: expected a str, found int 3"),
            (json!({"name": "n", "steps": "abc"}), "steps: expected a list, found str 'abc'"),
            (json!({"name": "n"}), "this dict needs a `rate`"),
            (json!({"nmae": "n"}), "unknown field 'nmae' (did you mean 'name'?)"),
            (json!({"count": -1}), "count: expected an int that is not negative, found int -1"),
            (json!({"count": 1.5}), "count: expected an int, found float 1.5"),
            (json!({"steps": [{"mode": "evry"}]}), "unknown value 'evry' (did you mean 'every'?)"),
            (
                json!({"steps": [{"mode": "last", "pair": [1, 256]}]}),
                "steps[0].pair[1]: expected an int from 0 to 255, found int 256",
            ),
            (json!({"steps": [{"pair": [1]}]}), "steps[0].pair: expected 2 items, found 1"),
            (json!({"labels": {"a": "b"}}), "labels: expected an int, found str 'a'"),
            (json!({"part": {"x": 1}}), "part: this dict needs a `type`"),
        ];
        for (json, fragment) in cases {
            let message = read(&json).unwrap_err();
            assert!(message.contains(fragment), "{message:?} lacks {fragment:?}");
        }
    }
}
