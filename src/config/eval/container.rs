//! What lists, dicts, sets and functions are made of.

use std::{
    cell::OnceCell,
    collections::HashSet,
    rc::{Rc, Weak},
};

use indexmap::IndexMap;
use ruff_python_ast::{Parameters, Stmt};

use super::{
    class::Class,
    object::{Key, Object, Slot, SourceLine},
};

/// The items of a list or tuple.
#[derive(Debug)]
pub(super) struct Items {
    pub(super) slots: Vec<Slot>,
    /// Where the list was made.
    pub(super) place: SourceLine,
    /// Whether it was made of a set, so that its order means nothing.
    pub(super) is_unordered: bool,
}

/// How a dict answers for keys that it has not.
#[derive(Clone, Debug, Default)]
pub(super) enum Flavour {
    /// With an error.
    #[default]
    Plain,
    /// `OrderedDict`.
    Ordered,
    /// `Counter`: nothing was counted.
    Counter,
    /// `defaultdict`: with what this makes.
    Default(Object),
}

/// A dict.
#[derive(Debug)]
pub(super) struct Dict {
    pub(super) entries: IndexMap<Key, DictEntry>,
    /// Where the dict was made.
    pub(super) place: SourceLine,
    /// Whether entries can be read as attributes: dicts that came through `read_base` can.
    pub(super) has_attributes: bool,
    /// How it answers for keys that it has not.
    pub(super) flavour: Flavour,
}

/// A key as it was written, and its value.
#[derive(Clone, Debug)]
pub(super) struct DictEntry {
    pub(super) key: Object,
    pub(super) value: Slot,
}

/// A set, in order of insertion.
#[derive(Debug)]
pub(super) struct Set {
    pub(super) members: IndexMap<Key, Slot>,
    pub(super) place: SourceLine,
}

/// A function defined in a config.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) name: Rc<str>,
    /// The names that its body binds: they are never looked for further out. Configs have none of it.
    pub(super) locals: HashSet<Rc<str>>,
    /// The class whose body it stands in, once that is made.
    pub(super) class: OnceCell<Weak<Class>>,
    pub(super) parameters: Parameters,
    /// Values of defaults, by parameter name.
    pub(super) defaults: Vec<(Rc<str>, Slot)>,
    pub(super) body: Body,
    /// The scope it was defined in.
    pub(super) scope: u32,
    pub(super) file: u32,
}

/// What a function does.
#[derive(Debug)]
pub(super) enum Body {
    Statements(Vec<Stmt>),
    /// Of a lambda.
    Expression(ruff_python_ast::Expr),
}
