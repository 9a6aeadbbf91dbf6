//! Imports in files of functions: libraries that are known here, and other files of the tasks' folder.
//!
//! What is neither is bound to something unknown, because a file imports much that a function does not need; where it is
//! used, it is refused by its name.

use std::path::{Path, PathBuf};

use ruff_python_ast::{Alias, StmtImport, StmtImportFrom};

use super::{
    Interpreter,
    failure::{Eval, Failure},
    import::Loaded,
    library::{self, EMBEDDED, Native},
    limits::{FILE_BYTES, FILE_STEPS},
    object::{Object, Slot},
    source::SourceFile,
};
use crate::{
    config::{error::ConfigError, value::Origin},
    regular_file,
};

/// What the dotted paths of tasks begin with.
pub(super) const TASKS: &str = "lm_eval.tasks";

impl Interpreter {
    /// `import a.b as c`.
    pub(super) fn import_library(&mut self, import: &StmtImport) -> Eval<()> {
        for alias in &import.names {
            let path = alias.name.as_str();
            let (name, object) = if let Some(name) = &alias.asname {
                (name.as_str(), self.module_at(path, alias)?)
            } else {
                let first = path.split('.').next().unwrap_or(path);
                (first, self.module_at(first, alias)?)
            };
            let place = self.place(alias);
            self.bind(name, Slot { object, place })?;
        }
        Ok(())
    }

    /// `from a.b import c`.
    pub(super) fn import_library_from(&mut self, import: &StmtImportFrom) -> Eval<()> {
        let module = import.module.as_ref().map_or("", |module| module.as_str());
        if module == "__future__" {
            return Ok(());
        }
        for alias in &import.names {
            let own = alias.name.as_str();
            if own == "*" {
                return Err(Failure::unsupported("`import *`").with_hint("name what is imported"));
            }
            let name = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
            let object = if import.level > 0 {
                self.relative(import.level as usize, module, own, alias)?
            } else {
                self.absolute(module, own, alias)?
            };
            let place = self.place(alias);
            self.bind(name, Slot { object, place })?;
        }
        Ok(())
    }

    fn absolute(&mut self, module: &str, name: &str, alias: &Alias) -> Eval<Object> {
        let whole = format!("{module}.{name}");
        if let Some(found) = library::find(&whole) {
            return Ok(Object::Module(found));
        }
        // A module of the tasks' folder, or a name in one.
        if let Some(file) = self.file_of(&whole) {
            return self.script(&file, alias);
        }
        match self.module_at(module, alias)? {
            Object::Native(native) if matches!(*native, Native::Missing(_)) => {
                Ok(Native::Missing(whole.into()).object())
            }
            object => self.attribute(&object, name),
        }
    }

    fn relative(&mut self, level: usize, module: &str, name: &str, alias: &Alias) -> Eval<Object> {
        let mut folder = self.folder();
        for _ in 1..level {
            folder = folder.parent().map(Path::to_owned).unwrap_or_default();
        }
        let base: PathBuf = folder.join(module.split('.').collect::<PathBuf>());
        if let Some(file) = file_at(&base.join(name)) {
            return self.script(&file, alias);
        }
        let Some(file) = file_at(&base) else {
            let message = format!("there is no file {}.py", base.display());
            return Err(Failure::raised("ImportError", message));
        };
        let object = self.script(&file, alias)?;
        self.attribute(&object, name)
    }

    /// The module of a dotted path.
    fn module_at(&mut self, path: &str, alias: &Alias) -> Eval<Object> {
        self.has_numpy |= path.split('.').next() == Some("numpy");
        if let Some(module) = library::find(path) {
            return Ok(Object::Module(module));
        }
        if let Some((name, text)) = EMBEDDED.iter().find(|(name, _)| *name == path) {
            let scope = self.load_embedded(name, text)?;
            return Ok(Native::Script { scope, name: (*name).into() }.object());
        }
        match self.file_of(path) {
            Some(file) => self.script(&file, alias),
            None => Ok(Native::Missing(path.into()).object()),
        }
    }

