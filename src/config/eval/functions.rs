//! Functions that task files name, called without Python.
//!
//! A file of functions is evaluated once, by the same evaluator as configs but in its larger language, and its functions
//! are called with plain values. All files live on one thread of their own: values of the evaluator cannot leave it, and
//! its stack is as deep as the limits need. What a function would need that is not exactly known here is an error with
//! the file and the line.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

use super::{
    Interpreter,
    call::Arguments,
    dialect::Dialect,
    failure::{Eval, Failure},
    heap::Heap,
    limits,
    object::{Slot, SourceLine},
};
pub use super::{imported_files::imported_files, plain::Value};
use crate::panic_guard;

/// Why a function cannot be called, or failed: file, line and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FunctionError(String);

/// The files of functions below one folder of tasks, each evaluated once.
#[derive(Clone, Debug)]
pub struct FunctionFiles {
    worker: Arc<Worker>,
}

/// A function or class of a file. Cheap to clone; calls from several threads wait for each other.
#[derive(Clone, Debug)]
pub struct Function {
    files: FunctionFiles,
    path: PathBuf,
    name: String,
}

#[derive(Debug)]
struct Worker {
    tasks: PathBuf,
    jobs: Mutex<Option<Sender<Job>>>,
}

/// What is asked of the thread.
struct Job {
    path: PathBuf,
    name: String,
    what: What,
    reply: Sender<Result<Made, FunctionError>>,
}

/// What a call gives back.
struct Made {
    value: Value,
    /// The arguments as the function leaves them, where that was asked for.
    arguments: Vec<Value>,
}

enum What {
    /// Whether the function is all known.
    Check,
    /// A call.
    Call { positional: Vec<Value>, keywords: Vec<(String, Value)> },
    /// A call, and what the function leaves of its arguments.
    Changing { positional: Vec<Value> },
    /// A call of a class, and then of a method of its object.
    Method { keywords: Vec<(String, Value)>, method: String, positional: Vec<Value> },
}

impl FunctionFiles {
    /// The files below a folder of tasks; nothing is read yet.
    pub fn new(tasks: &Path) -> Self {
        let tasks = tasks.canonicalize().unwrap_or_else(|_| tasks.to_owned());
        Self { worker: Arc::new(Worker { tasks, jobs: Mutex::new(None) }) }
    }

    /// A function by its reference, `folder/utils.process_docs`: the file is `folder/utils.py`.
    pub fn function(&self, reference: &str) -> Function {
        let (folder, last) = match reference.rfind('/') {
            Some(at) => reference.split_at(at + 1),
            None => ("", reference),
        };
        let (module, name) = last.rsplit_once('.').unwrap_or(("", last));
        // As lm-eval does it: what is no file beside the task is a module by its dotted path.
        let mut path = PathBuf::from(format!("{folder}{module}.py"));
        if let Some(rest) = module.strip_prefix("lm_eval.tasks.")
            && !path.is_file()
        {
            path = self
                .worker
                .tasks
                .join(rest.split('.').collect::<PathBuf>())
                .with_added_extension("py");
        } else if !path.is_file() {
            path = PathBuf::from(folder)
                .join(module.split('.').collect::<PathBuf>())
                .with_added_extension("py");
        }
        Function { files: self.clone(), path, name: name.to_owned() }
    }
}

impl Function {
    /// Its name, without its file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file that it stands in.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Looks through the function, and through what it calls of its file, for what is not known here.
    ///
    /// # Errors
    ///
    /// What is not known, with file and line; also where the file cannot be read or has no such function.
    pub fn check(&self) -> Result<(), FunctionError> {
        self.ask(What::Check).map(|_| ())
    }

    /// Calls the function.
    ///
    /// # Errors
    ///
    /// Where it raises an exception, uses what is not known here, or reaches a limit: with file and line.
    pub fn call(&self, arguments: &[Value]) -> Result<Value, FunctionError> {
        self.call_with(arguments, &[])
    }

    /// Calls the function with arguments by name, too.
    ///
    /// # Errors
    ///
    /// As [`Self::call`].
    pub fn call_with(
        &self,
        arguments: &[Value],
        keywords: &[(String, Value)],
    ) -> Result<Value, FunctionError> {
        let (positional, keywords) = (arguments.to_vec(), keywords.to_vec());
        Ok(self.ask(What::Call { positional, keywords })?.value)
    }

    /// Calls the function, and gives its arguments beside its value: lists and dicts among them as it leaves them, for
    /// a function may write into what it is given.
    ///
    /// # Errors
    ///
    /// As [`Self::call`]; also where it puts something into an argument that is no plain value.
    pub fn call_changing(&self, arguments: &[Value]) -> Result<(Value, Vec<Value>), FunctionError> {
        let made = self.ask(What::Changing { positional: arguments.to_vec() })?;
        Ok((made.value, made.arguments))
    }

    /// Makes an object of the class with arguments by name, and calls a method of it: a filter's `apply`.
    ///
    /// # Errors
    ///
    /// As [`Self::call`].
    pub fn call_method(
        &self,
        keywords: &[(String, Value)],
        method: &str,
        arguments: &[Value],
    ) -> Result<Value, FunctionError> {
        let (keywords, positional) = (keywords.to_vec(), arguments.to_vec());
        Ok(self.ask(What::Method { keywords, method: method.to_owned(), positional })?.value)
    }

