//! The libraries by name: modules of functions, and files in Python of our own for what is said best in it.

use super::{
    Native, assignment, collections, functools, json, literal, metrics, numpy, paths, random, re,
    texts,
};
use crate::config::eval::{
    Interpreter,
    builtin::Builtin,
    failure::Failure,
    itertools,
    module::{self, Module},
    object::Object,
};

const PLAIN: Module =
    Module { name: "", functions: &[], numbers: &[], texts: &[], others: |_| None };

/// Modules of libraries, sorted by name.
static MODULES: &[Module] = &[
    Module { name: "ast", functions: AST, ..PLAIN },
    Module { name: "collections", functions: COLLECTIONS, ..PLAIN },
    Module { name: "collections.abc", others: |name| kind(name, ABSTRACT), ..PLAIN },
    Module { name: "datasets", others: dataset_class, ..PLAIN },
    Module { name: "functools", functions: FUNCTOOLS, ..PLAIN },
    Module { name: "hashlib", functions: HASHLIB, ..PLAIN },
    Module { name: "json", functions: JSON, others: json_error, ..PLAIN },
    Module { name: "logging", functions: LOGGING, others: log_level, ..PLAIN },
    Module {
        name: "numpy",
        functions: numpy::FUNCTIONS,
        numbers: numpy::NUMBERS,
        texts: &[("__version__", "1.26.4")],
        others: |name| kind(name, &["ndarray"]),
    },
    Module { name: "pathlib", functions: PATHLIB, ..PLAIN },
    Module { name: "random", functions: RANDOM, ..PLAIN },
    Module { name: "re", functions: re::FUNCTIONS, others: re_constant, ..PLAIN },
    Module { name: "scipy.optimize", functions: OPTIMIZE, ..PLAIN },
    Module { name: "sklearn.metrics", functions: METRICS, ..PLAIN },
    Module { name: "string", texts: texts::CONSTANTS, ..PLAIN },
    Module { name: "sys", functions: SYS, others: sys_value, ..PLAIN },
    Module {
        name: "typing",
        others: |name| kind(name, ABSTRACT).or_else(|| typing(name)),
        ..PLAIN
    },
    Module { name: "unicodedata", functions: UNICODE, ..PLAIN },
];

static AST: &[Builtin] = &[Builtin { name: "literal_eval", call: literal::literal_eval }];

static COLLECTIONS: &[Builtin] = &[
    Builtin { name: "Counter", call: collections::counter },
    Builtin { name: "OrderedDict", call: collections::ordered_dict },
    Builtin { name: "defaultdict", call: collections::defaultdict },
];

static FUNCTOOLS: &[Builtin] = &[
    Builtin { name: "partial", call: functools::partial },
    Builtin { name: "reduce", call: functools::reduce },
];

static HASHLIB: &[Builtin] = &[Builtin { name: "sha256", call: paths::sha256 }];

static JSON: &[Builtin] = &[
    Builtin { name: "dumps", call: json::dumps },
    Builtin { name: "load", call: paths::load },
    Builtin { name: "loads", call: json::loads },
];

static PATHLIB: &[Builtin] = &[Builtin { name: "Path", call: paths::path }];

static LOGGING: &[Builtin] = &[
    Builtin { name: "debug", call: |_, _| Ok(Object::None) },
    Builtin { name: "error", call: |_, _| Ok(Object::None) },
    Builtin { name: "getLogger", call: |_, _| Ok(Native::Logger.object()) },
    Builtin { name: "info", call: |_, _| Ok(Object::None) },
    Builtin { name: "warning", call: |_, _| Ok(Object::None) },
];

static RANDOM: &[Builtin] = &[
    Builtin { name: "Random", call: random::random },
    Builtin { name: "choice", call: |it, arguments| random::shared(it, "choice", arguments) },
    Builtin { name: "choices", call: |it, arguments| random::shared(it, "choices", arguments) },
    Builtin { name: "randint", call: |it, arguments| random::shared(it, "randint", arguments) },
    Builtin { name: "random", call: |it, arguments| random::shared(it, "random", arguments) },
    Builtin { name: "randrange", call: |it, arguments| random::shared(it, "randrange", arguments) },
    Builtin { name: "sample", call: |it, arguments| random::shared(it, "sample", arguments) },
    Builtin { name: "seed", call: random::seed },
    Builtin { name: "shuffle", call: |it, arguments| random::shared(it, "shuffle", arguments) },
];

static OPTIMIZE: &[Builtin] =
    &[Builtin { name: "linear_sum_assignment", call: assignment::linear_sum_assignment }];

