//! Python's built-in functions that configs use.

use std::rc::Rc;

use super::{
    Interpreter, builtin_number, builtin_sequence,
    call::Arguments,
    dialect::Dialect,
    exception::is_kind_of,
    failure::{Eval, Failure},
    library::Native,
    object::{Object, Slot},
    path, quoted,
};

/// A function, or a class used as one.
#[derive(Debug)]
pub(super) struct Builtin {
    pub(super) name: &'static str,
    pub(super) call: fn(&mut Interpreter, Arguments) -> Eval<Object>,
}

/// The known ones, sorted by name.
static BUILTINS: &[Builtin] = &[
    Builtin { name: "abs", call: builtin_number::abs },
    Builtin { name: "all", call: |it, arguments| builtin_sequence::any(it, arguments, false) },
    Builtin { name: "any", call: |it, arguments| builtin_sequence::any(it, arguments, true) },
    Builtin { name: "bool", call: bool },
    Builtin { name: "chr", call: chr },
    Builtin { name: "dict", call: Interpreter::new_dict_from },
    Builtin { name: "divmod", call: builtin_number::divmod },
    Builtin { name: "enumerate", call: builtin_sequence::enumerate },
    Builtin { name: "eval", call: quoted::eval },
    Builtin { name: "filter", call: builtin_sequence::filter },
    Builtin { name: "float", call: builtin_number::float },
    Builtin { name: "frozenset", call: builtin_sequence::set },
    Builtin { name: "getattr", call: getattr },
    Builtin { name: "globals", call: globals },
    Builtin { name: "hasattr", call: hasattr },
    Builtin { name: "int", call: builtin_number::int },
    Builtin { name: "isinstance", call: isinstance },
    Builtin { name: "len", call: builtin_sequence::len },
    Builtin { name: "list", call: builtin_sequence::list },
    Builtin { name: "locals", call: locals },
    Builtin { name: "map", call: builtin_sequence::map },
    Builtin { name: "max", call: |it, arguments| it.extreme(arguments, true) },
    Builtin { name: "min", call: |it, arguments| it.extreme(arguments, false) },
    Builtin { name: "open", call: path::open },
    Builtin { name: "ord", call: ord },
    Builtin { name: "print", call: |_, _| Ok(Object::None) },
    Builtin { name: "range", call: builtin_sequence::range },
    Builtin { name: "repr", call: repr },
    Builtin { name: "reversed", call: builtin_sequence::reversed },
    Builtin { name: "round", call: builtin_number::round },
    Builtin { name: "set", call: builtin_sequence::set },
    Builtin { name: "sorted", call: Interpreter::sorted },
    Builtin { name: "str", call: str },
    Builtin { name: "sum", call: builtin_sequence::sum },
    Builtin { name: "tuple", call: builtin_sequence::tuple },
    Builtin { name: "type", call: kind_of },
    Builtin { name: "zip", call: builtin_sequence::zip },
];

/// Known in files of functions only, sorted by name.
static OF_FUNCTIONS: &[Builtin] = &[
    Builtin { name: "callable", call: callable },
    Builtin { name: "format", call: format },
    Builtin { name: "iter", call: builtin_sequence::iter },
    Builtin { name: "next", call: builtin_sequence::next },
    Builtin { name: "object", call: |_, _| Err(Failure::unsupported("a bare object")) },
    Builtin { name: "pow", call: builtin_number::pow },
    Builtin { name: "super", call: Interpreter::superclass },
];

/// Known in configs only.
const OF_CONFIGS: &[&str] = &["locals"];

/// Python has them, configs cannot use them; known so that the message can say so.
const UNSUPPORTED: &[&str] = &[
    "__import__",
    "breakpoint",
    "bytes",
    "classmethod",
    "compile",
    "complex",
    "delattr",
    "dir",
    "exec",
    "format",
    "hash",
    "hex",
    "id",
    "input",
    "iter",
    "next",
    "object",
    "oct",
    "property",
    "setattr",
    "slice",
    "staticmethod",
    "super",
    "vars",
];

/// The built-in function or class of this name.
pub(super) fn find(name: &str, dialect: Dialect) -> Option<&'static Builtin> {
    let among = |table: &'static [Builtin]| {
        let index = table.binary_search_by_key(&name, |builtin| builtin.name).ok()?;
        table.get(index)
    };
    match dialect {
        Dialect::Config => among(BUILTINS),
        Dialect::Functions if OF_CONFIGS.contains(&name) => None,
        Dialect::Functions => among(BUILTINS).or_else(|| among(OF_FUNCTIONS)),
    }
}

/// Whether a name is Python's but not known here.
pub(super) fn is_unsupported(name: &str, dialect: Dialect) -> bool {
    let is_of_configs = dialect == Dialect::Functions && OF_CONFIGS.contains(&name);
    UNSUPPORTED.contains(&name) || is_of_configs
}

/// All known names.
pub(super) fn names<'a>(dialect: Dialect) -> impl Iterator<Item = &'a str> {
    let more = if dialect == Dialect::Functions { OF_FUNCTIONS } else { &[] };
    BUILTINS.iter().chain(more).map(|builtin| builtin.name)
}

