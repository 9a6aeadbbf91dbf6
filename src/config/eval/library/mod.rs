//! What functions use of Python's libraries, each as exact as Python or refused.
//!
//! A module is a table of functions; what is not in it can be imported, because a file imports much that a function does
//! not need, and is refused where it is used.

mod array;
mod assignment;
mod collections;
mod column_types;
mod dataset;
mod dataset_functions;
mod functools;
mod grid;
mod json;
mod literal;
mod metrics;
mod native;
mod numpy;
mod paths;
mod random;
mod re;
mod re_match;
mod replacement;
mod table;
mod texts;

use std::rc::Rc;

use ruff_python_ast::{CmpOp, Operator};

pub(super) use self::{
    array::Array,
    dataset::Dataset,
    functools::Partial,
    grid::Grid,
    native::Native,
    re::Pattern,
    re_match::Match,
    table::{EMBEDDED, find, of_class},
};
use super::{
    Interpreter,
    call::Arguments,
    failure::{Eval, Failure},
    object::Object,
};

/// Something of a library that is not known here.
pub(super) fn unknown(path: &str) -> Box<Failure> {
    Failure::unsupported(format_args!("`{path}`, which is not known here"))
}

impl Interpreter {
    /// `native.name`.
    pub(super) fn native_attribute(&mut self, native: &Rc<Native>, name: &str) -> Eval<Object> {
        let methods = match &**native {
            Native::Missing(path) => {
                let whole = format!("{path}.{name}");
                return Ok(match find(&whole) {
                    Some(module) => Object::Module(module),
                    None => Native::Missing(whole.into()).object(),
                });
            }
            Native::Script { scope, name: module } => {
                let variables = self.scope_at(*scope).variables;
                return match self.heap.named(variables, name) {
                    Some(slot) => Ok(slot.object.clone()),
                    None => Err(Failure::raised(
                        "AttributeError",
                        format!("module '{module}' has no attribute '{name}'"),
                    )),
                };
            }
            Native::Super { base, object } => {
                let found = base.as_ref().and_then(|base| self.bound_attribute(base, object, name));
                return match found {
                    Some(found) => Ok(found),
                    None if name == "__init__" => {
                        Ok(Native::Unbound { kind: "object", name: name.into() }.object())
                    }
                    None => Err(Failure::raised(
                        "AttributeError",
                        format!("'super' object has no attribute '{name}'"),
                    )),
                };
            }
            Native::Match(found) => match found.attribute(name) {
                Some(value) => return Ok(value),
                None => re_match::METHODS,
            },
            Native::Pattern(pattern) => match name {
                "pattern" => return self.heap.new_text(pattern.as_str()),
                _ => re::PATTERN_METHODS,
            },
            Native::Array(array) => match array.attribute(name) {
                Some(value) => return Ok(value),
                None => array::METHODS,
            },
            Native::Dataset(dataset) => {
                let dataset = Rc::clone(dataset);
                match dataset.attribute(self, name)? {
                    Some(value) => return Ok(value),
                    None => dataset::METHODS,
                }
            }
            Native::Random(_) => random::METHODS,
            Native::Path(path) => match paths::attribute(path, name) {
                Some(value) => return Ok(value),
                None => paths::METHODS,
            },
            Native::Digest(_) => paths::DIGEST_METHODS,
            Native::Logger => METHODS,
            Native::Partial(_)
            | Native::Unbound { .. }
            | Native::Kind(_)
            | Native::Bytes(_)
            | Native::Grid(_)
            | Native::Surrogate => &[],
        };
        if methods.contains(&name) {
            let receiver = Object::Native(Rc::clone(native));
            return Ok(Object::Method(Rc::new((receiver, name.into()))));
        }
        Err(Failure::unsupported(format_args!("`.{name}` of a {}", native.kind())))
    }