    fn ask(&self, what: What) -> Result<Made, FunctionError> {
        let (reply, answer) = channel();
        let (path, name) = (self.path.clone(), self.name.clone());
        let job = Job { path, name, what, reply };
        let gone = || {
            let what = format!("{}: {}: the evaluator has stopped", self.path.display(), self.name);
            FunctionError(what)
        };
        self.files.worker.send(job)?;
        answer.recv().unwrap_or_else(|_| Err(gone()))
    }
}

impl Worker {
    fn send(&self, job: Job) -> Result<(), FunctionError> {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        let job = match &*jobs {
            None => job,
            Some(sender) => match sender.send(job) {
                Ok(()) => return Ok(()),
                Err(unsent) => unsent.0,
            },
        };
        let (sender, receiver) = channel();
        let tasks = self.tasks.clone();
        // The depth limits are sized for this stack, not for whichever thread calls.
        thread::Builder::new()
            .name("functions".to_owned())
            .stack_size(limits::STACK_BYTES)
            .spawn(move || serve(&tasks, &receiver))
            .map_err(|error| FunctionError(format!("no thread for functions: {error}")))?;
        let sent = sender.send(job);
        *jobs = Some(sender);
        sent.map_err(|_| FunctionError("the evaluator of functions has stopped".to_owned()))
    }
}

/// A file with what it ended in.
struct Loaded {
    interpreter: Interpreter,
    scope: u32,
}

fn serve(tasks: &Path, jobs: &Receiver<Job>) {
    let mut files: HashMap<PathBuf, Result<Loaded, FunctionError>> = HashMap::new();
    for job in jobs {
        let Job { path, name, what, reply } = job;
        let file = files.entry(path).or_insert_with_key(|path| load(tasks, path));
        let done = match file {
            Ok(file) => panic_guard::guarded(|| answer(file, &name, what))
                .unwrap_or_else(|why| Err(FunctionError(format!("{name}: {why}")))),
            Err(error) => Err(error.clone()),
        };
        // Whoever asked may be gone.
        let _ = reply.send(done);
    }
}

fn load(tasks: &Path, path: &Path) -> Result<Loaded, FunctionError> {
    let dialect = Dialect::Functions;
    let mut interpreter = Interpreter {
        dialect,
        heap: Heap::new(dialect),
        tasks: Some(tasks.to_owned()),
        ..Interpreter::default()
    };
    match interpreter.load_functions(path, None) {
        Ok(scope) => Ok(Loaded { interpreter, scope }),
        Err(failure) => Err(FunctionError(interpreter.report(*failure).to_string())),
    }
}

fn answer(file: &mut Loaded, name: &str, what: What) -> Result<Made, FunctionError> {
    let Loaded { interpreter, scope } = file;
    interpreter.depth = 0;
    interpreter.loading = 0;
    interpreter.handled.clear();
    (interpreter.scope, interpreter.file) = (*scope, 0);
    interpreter.heap.limits.renew_steps();
    let done = interpreter.in_region(|this| this.answer(*scope, name, what));
    done.map_err(|failure| FunctionError(interpreter.report(*failure).to_string()))
}

impl Interpreter {
    fn answer(&mut self, scope: u32, name: &str, what: What) -> Eval<Made> {
        let variables = self.scope_at(scope).variables;
        let Some(callee) = self.heap.named(variables, name).map(|slot| slot.object.clone()) else {
            return Err(Failure::raised("AttributeError", format!("the file has no '{name}'")));
        };
        let mut changed = Vec::new();
        let value = match what {
            What::Check => self.check(&callee).map(|()| Value::None),
            What::Call { positional, keywords } => {
                let arguments = self.given(name, &positional, &keywords)?;
                let made = self.call(&callee, arguments)?;
                self.plain(&made)
            }
            What::Changing { positional } => {
                let arguments = self.given(name, &positional, &[])?;
                let given = arguments.positional.clone();
                let made = self.call(&callee, arguments)?;
                for slot in given {
                    changed.push(self.plain(&slot.object)?);
                }
                self.plain(&made)
            }
            What::Method { keywords, method, positional } => {
                let arguments = self.given(name, &[], &keywords)?;
                let made = self.call(&callee, arguments)?;
                let function = self.attribute(&made, &method)?;
                let arguments = self.given(&method, &positional, &[])?;
                let made = self.call(&function, arguments)?;
                self.plain(&made)
            }
        };
        Ok(Made { value: value?, arguments: changed })
    }

    fn given(
        &mut self,
        callee: &str,
        positional: &[Value],
        keywords: &[(String, Value)],
    ) -> Eval<Arguments> {
        let place = SourceLine::default();
        let mut given = Arguments {
            callee: callee.into(),
            positional: Vec::with_capacity(positional.len()),
            keywords: Vec::with_capacity(keywords.len()),
            place,
        };
        for value in positional {
            given.positional.push(Slot { object: self.object(value)?, place });
        }
        for (name, value) in keywords {
            given
                .keywords
                .push((name.as_str().into(), Slot { object: self.object(value)?, place }));
        }
        Ok(given)
    }
}