static METRICS: &[Builtin] = &[
    Builtin { name: "accuracy_score", call: metrics::accuracy },
    Builtin { name: "f1_score", call: metrics::f1 },
    Builtin { name: "precision_score", call: metrics::precision },
    Builtin { name: "recall_score", call: metrics::recall },
];

static SYS: &[Builtin] = &[Builtin {
    name: "exit",
    call: |_, _| Err(Failure::raised("SystemExit", "the function ends the program")),
}];

static UNICODE: &[Builtin] = &[
    Builtin { name: "category", call: texts::category },
    Builtin { name: "normalize", call: texts::normalize },
];

/// `Dataset.from_list` and `Dataset.from_dict`.
static OF_DATASET: &[Builtin] = &[
    Builtin { name: "from_dict", call: Interpreter::dataset_from_dict },
    Builtin { name: "from_list", call: Interpreter::dataset_from_list },
];

/// Kinds of values that `isinstance` may ask for.
const ABSTRACT: &[&str] = &["Iterable", "Mapping", "Sequence"];

fn kind(name: &str, known: &[&'static str]) -> Option<Object> {
    known.iter().find(|own| **own == name).map(|own| Native::Kind(own).object())
}

/// Names of annotations, which mean nothing when a function runs.
fn typing(name: &str) -> Option<Object> {
    match name {
        "TYPE_CHECKING" => Some(Object::Bool(false)),
        "Any" | "Callable" | "ClassVar" | "Dict" | "List" | "Literal" | "Optional" | "Pattern"
        | "Set" | "Tuple" | "TypeVar" | "Union" => {
            Some(Object::Type(format!("typing.{name}").into()))
        }
        _ => None,
    }
}

fn dataset_class(name: &str) -> Option<Object> {
    (name == "Dataset").then(|| Native::Kind("Dataset").object())
}

fn json_error(name: &str) -> Option<Object> {
    (name == "JSONDecodeError").then(|| Object::Type("json.JSONDecodeError".into()))
}

fn log_level(name: &str) -> Option<Object> {
    let level = match name {
        "DEBUG" => 10,
        "INFO" => 20,
        "WARNING" => 30,
        "ERROR" => 40,
        _ => return None,
    };
    Some(Object::Int(level))
}

fn re_constant(name: &str) -> Option<Object> {
    match name {
        "error" => Some(Object::Type("re.error".into())),
        "Match" => Some(Native::Kind("Match").object()),
        "Pattern" => Some(Native::Kind("Pattern").object()),
        _ => re::FLAGS.iter().find(|(flag, _)| *flag == name).map(|(_, bits)| Object::Int(*bits)),
    }
}

fn sys_value(name: &str) -> Option<Object> {
    (name == "maxsize")
        .then_some(Object::Int(i64::MAX))
        .or_else(|| (name == "maxunicode").then_some(Object::Int(0x10_ffff)))
}

/// The module of this dotted path.
pub(in crate::config::eval) fn find(path: &str) -> Option<&'static Module> {
    let index = MODULES.binary_search_by_key(&path, |module| module.name);
    match index {
        Ok(index) => MODULES.get(index),
        // What of the machine a config may know, a function may not.
        Err(_) if path == "os.environ" => None,
        Err(_) => module::find(path),
    }
}

/// A function that is found under a class: `dict.fromkeys`, `chain.from_iterable`, `Dataset.from_list`.
pub(in crate::config::eval) fn of_class(class: &str, name: &str) -> Option<Object> {
    let table: &'static [Builtin] = match class {
        "Dataset" => OF_DATASET,
        "chain" => itertools::OF_CHAIN,
        "dict" => module::OF_DICT,
        "str" if name == "maketrans" => module::OF_STR,
        _ => return None,
    };
    table.iter().find(|known| known.name == name).map(Object::Builtin)
}

/// Files in Python that stand for modules of lm-evaluation-harness and of transformers, by dotted path.
pub(in crate::config::eval) static EMBEDDED: &[(&str, &str)] = &[
    ("lm_eval.api.filter", include_str!("lm_eval/filter.py")),
    ("lm_eval.api.metrics", include_str!("lm_eval/metrics.py")),
    ("lm_eval.filters.extraction", include_str!("lm_eval/extraction.py")),
    ("lm_eval.utils", include_str!("lm_eval/utils.py")),
    ("transformers.data.metrics.squad_metrics", include_str!("transformers/squad_metrics.py")),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_found_by_their_names() {
        assert!(MODULES.is_sorted_by_key(|module| module.name));
        for module in MODULES {
            assert!(find(module.name).is_some_and(|found| std::ptr::eq(found, module)));
        }
        assert!(find("os.path").is_some() && find("os.environ").is_none());
    }
}
