//! `dict(type=…, …)`: a part of the run that is chosen by name.

use serde::{Deserialize, Deserializer, de};

use super::{
    error::ConfigError,
    from_node,
    value::{Node, Origin, Value},
};

/// A named part with its parameters, as written in `dict(type=FixKRetriever, fix_id_list=[0])`.
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// The last segment of the type's path: `FixKRetriever`.
    pub type_name: String,
    /// The whole dotted path, or the bare name if the config gives no path.
    pub path: String,
    /// Where the dict was written.
    pub origin: Origin,
    /// The dict without `type`.
    pub params: Node,
}

impl Component {
    /// Reads a dict that has a `type`, or a type alone, which has no parameters.
    pub fn parse(node: &Node) -> Result<Self, ConfigError> {
        let mut params = node.clone();
        let named = match &node.value {
            Value::Str(_) | Value::Type(_) => {
                params.value = Value::Dict(Vec::new());
                node.clone()
            }
            Value::Dict(_) => params.remove("type").ok_or_else(|| {
                ConfigError::at(&node.origin, "this dict needs a `type`")
                    .with_hint("write dict(type=…, …)")
            })?,
            _ => {
                let found = node.describe();
                let message = format!("expected a dict with a `type`, found {found}");
                return Err(ConfigError::at(&node.origin, message));
            }
        };
        let Some(path) = named.as_str() else {
            let message = format!("expected a class or its name, found {}", named.describe());
            return Err(ConfigError::at(&named.origin, message).under("type"));
        };
        let type_name = path.rsplit('.').next().unwrap_or(path).to_owned();
        Ok(Self { type_name, path: path.to_owned(), origin: node.origin.clone(), params })
    }

    /// The parameters as a typed struct.
    pub fn read<T: de::DeserializeOwned>(&self) -> Result<T, ConfigError> {
        from_node(&self.params)
    }
}

impl<'de> Deserialize<'de> for Component {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let node = Node::deserialize(deserializer)?;
        // The reader adds place and path of the node, so only the text goes through serde.
        Self::parse(&node).map_err(|error| match error {
            ConfigError::Value(error) => de::Error::custom(error.message),
            other => de::Error::custom(other),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_dict_with_a_type_is_taken_apart() {
        let node = Node::from_json(&json!({"k": 2, "type": "a.b.FixK"}));
        let component = Component::parse(&node).unwrap();
        assert_eq!((&*component.type_name, &*component.path), ("FixK", "a.b.FixK"));
        assert_eq!(component.params.to_json(), json!({"k": 2}));
    }

    #[test]
    fn a_type_alone_has_no_parameters() {
        let component = Component::parse(&Value::Type("x.Zero".into()).into()).unwrap();
        assert_eq!((&*component.type_name, component.params.to_json()), ("Zero", json!({})));
    }

    #[test]
    fn what_is_missing_is_said() {
        let message = |json| Component::parse(&Node::from_json(&json)).unwrap_err().to_string();
        assert!(message(json!({"a": 1})).contains("needs a `type`"));
        assert!(message(json!({"type": 3})).contains("type: expected a class or its name"));
        assert!(message(json!([1])).contains("found list [1]"));
    }
}
