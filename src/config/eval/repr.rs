//! `str()` and `repr()` of values.

use std::fmt::Write as _;

use super::{
    container::Flavour,
    dialect::Dialect,
    failure::{Eval, Failure},
    heap::{Heap, too_deep},
    iterate::no_order,
    limits::VALUE_DEPTH,
    object::{Object, Slot},
};
use crate::{config::print, python::write_text};

/// The text of an error that the program did not raise itself.
fn unknown_words() -> Box<Failure> {
    Failure::unsupported("the words of an error of Python's own")
}

impl Heap {
    /// Python's `str(value)`.
    pub(super) fn str(&self, object: &Object) -> Eval<String> {
        match object {
            Object::Str(text) => {
                self.limits.text(text.len())?;
                Ok(text.to_string())
            }
            Object::Exception(exception) if !exception.2 => Err(unknown_words()),
            Object::Exception(exception) => {
                self.limits.text(exception.1.len())?;
                Ok(exception.1.to_string())
            }
            _ => self.repr(object),
        }
    }

    /// Python's `repr(value)`.
    pub(super) fn repr(&self, object: &Object) -> Eval<String> {
        let mut out = String::new();
        self.write_repr(object, &mut out, VALUE_DEPTH)?;
        Ok(out)
    }

    fn write_repr(&self, object: &Object, out: &mut String, depth: usize) -> Eval<()> {
        self.limits.steps(1)?;
        let Some(depth) = depth.checked_sub(1) else { return Err(too_deep()) };
        match object {
            Object::List(index) => {
                self.ordered(object)?;
                self.write_items(self.list(*index).slots.iter(), "[", "]", out, depth)?;
            }
            Object::Tuple(index) => {
                let slots = &self.tuple(*index).slots;
                let close = if slots.len() == 1 { ",)" } else { ")" };
                self.write_items(slots.iter(), "(", close, out, depth)?;
            }
            Object::Set(index) => {
                let members = &self.set(*index).members;
                if members.len() > 1 && self.limits.dialect() == Dialect::Functions {
                    return Err(no_order());
                }
                if members.is_empty() {
                    out.push_str("set()");
                } else {
                    self.write_items(members.values(), "{", "}", out, depth)?;
                }
            }
            Object::Dict(index) if !matches!(self.dict(*index).flavour, Flavour::Plain) => {
                return Err(Failure::unsupported(
                    "the text of a Counter, defaultdict or OrderedDict",
                ));
            }
            Object::Dict(index) => {
                out.push('{');
                for (at, entry) in self.dict(*index).entries.values().enumerate() {
                    out.push_str(if at == 0 { "" } else { ", " });
                    self.write_repr(&entry.key, out, depth)?;
                    out.push_str(": ");
                    self.write_repr(&entry.value.object, out, depth)?;
                }
                out.push('}');
            }
            Object::Exception(exception) if !exception.2 => return Err(unknown_words()),
            Object::Iterator(_) | Object::Instance(_) | Object::Class(_) | Object::Bound(_) => {
                return Err(Failure::unsupported(format_args!("the text of a {}", object.kind())));
            }
            Object::Native(native) => native.write_repr(self, out)?,
            _ => {
                // Counted as it is written: one long text may stand in a list many times.
                let before = out.len();
                self.limits.text(object.text_bytes())?;
                self.write_single(object, out);
                self.limits.text((out.len() - before).saturating_sub(object.text_bytes()))?;
            }
        }
        Ok(())
    }

    /// A value with no others in it.
    fn write_single(&self, object: &Object, out: &mut String) {
        match object {
            Object::None => out.push_str("None"),
            Object::Bool(flag) => out.push_str(if *flag { "True" } else { "False" }),
            Object::Int(number) => _ = write!(out, "{number}"),
            Object::Float(number) => out.push_str(&print::float(*number)),
            Object::Str(text) => write_text(out, text),
            Object::Range(range) => {
                let stop = range.at(range.length);
                _ = match range.step {
                    1 => write!(out, "range({}, {stop})", range.start),
                    step => write!(out, "range({}, {stop}, {step})", range.start),
                };
            }
            Object::Type(path) => out.push_str(path),
            Object::Module(module) => _ = write!(out, "<module '{}'>", module.name),
            Object::Builtin(builtin) => _ = write!(out, "<class '{}'>", builtin.name),
            Object::Function(index) => _ = write!(out, "<function {}>", self.function(*index).name),
            Object::Method(method) => _ = write!(out, "<method {}>", method.1),
            Object::File(_) => out.push_str("<file>"),
            Object::Exception(exception) => {
                _ = write!(out, "{}(", exception.0);
                write_text(out, &exception.1);
                out.push(')');
            }
            Object::List(_)
            | Object::Tuple(_)
            | Object::Dict(_)
            | Object::Set(_)
            | Object::Iterator(_)
            | Object::Class(_)
            | Object::Instance(_)
            | Object::Bound(_)
            | Object::Native(_) => {}
        }
    }

    fn write_items<'a>(
        &self,
        slots: impl Iterator<Item = &'a Slot>,
        open: &str,
        close: &str,
        out: &mut String,
        depth: usize,
    ) -> Eval<()> {
        out.push_str(open);
        for (at, slot) in slots.enumerate() {
            out.push_str(if at == 0 { "" } else { ", " });
            self.write_repr(&slot.object, out, depth)?;
        }
        out.push_str(close);
        Ok(())
    }
}
