//! `x.items` where `x` is a dict.
//!
//! A dot finds a dict's methods before its entries in Jinja2, whereas the engine finds entries first.
//! It matters where the keys are not the template's own: a function may well have a parameter named
//! `items`, and `properties.items()` must not stumble over it.

use std::sync::Arc;

use indexmap::IndexMap;
use minijinja::{
    Error, State, Value,
    value::{Object, ObjectRepr, ValueKind},
};

use super::methods;

/// The methods of a dict that templates may call.
pub(super) const DICT_METHODS: &[&str] = &["get", "items", "keys", "values"];

/// A method and its dict.
#[derive(Debug)]
struct BoundMethod {
    dict: Value,
    name: String,
}

impl Object for BoundMethod {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call(self: &Arc<Self>, state: &mut State, arguments: &[Value]) -> Result<Value, Error> {
        methods::call(state, &self.dict, &self.name, arguments)
    }
}

/// `value.name`, where the name is one of [`DICT_METHODS`].
pub(super) fn member(value: &Value, name: &str) -> Result<Value, Error> {
    let method = || Value::from_object(BoundMethod { dict: value.clone(), name: name.to_owned() });
    // Only dicts are index maps; namespaces and loops have attributes.
    if value.downcast_object_ref::<IndexMap<Value, Value>>().is_some() {
        return Ok(method());
    }
    let attribute = value.get_attr(name)?;
    let is_method = attribute.is_undefined() && value.kind() == ValueKind::Map;
    Ok(if is_method { method() } else { attribute })
}