    /// `native(…)`.
    pub(super) fn call_native(
        &mut self,
        native: &Rc<Native>,
        arguments: Arguments,
    ) -> Eval<Object> {
        match &**native {
            Native::Partial(partial) => self.call_partial(partial, arguments),
            Native::Unbound { kind: "object", .. } => {
                let [] = arguments.exactly()?;
                Ok(Object::None)
            }
            Native::Unbound { kind, name } => {
                let mut arguments = arguments;
                if arguments.positional.is_empty() {
                    return Err(Failure::type_error(format!(
                        "unbound method {kind}.{name}() needs an argument"
                    )));
                }
                let receiver = arguments.positional.remove(0).object;
                if receiver.kind() != *kind {
                    let message = format!(
                        "descriptor '{name}' for '{kind}' objects doesn't apply to a '{}' object",
                        receiver.kind()
                    );
                    return Err(Failure::type_error(message));
                }
                let method = self.attribute(&receiver, name)?;
                self.call(&method, arguments)
            }
            // What a file makes of libraries while it is loaded matters only to functions that use it.
            Native::Missing(path) if self.is_loading() => {
                Ok(Native::Missing(format!("{path}(…)").into()).object())
            }
            other => Err(other.refused("is not callable")),
        }
    }

    /// `native.name(…)`.
    pub(super) fn native_method(
        &mut self,
        native: &Rc<Native>,
        name: &str,
        arguments: Arguments,
    ) -> Eval<Object> {
        match &**native {
            Native::Logger => Ok(Object::None),
            Native::Pattern(pattern) => self.pattern_method(pattern, name, arguments),
            Native::Match(found) => self.match_method(found, name, arguments),
            Native::Random(random) => self.random_method(random, name, arguments),
            Native::Array(array) => self.array_method(array, name, arguments),
            Native::Dataset(dataset) => self.dataset_method(dataset, name, arguments),
            Native::Path(path) => self.path_method(path, name, arguments),
            Native::Digest(digits) => {
                let [] = arguments.exactly()?;
                Ok(Object::Str(Rc::clone(digits)))
            }
            other => Err(other.refused("has no such method")),
        }
    }

    /// `left op right` where one of the two is of a library.
    pub(super) fn native_operation(
        &mut self,
        op: Operator,
        left: &Object,
        right: &Object,
    ) -> Eval<Option<Object>> {
        if let (Object::Native(native), Operator::Div) = (left, op)
            && let Native::Path(path) = &**native
        {
            return paths::joined(path, right).map(Some);
        }
        match (left, right) {
            (Object::Native(native), _) | (_, Object::Native(native)) => match &**native {
                Native::Missing(path) => Err(unknown(path)),
                Native::Array(_) | Native::Grid(_) => {
                    array::operation(op, left, right, self).map(Some)
                }
                _ => Ok(None),
            },
            (Object::Dict(left), Object::Dict(right)) => self.counter_operation(op, *left, *right),
            _ => Ok(None),
        }
    }

    /// `left op right` of a comparison, where one of the two is an array.
    pub(super) fn compare_arrays(
        &mut self,
        op: CmpOp,
        left: &Object,
        right: &Object,
    ) -> Eval<Option<Object>> {
        for side in [left, right] {
            if let Object::Native(native) = side {
                match &**native {
                    Native::Array(_) | Native::Grid(_)
                        if !matches!(op, CmpOp::In | CmpOp::NotIn | CmpOp::Is | CmpOp::IsNot) =>
                    {
                        return array::comparison(op, left, right, self).map(Some);
                    }
                    Native::Missing(path) if !matches!(op, CmpOp::Is | CmpOp::IsNot) => {
                        return Err(unknown(path));
                    }
                    _ => {}
                }
            }
        }
        Ok(None)
    }
}

/// Methods of loggers.
pub(super) const METHODS: &[&str] =
    &["critical", "debug", "error", "exception", "info", "setLevel", "warn", "warning"];

/// Whether a value of a library has a method of this name.
pub(super) fn of_natives(name: &str) -> bool {
    if matches!(name, "encode" | "name" | "parent" | "stem") {
        return true;
    }
    [
        array::METHODS,
        dataset::METHODS,
        paths::METHODS,
        paths::DIGEST_METHODS,
        random::METHODS,
        re_match::METHODS,
        re::PATTERN_METHODS,
    ]
    .iter()
    .any(|methods| methods.contains(&name))
}

/// The text of an argument.
fn text_of(value: Option<Object>, what: &str) -> Eval<Rc<str>> {
    match value {
        Some(Object::Str(text)) => Ok(text),
        Some(other) => {
            Err(Failure::type_error(format!("{what}: expected str, found {}", other.kind())))
        }
        None => Err(Failure::type_error(format!("{what}: an argument is missing"))),
    }
}
