//! Values while a config is evaluated.
//!
//! Lists, tuples, dicts, sets, functions and scopes live in the [`Heap`](super::heap::Heap) and are
//! referred to by index, so two variables can hold the same list, as in Python, a list can even hold
//! itself, and nothing needs a borrow check at run time or recursion to be freed.

use std::{
    hash::{Hash, Hasher},
    rc::Rc,
};

use indexmap::Equivalent;

use super::{
    builtin::Builtin,
    class::{Class, Instance},
    library::Native,
    module::Module,
};

/// A line of a config file. Files are numbered in the order in which they are opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SourceLine {
    /// Number of the file among those read.
    pub(super) file: u32,
    /// Line, from 1.
    pub(super) line: u32,
}

/// A value and the line of the expression that put it where it is.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// The value.
    pub(super) object: Object,
    /// Where it was written.
    pub(super) place: SourceLine,
}

/// A value.
#[derive(Clone, Debug)]
pub(super) enum Object {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(Rc<str>),
    List(u32),
    Tuple(u32),
    Dict(u32),
    Set(u32),
    Range(Range),
    /// A class or function that lives outside of configs, by its dotted path.
    Type(Rc<str>),
    /// `math`, `os`, …
    Module(&'static Module),
    /// A function or class of Python itself that is known here.
    Builtin(&'static Builtin),
    /// A function defined in a config.
    Function(u32),
    /// A method and the value it belongs to, as in `text.strip`.
    Method(Rc<(Object, Rc<str>)>),
    /// An opened text file: what is in it.
    File(Rc<str>),
    /// An exception: name, message, and whether the program wrote the message itself.
    Exception(Rc<(Rc<str>, Rc<str>, bool)>),
    /// What gives values once, one by one.
    Iterator(u32),
    /// A class that a file of functions defines.
    Class(Rc<Class>),
    /// An object of such a class.
    Instance(Rc<Instance>),
    /// A function of a class with the object that it is called of.
    Bound(Rc<(Object, Object)>),
    /// Something of a library of Python's.
    Native(Rc<Native>),
}

/// Python's `range`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) start: i64,
    pub(super) step: i64,
    pub(super) length: i64,
}

impl Range {
    /// The number at `index`, which is below the length.
    pub(super) fn at(self, index: i64) -> i64 {
        // Inside the range this cannot overflow: the result lies between start and stop.
        self.start.wrapping_add(self.step.wrapping_mul(index))
    }
}

impl Object {
    /// A string.
    pub(super) fn text(text: &str) -> Self {
        Self::Str(text.into())
    }

    /// A length or position.
    pub(super) fn count(count: usize) -> Self {
        // Nothing in memory is longer than an `i64` can say.
        Self::Int(i64::try_from(count).unwrap_or(i64::MAX))
    }

    /// What Python calls this kind of value.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::None => "NoneType",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Float(_) => "float",
            Self::Str(_) => "str",
            Self::List(_) => "list",
            Self::Tuple(_) => "tuple",
            Self::Dict(_) => "dict",
            Self::Set(_) => "set",
            Self::Range(_) => "range",
            Self::Type(_) | Self::Class(_) => "type",
            Self::Module(_) => "module",
            Self::Builtin(_) => "builtin_function_or_method",
            Self::Function(_) => "function",
            Self::Method(_) | Self::Bound(_) => "method",
            Self::File(_) => "file",
            Self::Exception(_) => "exception",
            Self::Iterator(_) => "generator",
            Self::Instance(_) => "object",
            Self::Native(native) => native.kind(),
        }
    }

    /// Bytes of the text that this is or is named by: what comparing or searching it goes through.
    pub(super) fn text_bytes(&self) -> usize {
        match self {
            Self::Str(text) | Self::Type(text) | Self::File(text) => text.len(),
            _ => 0,
        }
    }

    /// The value as an int; a bool is 0 or 1.
    pub(super) fn as_int(&self) -> Option<i64> {
        match self {
            Self::Bool(flag) => Some(i64::from(*flag)),
            Self::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// The value as a float, if it is a number.
    pub(super) fn as_float(&self) -> Option<f64> {
        match self {
            Self::Float(number) => Some(*number),
            _ => self.as_int().map(|number| number as f64),
        }
    }
}

/// A hashable value as the key of a dict or a member of a set: equal where Python's values are equal,
/// so that `1`, `1.0` and `True` are one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Key {
    None,
    Int(i64),
    /// Bits of a float that is no integer.
    Float(u64),
    Str(Rc<str>),
    Tuple(Rc<[Key]>),
    /// A type, function or module, by its name.
    Name(Rc<str>),
}

const STR_TAG: u8 = 3;

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::None => state.write_u8(0),
            Self::Int(number) => (1_u8, number).hash(state),
            Self::Float(bits) => (2_u8, bits).hash(state),
            Self::Str(text) => Name(text).hash(state),
            Self::Tuple(items) => (4_u8, items).hash(state),
            Self::Name(name) => (5_u8, name).hash(state),
        }
    }
}

/// A borrowed string that finds the equal [`Key::Str`].
pub(super) struct Name<'a>(pub(super) &'a str);

impl Hash for Name<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (STR_TAG, self.0).hash(state);
    }
}

impl Equivalent<Key> for Name<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        matches!(key, Key::Str(text) if **text == *self.0)
    }
}
