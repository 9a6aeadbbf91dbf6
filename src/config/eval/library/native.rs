//! Values of libraries: what they are, and what Python makes of them.

use std::{cell::RefCell, fmt::Write as _, rc::Rc};

use crate::{
    config::eval::{
        Interpreter,
        class::Class,
        failure::{Eval, Failure},
        heap::Heap,
        object::{Object, Slot, SourceLine},
    },
    python::PythonRandom,
};

use super::{Array, Dataset, Grid, Match, Partial, Pattern, array, unknown};

/// A value of a library.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "each lies behind a pointer of its own")]
pub(in crate::config::eval) enum Native {
    /// A function some of whose arguments are given.
    Partial(Partial),
    /// `str.strip`: a method without its object.
    Unbound {
        kind: &'static str,
        name: Rc<str>,
    },
    /// `super()`.
    Super {
        base: Option<Rc<Class>>,
        object: Object,
    },
    /// A file that was imported: the scope of its names.
    Script {
        scope: u32,
        name: Rc<str>,
    },
    /// Something that is not known here.
    Missing(Rc<str>),
    /// A logger: what is told to it is not shown.
    Logger,
    /// A kind that `isinstance` asks for.
    Kind(&'static str),
    Pattern(Rc<Pattern>),
    Match(Match),
    Random(RefCell<PythonRandom>),
    Array(Array),
    Grid(Grid),
    Dataset(Rc<Dataset>),
    /// A path of a file.
    Path(Rc<str>),
    /// A text in UTF-8.
    Bytes(Rc<str>),
    /// A fingerprint, in hexadecimal digits.
    Digest(Rc<str>),
    /// Half of a letter, which no text here can hold.
    Surrogate,
}

impl Native {
    /// As an object.
    pub(in crate::config::eval) fn object(self) -> Object {
        Object::Native(Rc::new(self))
    }

    /// What Python calls this kind of value.
    pub(in crate::config::eval) fn kind(&self) -> &'static str {
        match self {
            Self::Partial(_) => "partial",
            Self::Unbound { .. } => "method_descriptor",
            Self::Super { .. } => "super",
            Self::Script { .. } => "module",
            Self::Missing(_) => "unknown",
            Self::Logger => "Logger",
            Self::Kind(_) => "type",
            Self::Pattern(_) => "Pattern",
            Self::Match(_) => "Match",
            Self::Random(_) => "Random",
            Self::Array(_) | Self::Grid(_) => "ndarray",
            Self::Dataset(_) => "Dataset",
            Self::Path(_) => "PosixPath",
            Self::Bytes(_) => "bytes",
            Self::Digest(_) => "HASH",
            Self::Surrogate => "half of a letter",
        }
    }

    /// What is iterated over.
    pub(in crate::config::eval) fn items(&self, heap: &Heap, place: SourceLine) -> Eval<Vec<Slot>> {
        match self {
            Self::Array(array) => {
                heap.limits.elements(array.len())?;
                Ok(array.objects().map(|object| Slot { object, place }).collect())
            }
            Self::Grid(grid) => Self::Array(grid.array()?).items(heap, place),
            _ => Err(self.refused("is not iterable")),
        }
    }

    /// What is wrong with using this value so.
    pub(in crate::config::eval) fn refused(&self, how: &str) -> Box<Failure> {
        match self {
            Self::Missing(path) => unknown(path),
            _ => Failure::type_error(format!("'{}' object {how}", self.kind())),
        }
    }

    /// Python's `len`.
    pub(in crate::config::eval) fn length(&self) -> Option<usize> {
        match self {
            Self::Array(array) => Some(array.len()),
            Self::Grid(grid) => Some(grid.len()),
            Self::Dataset(dataset) => Some(dataset.rows.len()),
            Self::Bytes(text) => Some(text.len()),
            _ => None,
        }
    }

    /// Python's truth.
    pub(in crate::config::eval) fn truth(&self) -> Eval<bool> {
        match self {
            Self::Missing(path) => Err(unknown(path)),
            Self::Array(array) => array.truth(),
            Self::Grid(grid) => grid.array()?.truth(),
            Self::Dataset(dataset) => Ok(!dataset.rows.is_empty()),
            Self::Bytes(text) => Ok(!text.is_empty()),
            _ => Ok(true),
        }
    }

