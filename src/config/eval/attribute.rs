//! `value.name`.

use std::rc::Rc;

use super::{
    Interpreter,
    failure::{Eval, Failure},
    method_dict, method_list, method_set, method_str,
    object::Object,
};
use crate::config::did_you_mean::nearest;

/// What an opened file can do.
const FILE_METHODS: &[&str] = &["close", "read", "readlines"];

impl Interpreter {
    /// The attribute of a value.
    pub(super) fn attribute(&self, value: &Object, name: &str) -> Eval<Object> {
        self.heap.limits.reading(name.len())?;
        match value {
            Object::Type(path) => return self.heap.new_text(format!("{path}.{name}")).map(as_type),
            Object::Module(module) => {
                self.heap.limits.text(name.len())?;
                return Ok(module.attribute(name));
            }
            Object::Dict(dict) if !self.methods(value).contains(&name) => {
                let entry = self.heap.named(*dict, name);
                if let (true, Some(slot)) = (self.heap.dict(*dict).has_attributes, entry) {
                    return Ok(slot.object.clone());
                }
            }
            Object::Exception(exception) if name == "__class__" => {
                return Ok(Object::Type(Rc::clone(&exception.0)));
            }
            Object::Builtin(builtin) if name == "__name__" => {
                return Ok(Object::text(builtin.name));
            }
            Object::Function(index) if name == "__name__" => {
                return Ok(Object::Str(Rc::clone(&self.heap.function(*index).name)));
            }
            _ => {}
        }
        if self.methods(value).contains(&name) {
            return Ok(Object::Method(Rc::new((value.clone(), name.into()))));
        }
        Err(self.missing_attribute(value, name))
    }

    fn missing_attribute(&self, value: &Object, name: &str) -> Box<Failure> {
        let message = format!("'{}' object has no attribute '{name}'", value.kind());
        let failure = Failure::raised("AttributeError", message);
        if let Object::Dict(dict) = value
            && self.heap.named(*dict, name).is_some()
        {
            return failure.with_hint(format!("the key is there: write ['{name}']"));
        }
        match nearest(name, self.methods(value).iter().copied()) {
            Some(near) => failure.with_hint(format!("did you mean `{near}`?")),
            None => failure,
        }
    }

    /// The methods that are known of a value.
    fn methods(&self, value: &Object) -> &'static [&'static str] {
        match value {
            Object::Str(_) => method_str::NAMES,
            Object::List(_) => method_list::NAMES,
            Object::Tuple(_) => method_list::TUPLE_NAMES,
            Object::Dict(dict) if self.heap.dict(*dict).has_attributes => method_dict::CONFIG_NAMES,
            Object::Dict(_) => method_dict::NAMES,
            Object::Set(_) => method_set::NAMES,
            Object::File(_) => FILE_METHODS,
            _ => &[],
        }
    }
}

fn as_type(text: Object) -> Object {
    match text {
        Object::Str(path) => Object::Type(path),
        other => other,
    }
}
