//! `value.name`.

use std::rc::Rc;

use super::{
    Interpreter,
    container::Flavour,
    dialect::Dialect,
    failure::{Eval, Failure},
    library::{self, Native},
    method_dict, method_list, method_set, method_str,
    object::{Object, Slot, SourceLine},
};
use crate::config::did_you_mean::nearest;

/// What an opened file can do.
const FILE_METHODS: &[&str] = &["close", "read", "readlines"];

impl Interpreter {
    /// The attribute of a value.
    pub(super) fn attribute(&mut self, value: &Object, name: &str) -> Eval<Object> {
        self.heap.limits.reading(name.len())?;
        match value {
            Object::Type(path) if name == "__name__" && self.dialect == Dialect::Functions => {
                let own = path.rsplit('.').next().unwrap_or(path);
                return self.heap.new_text(own);
            }
            Object::Type(path) => return self.heap.new_text(format!("{path}.{name}")).map(as_type),
            Object::Module(module) => {
                self.heap.limits.text(name.len())?;
                return Ok(module.attribute(name, self.dialect));
            }
            Object::Dict(dict) if !self.methods(value).contains(&name) => {
                let entry = self.heap.named(*dict, name);
                if let (true, Some(slot)) = (self.heap.dict(*dict).has_attributes, entry) {
                    return Ok(slot.object.clone());
                }
            }
            Object::Exception(exception) if name == "args" && exception.2 => {
                let slot = Slot {
                    object: Object::Str(Rc::clone(&exception.1)),
                    place: SourceLine::default(),
                };
                return self.heap.new_tuple(vec![slot], SourceLine::default());
            }
            Object::Exception(exception) if name == "__class__" => {
                return Ok(Object::Type(Rc::clone(&exception.0)));
            }
            Object::Native(native) => {
                if let Some(found) = of_kind(native, name) {
                    return Ok(found);
                }
                let native = Rc::clone(native);
                return self.native_attribute(&native, name);
            }
            Object::Instance(instance) => {
                return self.instance_attribute(instance, name).ok_or_else(|| {
                    let class = &instance.class.name;
                    let message = format!("'{class}' object has no attribute '{name}'");
                    Failure::raised("AttributeError", message)
                });
            }
            Object::Class(class) => {
                if name == "__name__" {
                    return Ok(Object::Str(Rc::clone(&class.name)));
                }
                return self.class_attribute(class, name).ok_or_else(|| {
                    let class = &class.name;
                    let message = format!("type object '{class}' has no attribute '{name}'");
                    Failure::raised("AttributeError", message)
                });
            }
            Object::Float(number) if name == "is_integer" && self.dialect == Dialect::Functions => {
                return Ok(Object::Method(Rc::new((Object::Float(*number), name.into()))));
            }
            Object::Builtin(builtin)
                if self.dialect == Dialect::Functions && name != "__name__" =>
            {
                if let Some(found) = library::of_class(builtin.name, name) {
                    return Ok(found);
                }
                let known = match builtin.name {
                    "str" => method_str::NAMES,
                    "list" => method_list::NAMES,
                    "dict" => method_dict::NAMES,
                    _ => &[],
                };
                if known.contains(&name) {
                    return Ok(Native::Unbound { kind: builtin.name, name: name.into() }.object());
                }
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
            Object::Dict(dict) if matches!(self.heap.dict(*dict).flavour, Flavour::Counter) => {
                method_dict::COUNTER_NAMES
            }
            Object::Dict(_) => method_dict::NAMES,
            Object::Set(_) => method_set::NAMES,
            Object::File(_) => FILE_METHODS,
            _ => &[],
        }
    }
}

fn of_kind(native: &Native, name: &str) -> Option<Object> {
    match native {
        Native::Kind(kind) => library::of_class(kind, name),
        _ => None,
    }
}

fn as_type(text: Object) -> Object {
    match text {
        Object::Str(path) => Object::Type(path),
        other => other,
    }
}