    /// The file of a dotted path: below the folder of tasks, or beside the running file.
    fn file_of(&self, path: &str) -> Option<PathBuf> {
        let below = |rest: &str| rest.split('.').collect::<PathBuf>();
        if let Some(rest) = path.strip_prefix(TASKS).and_then(|rest| rest.strip_prefix('.')) {
            return file_at(&self.tasks.as_ref()?.join(below(rest)));
        }
        if path.starts_with("lm_eval.") {
            return None;
        }
        file_at(&self.folder().join(below(path)))
    }

    fn script(&mut self, file: &Path, alias: &Alias) -> Eval<Object> {
        let place = self.place(alias);
        let asked_at = self.origin(place);
        let scope = self.load_functions(file, Some(&asked_at)).map_err(|mut failure| {
            failure.trace.push(place);
            failure
        })?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into();
        Ok(Native::Script { scope, name }.object())
    }

    /// Evaluates a file of functions, once, and gives the scope of its names.
    pub(super) fn load_functions(&mut self, path: &Path, asked_at: Option<&Origin>) -> Eval<u32> {
        let unreadable = |source| {
            let (path, asked_at) = (path.to_owned(), asked_at.cloned());
            Failure::outside(ConfigError::Read { path, asked_at, source })
        };
        self.heap.limits.steps(FILE_STEPS)?;
        let canonical = path.canonicalize().map_err(unreadable)?;
        if self.tasks.as_ref().is_some_and(|tasks| !canonical.starts_with(tasks)) {
            return Err(Failure::unsupported("a file outside of the folder of tasks"));
        }
        match self.modules.get(&canonical) {
            Some(Loaded::Done(scope)) => return Ok(*scope),
            Some(Loaded::Running) => {
                let message = format!("{} imports itself, through this line", path.display());
                return Err(Failure::raised("ImportError", message));
            }
            None => {}
        }
        let text = regular_file::read_text(&canonical, FILE_BYTES as u64).map_err(unreadable)?;
        self.run_functions(&canonical, &text)
    }

    fn load_embedded(&mut self, name: &str, text: &str) -> Eval<u32> {
        let path = PathBuf::from(format!("<{name}>"));
        match self.modules.get(&path) {
            Some(Loaded::Done(scope)) => Ok(*scope),
            _ => self.run_functions(&path, text),
        }
    }

    fn run_functions(&mut self, path: &Path, text: &str) -> Eval<u32> {
        self.heap.limits.source(text.len())?;
        self.modules.insert(path.to_owned(), Loaded::Running);
        let file = SourceFile::new(path, text.trim_start_matches('\u{feff}').to_owned());
        let tree = file.parse().map_err(Failure::outside)?;
        let outer = (self.file, self.scope);
        self.file = self.files.len() as u32;
        self.files.push(file);
        let place = self.place(&tree);
        self.scope = self.open_scope(None, false, place)?;
        let scope = self.scope;
        for (name, value) in [("__name__", self.stem()), ("__file__", path.display().to_string())] {
            let object = self.heap.new_text(value)?;
            self.bind(name, Slot { object, place })?;
        }
        self.loading += 1;
        let done = self.run_block(&tree.body);
        self.loading -= 1;
        (self.file, self.scope) = outer;
        if let Err(failure) = done {
            self.modules.remove(path);
            return Err(failure);
        }
        self.modules.insert(path.to_owned(), Loaded::Done(scope));
        Ok(scope)
    }
}

/// The file of a module: `a.py`, or a package's `a/__init__.py`.
pub(super) fn file_at(path: &Path) -> Option<PathBuf> {
    let file = path.with_added_extension("py");
    let package = path.join("__init__.py");
    [file, package].into_iter().find(|path| path.is_file())
}
