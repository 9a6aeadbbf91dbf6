//! The modules of Python that configs call: `copy`, `itertools`, `math`, `os`.

use std::path::Path;

use super::{
    Interpreter,
    border::Copying,
    builtin::Builtin,
    call::Arguments,
    dialect::Dialect,
    failure::{Eval, Failure},
    itertools,
    library::{self, Native},
    math,
    object::{Object, Slot},
    path,
};

/// A module that is known here.
#[derive(Debug)]
pub(super) struct Module {
    pub(super) name: &'static str,
    pub(super) functions: &'static [Builtin],
    pub(super) numbers: &'static [(&'static str, f64)],
    pub(super) texts: &'static [(&'static str, &'static str)],
    /// What else it has under a name.
    pub(super) others: fn(&str) -> Option<Object>,
}

/// The known modules.
static MODULES: &[Module] = &[
    Module { name: "copy", functions: COPY, numbers: &[], texts: &[], others: |_| None },
    Module {
        name: "itertools",
        functions: itertools::FUNCTIONS,
        numbers: &[],
        texts: &[],
        others: |_| None,
    },
    Module {
        name: "math",
        functions: math::FUNCTIONS,
        numbers: math::NUMBERS,
        texts: &[],
        others: |_| None,
    },
    Module { name: "os", functions: OS, numbers: &[], texts: OS_TEXTS, others: |_| None },
    Module {
        name: "os.environ",
        functions: OS_ENVIRON,
        numbers: &[],
        texts: &[],
        others: |_| None,
    },
    Module { name: "os.path", functions: OS_PATH, numbers: &[], texts: OS_TEXTS, others: |_| None },
];

static COPY: &[Builtin] =
    &[Builtin { name: "copy", call: copy }, Builtin { name: "deepcopy", call: deepcopy }];

static OS: &[Builtin] = &[Builtin { name: "getenv", call: path::getenv }];

static OS_TEXTS: &[(&str, &str)] = &[("linesep", "\n"), ("sep", "/")];

static OS_ENVIRON: &[Builtin] = &[Builtin { name: "get", call: path::getenv }];

static OS_PATH: &[Builtin] = &[
    Builtin { name: "abspath", call: path::abspath },
    Builtin { name: "basename", call: path::basename },
    Builtin { name: "dirname", call: path::dirname },
    Builtin { name: "exists", call: |it, arguments| path::is(it, arguments, Path::exists) },
    Builtin { name: "isdir", call: |it, arguments| path::is(it, arguments, Path::is_dir) },
    Builtin { name: "isfile", call: |it, arguments| path::is(it, arguments, Path::is_file) },
    Builtin { name: "join", call: path::join },
    Builtin { name: "realpath", call: path::abspath },
    Builtin { name: "splitext", call: path::splitext },
];

/// The module of this dotted path.
pub(super) fn find(path: &str) -> Option<&'static Module> {
    MODULES.iter().find(|module| module.name == path)
}

impl Module {
    /// What a module has under this name; what is not known of it is a name only, as all that lies
    /// outside.
    pub(super) fn attribute(&self, name: &str, dialect: Dialect) -> Object {
        let path = format!("{}.{name}", self.name);
        if let Some(module) = find_in(&path, dialect) {
            Object::Module(module)
        } else if let Some(other) = (self.others)(name) {
            other
        } else if let Some(function) = self.functions.iter().find(|known| known.name == name) {
            Object::Builtin(function)
        } else if let Some((_, number)) = self.numbers.iter().find(|(known, _)| *known == name) {
            Object::Float(*number)
        } else if let Some((_, text)) = self.texts.iter().find(|(known, _)| *known == name) {
            Object::text(text)
        } else if dialect == Dialect::Functions {
            Native::Missing(path.into()).object()
        } else {
            Object::Type(path.into())
        }
    }
}

/// The module of this dotted path, as far as a language knows it.
pub(super) fn find_in(path: &str, dialect: Dialect) -> Option<&'static Module> {
    match dialect {
        Dialect::Config => find(path),
        Dialect::Functions => library::find(path),
    }
}

/// What is found under `dict`.
pub(super) static OF_DICT: &[Builtin] = &[Builtin { name: "fromkeys", call: from_keys }];

/// What is found under `str`, beside its methods.
pub(super) static OF_STR: &[Builtin] = &[Builtin { name: "maketrans", call: maketrans }];

fn from_keys(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let [keys, value] = arguments.between(1)?;
    let dict = it.heap.new_dict(place)?;
    let object = value.unwrap_or(Object::None);
    for key in it.collect(&keys.unwrap_or(Object::None), place)? {
        it.heap.insert(dict, key.object, Slot { object: object.clone(), place })?;
    }
    Ok(Object::Dict(dict))
}

/// `str.maketrans(from, to, removed)`, or of a dict.
fn maketrans(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let given: [Option<Object>; 3] = arguments.between(1)?;
    let table = it.heap.new_dict(place)?;
    let code = |letter: char| Object::Int(i64::from(u32::from(letter)));
    match given {
        [Some(Object::Dict(from)), None, None] => {
            let entries: Vec<_> = it.heap.dict(from).entries.values().cloned().collect();
            for entry in entries {
                let key = match &entry.key {
                    Object::Str(text) => {
                        let mut letters = text.chars();
                        let (Some(letter), None) = (letters.next(), letters.next()) else {
                            let message = "string keys in translate table must be of length 1";
                            return Err(Failure::value_error(message));
                        };
                        code(letter)
                    }
                    other => other.clone(),
                };
                it.heap.insert(table, key, entry.value)?;
            }
        }
        [Some(Object::Str(from)), Some(Object::Str(to)), removed] => {
            if from.chars().count() != to.chars().count() {
                let message = "the first two maketrans arguments must have equal length";
                return Err(Failure::value_error(message));
            }
            for (from, to) in from.chars().zip(to.chars()) {
                it.heap.insert(table, code(from), Slot { object: code(to), place })?;
            }
            match removed {
                None => {}
                Some(Object::Str(removed)) => {
                    for letter in removed.chars() {
                        let slot = Slot { object: Object::None, place };
                        it.heap.insert(table, code(letter), slot)?;
                    }
                }
                Some(_) => return Err(Failure::type_error("maketrans() needs texts")),
            }
        }
        _ => return Err(Failure::type_error("maketrans() needs texts or a dict")),
    }
    Ok(Object::Dict(table))
}

fn deepcopy(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [value] = arguments.exactly()?;
    it.copied(&value, Copying::Deep)
}

fn copy(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let [value] = arguments.exactly()?;
    match value {
        Object::Dict(dict) => it.copy_dict(dict),
        Object::List(list) => {
            let slots = it.heap.list(list).slots.clone();
            it.heap.new_list(slots, place)
        }
        Object::Set(set) => {
            let slots = it.heap.set(set).members.values().cloned().collect();
            it.heap.new_set(slots, place)
        }
        Object::Native(native) if native.kind() == "ndarray" => {
            Err(Failure::unsupported("copy() of an array"))
        }
        other => Ok(other),
    }
}