fn bool(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [value] = arguments.between(0)?;
    match value {
        Some(value) => Ok(Object::Bool(it.truth(&value)?)),
        None => Ok(Object::Bool(false)),
    }
}

fn chr(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [code] = arguments.exactly()?;
    let code = code.as_int().and_then(|code| u32::try_from(code).ok());
    match code.and_then(char::from_u32) {
        Some(letter) => Ok(Object::text(letter.encode_utf8(&mut [0; 4]))),
        None if it.dialect == Dialect::Functions && matches!(code, Some(0xd800..=0xdfff)) => {
            Ok(Native::Surrogate.object())
        }
        None => Err(Failure::value_error("chr() needs the code of a character")),
    }
}

fn ord(_: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [text] = arguments.exactly()?;
    if let Object::Str(text) = &text {
        let mut letters = text.chars();
        if let (Some(letter), None) = (letters.next(), letters.next()) {
            return Ok(Object::Int(i64::from(u32::from(letter))));
        }
    }
    Err(Failure::type_error("ord() needs a string of one character"))
}

fn callable(_: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [value] = arguments.exactly()?;
    Ok(Object::Bool(match &value {
        Object::Builtin(_)
        | Object::Function(_)
        | Object::Method(_)
        | Object::Class(_)
        | Object::Bound(_) => true,
        Object::Native(_) | Object::Instance(_) | Object::Type(_) => {
            return Err(Failure::unsupported(format_args!("callable() of a {}", value.kind())));
        }
        _ => false,
    }))
}

fn format(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [value, spec] = arguments.between(1)?;
    let spec = match spec {
        None => "".into(),
        Some(Object::Str(spec)) => spec,
        Some(other) => {
            return Err(Failure::type_error(format!("format() of a {}", other.kind())));
        }
    };
    Ok(Object::Str(it.heap.format(&value.unwrap_or(Object::None), &spec)?.into()))
}

fn getattr(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [value, name, default] = arguments.between(2)?;
    let (Some(value), Some(Object::Str(name))) = (value, name) else {
        return Err(Failure::type_error("the name of an attribute is a string"));
    };
    match (it.attribute(&value, &name), default) {
        (Err(_), Some(default)) => Ok(default),
        (found, _) => found,
    }
}

fn hasattr(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [value, name] = arguments.exactly()?;
    let Object::Str(name) = name else {
        return Err(Failure::type_error("the name of an attribute is a string"));
    };
    Ok(Object::Bool(it.attribute(&value, &name).is_ok()))
}

fn globals(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [] = arguments.exactly()?;
    Ok(Object::Dict(it.scope_at(it.module_scope()).variables))
}

fn locals(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [] = arguments.exactly()?;
    Ok(Object::Dict(it.scope_at(it.local_scope()).variables))
}

fn isinstance(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [value, kinds] = arguments.exactly()?;
    let kinds = match &kinds {
        Object::Tuple(_) => it.heap.counted_items(&kinds)?,
        _ => vec![Slot { object: kinds, place: super::object::SourceLine::default() }],
    };
    for slot in &kinds {
        if is_kind(it, &value, &slot.object)? {
            return Ok(Object::Bool(true));
        }
    }
    Ok(Object::Bool(false))
}

/// Whether a value is of a kind.
fn is_kind(it: &Interpreter, value: &Object, kind: &Object) -> Eval<bool> {
    Ok(match (kind, value) {
        (Object::Builtin(kind), _) if kind.name == "object" => true,
        (Object::Builtin(kind), _) => {
            kind.name == value.kind()
                || (kind.name == "int" && matches!(value, Object::Bool(_)))
                || (kind.name == "type" && matches!(value, Object::Builtin(_) | Object::Class(_)))
        }
        (Object::Class(kind), Object::Instance(instance)) => instance.class.is_kind_of(kind),
        (Object::Class(_), _) => false,
        (Object::Type(kind), Object::Exception(exception)) => is_kind_of(&exception.0, kind),
        (Object::Native(kind), _) => kind.is_kind_of(value)?,
        // Of what is a name only nothing is made in a config.
        _ if it.dialect == Dialect::Config => false,
        _ => {
            let kind = it.heap.repr(kind)?;
            return Err(Failure::unsupported(format_args!("isinstance() with {kind}")));
        }
    })
}

fn repr(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [value] = arguments.exactly()?;
    Ok(Object::Str(it.heap.repr(&value)?.into()))
}

fn str(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [value] = arguments.between(0)?;
    match value {
        None => Ok(Object::text("")),
        Some(value @ Object::Str(_)) => Ok(value),
        Some(value) => Ok(Object::Str(it.heap.str(&value)?.into())),
    }
}

fn kind_of(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [value] = arguments.exactly()?;
    Ok(match (&value, find(value.kind(), it.dialect)) {
        (Object::Instance(instance), _) => Object::Class(Rc::clone(&instance.class)),
        (Object::Exception(exception), _) => Object::Type(Rc::clone(&exception.0)),
        (_, Some(kind)) => Object::Builtin(kind),
        (_, None) => Object::Type(value.kind().into()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(BUILTINS.is_sorted_by_key(|builtin| builtin.name));
        assert!(OF_FUNCTIONS.is_sorted_by_key(|builtin| builtin.name));
    }
}
