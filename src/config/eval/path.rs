//! `os.path`, `os.environ` and `open`: what a config may know of the machine.
//!
//! Paths are texts and follow POSIX. A config may read text files that lie below the folder of the
//! file that runs, such as the few-shot examples next to it, and nothing else.

use std::{env, fs, path::Path};

use super::{
    Interpreter,
    call::Arguments,
    failure::{Eval, Failure},
    limits::{FILE_BYTES, FILE_STEPS},
    object::{Object, Slot},
};

fn text(arguments: Arguments) -> Eval<std::rc::Rc<str>> {
    let callee = std::rc::Rc::clone(&arguments.callee);
    match arguments.exactly()? {
        [Object::Str(text)] => Ok(text),
        [other] => Err(Failure::type_error(format!("{callee}() of a {}", other.kind()))),
    }
}

/// `os.path.join`.
pub(super) fn join(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let mut joined = String::new();
    for slot in arguments.positional {
        let Object::Str(part) = &slot.object else {
            let message = format!("os.path.join() of a {}", slot.object.kind());
            return Err(Failure::type_error(message));
        };
        if part.starts_with('/') {
            joined.clear();
        } else if !joined.is_empty() && !joined.ends_with('/') {
            joined.push('/');
        }
        it.heap.limits.text(part.len())?;
        joined.push_str(part);
    }
    it.heap.new_text(joined)
}

fn split(path: &str) -> (&str, &str) {
    let at = path.rfind('/').map_or(0, |slash| slash + 1);
    let (head, tail) = path.split_at(at);
    let trimmed = head.trim_end_matches('/');
    (if trimmed.is_empty() { head } else { trimmed }, tail)
}

/// `os.path.dirname`.
pub(super) fn dirname(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    it.heap.new_text(split(&text(arguments)?).0)
}

/// `os.path.basename`.
pub(super) fn basename(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    it.heap.new_text(split(&text(arguments)?).1)
}

/// `os.path.splitext`.
pub(super) fn splitext(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let place = arguments.place;
    let path = text(arguments)?;
    let name_at = path.rfind('/').map_or(0, |slash| slash + 1);
    let leading_dots = path[name_at..].len() - path[name_at..].trim_start_matches('.').len();
    let first = name_at + leading_dots;
    let dot = path[first..].rfind('.').map_or(path.len(), |dot| first + dot);
    let (stem, extension) = path.split_at(dot);
    it.heap.limits.text(path.len())?;
    let slots = [stem, extension].map(|part| Slot { object: Object::text(part), place });
    it.heap.new_tuple(slots.to_vec(), place)
}

/// `os.path.abspath` and `os.path.realpath`, which follows no links here.
pub(super) fn abspath(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let path = text(arguments)?;
    let current = env::current_dir().unwrap_or_default();
    let whole = current.join(&*path);
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.to_str().unwrap_or(&path).split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    it.heap.new_text(format!("/{}", parts.join("/")))
}

/// `os.path.exists` and its like, by `test`; of files that a config may not read nothing is told.
pub(super) fn is(it: &Interpreter, arguments: Arguments, test: fn(&Path) -> bool) -> Eval<Object> {
    let path = text(arguments)?;
    it.heap.limits.steps(FILE_STEPS)?;
    Ok(Object::Bool(it.readable(&path).is_some_and(|path| test(&path))))
}

/// `os.getenv` and `os.environ.get`.
pub(super) fn getenv(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [name, default] = arguments.between(1)?;
    let value = match name {
        Some(Object::Str(name)) if is_name(&name) => env::var(&*name).ok(),
        _ => None,
    };
    match value {
        Some(value) => it.heap.new_text(value),
        None => Ok(default.unwrap_or(Object::None)),
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0'])
}

/// `open(path)`, for reading text.
pub(super) fn open(it: &mut Interpreter, mut arguments: Arguments) -> Eval<Object> {
    let keyword_mode = arguments.keyword("mode");
    let _ = arguments.keyword("encoding");
    let [path, mode] = arguments.between(1)?;
    let Some(Object::Str(path)) = path else {
        return Err(Failure::type_error("open() needs a path"));
    };
    if let Some(mode) = keyword_mode.or(mode) {
        let is_reading = matches!(&mode, Object::Str(mode) if matches!(&**mode, "r" | "rt"));
        if !is_reading {
            return Err(Failure::unsupported("open() but for reading text"));
        }
    }
    it.heap.limits.steps(FILE_STEPS)?;
    let Some(file) = it.readable(&path) else {
        let folder = it.folder();
        let message = format!("there is no file {path} below {}", folder.display());
        return Err(Failure::raised("FileNotFoundError", message)
            .with_hint("a config can read files of its own folder only"));
    };
    let unreadable = |error: std::io::Error| Failure::raised("OSError", format!("{path}: {error}"));
    let bytes = fs::metadata(&file).map_err(unreadable)?.len();
    if bytes > FILE_BYTES as u64 {
        let message = format!("{path} has {bytes} bytes, more than the {FILE_BYTES} that are read");
        return Err(Failure::limit(message));
    }
    let text = fs::read_to_string(&file).map_err(unreadable)?.replace("\r\n", "\n");
    it.heap.limits.text(text.len())?;
    if !it.read.contains(&file) {
        it.read.push(file);
    }
    Ok(Object::File(text.into()))
}

impl Interpreter {
    /// The file or folder of this path, if a config may look at it. A relative path is looked up from
    /// the working folder, as Python does, and from each folder above the config.
    fn readable(&self, path: &str) -> Option<std::path::PathBuf> {
        let folder = self.folder();
        let roots = std::iter::once(env::current_dir().unwrap_or_default());
        let mut roots = roots.chain(folder.ancestors().map(Path::to_owned));
        let found = roots.find_map(|root| root.join(path).canonicalize().ok())?;
        found.starts_with(&folder).then_some(found)
    }
}
