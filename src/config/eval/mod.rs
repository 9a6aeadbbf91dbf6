//! The evaluator: a config file as a program, up to the values it ends with.
//!
//! It walks the syntax tree of ruff's parser. What it knows is what configs use: values, names,
//! `read_base`, loops, comprehensions, functions, the methods of strings and containers, a few
//! modules. The semantics are Python's, aliasing included; the semantics of `read_base` are
//! mmengine's. A class is only ever a name. What is not known is an error that shows the line, never a
//! guess.
//!
//! There is no way out of here: no process, no network, no writing. The only reading is of other
//! config files, and of text files below a config's own folder.

mod assign;
mod attribute;
mod border;
mod builtin;
mod builtin_number;
mod builtin_sequence;
mod call;
mod check;
mod check_walk;
mod class;
mod comprehension;
mod container;
mod dialect;
mod exception;
mod expression;
mod failure;
mod fill;
mod format;
pub mod functions;
mod heap;
mod import;
mod imported_files;
mod iterate;
mod itertools;
mod letter;
mod library;
mod library_import;
mod limits;
mod locals;
mod math;
mod method_dict;
mod method_list;
mod method_set;
mod method_str;
mod method_str_find;
mod method_str_letters;
mod module;
mod module_strings;
mod module_texts;
mod number;
mod object;
mod operator;
mod order;
mod path;
mod plain;
mod quoted;
mod region;
mod repr;
mod scope;
mod source;
mod statement;
mod subscript;
mod template;

use std::{
    cell::RefCell,
    collections::HashMap,
    path::{Path, PathBuf},
    rc::Rc,
    thread,
};

use ruff_text_size::TextRange;

pub(crate) use self::module_texts::{ModuleTexts, Piece};
use self::{
    dialect::Dialect,
    failure::{Eval, Failure, Kind},
    heap::Heap,
    import::Loaded,
    object::SourceLine,
    scope::Scope,
    source::SourceFile,
};
use super::{
    Config,
    error::{ConfigError, ProgramError},
    value::Origin,
};
use crate::python::{PythonRandom, regex::Flags};

/// Evaluates a config file with its bases.
pub(super) fn evaluate(path: &Path) -> Result<Config, ConfigError> {
    let path = path.to_owned();
    // The depth limits are sized for this stack, not for whichever thread calls.
    let worker = {
        let path = path.clone();
        thread::Builder::new()
            .name("config".to_owned())
            .stack_size(limits::STACK_BYTES)
            .spawn(move || Interpreter::default().run(&path))
    };
    match worker {
        Ok(worker) => worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        Err(source) => Err(ConfigError::Read { path, asked_at: None, source }),
    }
}

/// The state of an evaluation.
#[derive(Debug, Default)]
struct Interpreter {
    dialect: Dialect,
    heap: Heap,
    scopes: Vec<Scope>,
    files: Vec<SourceFile>,
    /// Config files by canonical path.
    modules: HashMap<PathBuf, Loaded>,
    /// Every file that was read, text files included.
    read: Vec<PathBuf>,
    /// Number of the file whose code is running.
    file: u32,
    /// Index of the scope whose code is running.
    scope: u32,
    /// The generator that `random.…` draws from, once a file has seeded it.
    shared_random: Option<Rc<RefCell<PythonRandom>>>,
    /// Patterns that were compiled, by text and flags.
    patterns: HashMap<(Rc<str>, Flags), Rc<library::Pattern>>,
    /// The folder of tasks, below which `lm_eval.tasks` is looked for.
    tasks: Option<PathBuf>,
    /// Whether a file imports NumPy, so that a number may be one of NumPy's.
    has_numpy: bool,
    /// Exceptions whose handlers are running.
    handled: Vec<Failure>,
    /// Files that are being evaluated, one within another.
    loading: usize,
    /// Expressions, statements and calls that are under way.
    depth: usize,
}

impl Interpreter {
    fn run(mut self, path: &Path) -> Result<Config, ConfigError> {
        let config = self.load_module(path, None).and_then(|scope| self.config(scope));
        config.map_err(|failure| self.report(*failure))
    }

    /// Runs `step` one level deeper and gives a failure the site `range`, unless it has one.
    fn within<T>(&mut self, range: TextRange, step: impl FnOnce(&mut Self) -> Eval<T>) -> Eval<T> {
        let file = self.file;
        self.depth += 1;
        let done = if self.depth > limits::CALL_DEPTH {
            Err(Failure::limit("calls and expressions are nested too deeply")
                .with_hint("does a function call itself without end?"))
        } else {
            self.heap.limits.steps(1).and_then(|()| step(self))
        };
        self.depth -= 1;
        done.map_err(|failure| failure.located(file, range))
    }

    /// Whether a file is being evaluated, before any of its functions is called from outside.
    fn is_loading(&self) -> bool {
        self.loading > 0
    }

    /// The line where a node of the running file starts.
    fn place(&self, node: &impl ruff_text_size::Ranged) -> SourceLine {
        let line = self.files.get(self.file as usize).map_or(0, |file| file.line(node.start()));
        SourceLine { file: self.file, line }
    }

    /// A place as it leaves the evaluator.
    fn origin(&self, place: SourceLine) -> Origin {
        match self.files.get(place.file as usize) {
            Some(file) => Origin { file: file.path.clone(), line: place.line },
            None => Origin::memory(),
        }
    }

    /// A failure as the user sees it.
    fn report(&self, failure: Failure) -> ConfigError {
        let message = failure.headline(self.dialect);
        let site = failure
            .site
            .and_then(|(file, range)| self.files.get(file as usize).map(|file| (file, range)));
        let error = match (failure.kind, site) {
            (Kind::Outside(error), _) => error,
            (_, Some((file, range))) => file.error(range, message, failure.hint),
            (_, None) => ConfigError::at(&Origin::memory(), message),
        };
        match error {
            ConfigError::Program(error) => {
                let trace = failure.trace.iter().map(|place| self.origin(*place)).collect();
                ConfigError::Program(Box::new(ProgramError { trace, ..*error }))
            }
            other => other,
        }
    }
}