    /// Whether it can be a key of a dict: by what it is, not by what is in it.
    pub(in crate::config::eval) fn is_hashable(&self) -> bool {
        matches!(self, Self::Pattern(_) | Self::Partial(_) | Self::Script { .. })
    }

    /// Whether this is the same pattern as another.
    pub(in crate::config::eval) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Pattern(left), Self::Pattern(right)) => Rc::ptr_eq(left, right),
            (Self::Kind(left), Self::Kind(right)) => left == right,
            _ => false,
        }
    }

    /// `left in self`.
    pub(in crate::config::eval) fn contains(&self, it: &Interpreter, left: &Object) -> Eval<bool> {
        match self {
            Self::Array(array) => {
                for item in array.objects() {
                    if it.heap.is_equal(&item, left)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Self::Grid(grid) => Self::Array(grid.array()?).contains(it, left),
            _ => Err(self.refused("is not a container")),
        }
    }

    /// `self[index]`.
    pub(in crate::config::eval) fn item(
        &self,
        it: &mut Interpreter,
        index: &Object,
        place: SourceLine,
    ) -> Eval<Object> {
        match self {
            Self::Match(found) => found.group(it, index),
            Self::Array(array) => array.item(it, index),
            Self::Grid(grid) => grid.item(it, index),
            Self::Dataset(dataset) => dataset.item(it, index, place),
            // An annotation such as `Iterable[int]`.
            Self::Kind(name) => Ok(Self::Kind(name).object()),
            Self::Missing(path) => Ok(Self::Missing(Rc::clone(path)).object()),
            _ => Err(self.refused("is not subscriptable")),
        }
    }

    /// `self[index] = value`.
    pub(in crate::config::eval) fn set_item(
        &self,
        it: &Interpreter,
        index: &Object,
        value: &Object,
    ) -> Eval<()> {
        match self {
            Self::Grid(grid) => grid.set_item(it, index, value),
            Self::Array(_) => Err(Failure::unsupported("an assignment to a part of this array")),
            _ => Err(self.refused("does not support item assignment")),
        }
    }

    /// `-self`.
    pub(in crate::config::eval) fn negated(&self) -> Eval<Object> {
        match self {
            Self::Grid(grid) => Ok(grid.negated()),
            Self::Array(array) => {
                let kind = array.kind();
                if kind != array::Kind::Float {
                    return Err(Failure::unsupported("`-` of an array but of floats"));
                }
                Ok(Self::Array(array.mapped(|number| -number)?).object())
            }
            _ => Err(self.refused("has no negative")),
        }
    }

    /// `isinstance(value, self)`.
    pub(in crate::config::eval) fn is_kind_of(&self, value: &Object) -> Eval<bool> {
        let native = |kind: &str| matches!(value, Object::Native(native) if native.kind() == kind);
        match self {
            Self::Kind("Number") => Ok(value.as_float().is_some()),
            Self::Kind("Iterable") => Ok(matches!(
                value,
                Object::Str(_)
                    | Object::List(_)
                    | Object::Tuple(_)
                    | Object::Dict(_)
                    | Object::Set(_)
                    | Object::Range(_)
                    | Object::Iterator(_)
            ) || native("ndarray")),
            Self::Kind("Sequence") => Ok(matches!(
                value,
                Object::Str(_) | Object::List(_) | Object::Tuple(_) | Object::Range(_)
            )),
            Self::Kind("Mapping") => Ok(matches!(value, Object::Dict(_))),
            Self::Kind(name) => Ok(native(name)),
            Self::Missing(path) => Err(unknown(path)),
            _ => Err(Failure::type_error("isinstance() arg 2 must be a type")),
        }
    }

    /// Python's `repr`.
    pub(in crate::config::eval) fn write_repr(&self, heap: &Heap, out: &mut String) -> Eval<()> {
        heap.limits.text(16)?;
        match self {
            Self::Missing(path) => return Err(unknown(path)),
            // Only messages show these.
            Self::Kind(name) => _ = write!(out, "<class '{name}'>"),
            Self::Script { name, .. } => _ = write!(out, "<module '{name}'>"),

            _ => return Err(Failure::unsupported(format_args!("the text of a {}", self.kind()))),
        }
        Ok(())
    }
}
