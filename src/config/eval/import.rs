//! Imports: names of classes, known modules, and other config files through `read_base`.

use std::{
    env, fs,
    path::{Path, PathBuf},
    rc::Rc,
};

use ruff_python_ast::{Alias, Stmt, StmtImport, StmtImportFrom};
use ruff_text_size::Ranged as _;

use super::{
    Interpreter,
    border::Copying,
    failure::{Eval, Failure},
    limits::FILE_STEPS,
    module,
    object::{Object, Slot},
    source::SourceFile,
    template,
};
use crate::{
    config::{did_you_mean::nearest, error::ConfigError, value::Origin},
    shipped,
};

/// A config file that was asked for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Loaded {
    /// It is being evaluated.
    Running,
    /// It has been; its variables are in this scope.
    Done(u32),
}

impl Interpreter {
    /// Evaluates a config file, once, and gives the scope of its variables.
    /// `asked_at` is the import that wants it, if it is not the user.
    pub(super) fn load_module(&mut self, path: &Path, asked_at: Option<&Origin>) -> Eval<u32> {
        let unreadable = |source| {
            let (path, asked_at) = (path.to_owned(), asked_at.cloned());
            Failure::outside(ConfigError::Read { path, asked_at, source })
        };
        self.heap.limits.steps(FILE_STEPS)?;
        let canonical = path.canonicalize().map_err(unreadable)?;
        match self.modules.get(&canonical) {
            Some(Loaded::Done(scope)) => return Ok(*scope),
            Some(Loaded::Running) => {
                let message = format!("{} imports itself, through this line", path.display());
                return Err(Failure::raised("ImportError", message));
            }
            None => {}
        }
        let text = fs::read_to_string(&canonical).map_err(unreadable)?;
        self.heap.limits.source(text.len())?;
        self.read.push(path.to_owned());
        self.modules.insert(canonical.clone(), Loaded::Running);

        let file = SourceFile::new(path, template::substitute(text, &canonical));
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
        let done = self.run_block(&tree.body);
        (self.file, self.scope) = outer;
        done?;
        self.modules.insert(canonical, Loaded::Done(scope));
        Ok(scope)
    }

    /// The running file's name without `.py`.
    pub(super) fn stem(&self) -> String {
        let path = self.files.get(self.file as usize).and_then(|file| file.path.file_stem());
        path.unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The folder of the running file.
    pub(super) fn folder(&self) -> PathBuf {
        let path = self.files.get(self.file as usize).map(|file| &file.path);
        let path = path.and_then(|path| path.canonicalize().ok());
        path.and_then(|path| path.parent().map(Path::to_owned)).unwrap_or_default()
    }

    /// `import a.b as c`.
    pub(super) fn import(&mut self, import: &StmtImport) -> Eval<()> {
        for alias in &import.names {
            let path = alias.name.as_str();
            let (name, path) = alias.asname.as_ref().map_or_else(
                || {
                    // `import a.b` binds `a`.
                    let first = path.split('.').next().unwrap_or_default();
                    (first, first)
                },
                |name| (name.as_str(), path),
            );
            self.bind_import(name, reference(path), alias)?;
        }
        Ok(())
    }

    /// `from a.b import c` outside of `read_base`: a name, also where the import is relative; no file
    /// is read for it.
    pub(super) fn import_from(&mut self, import: &StmtImportFrom) -> Eval<()> {
        let dots = ".".repeat(import.level as usize);
        let path = import.module.as_ref().map_or("", |module| module.as_str());
        let path = &format!("{dots}{path}");
        for alias in &import.names {
            if alias.name.as_str() == "*" {
                return Err(Failure::unsupported("`import *` outside of `with read_base():`")
                    .with_hint("name what is to be imported"));
            }
            let name = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
            let object = match module::find(path) {
                Some(module) => module.attribute(&alias.name, self.dialect),
                None => reference(&format!("{path}.{}", alias.name)),
            };
            self.bind_import(name, object, alias)?;
        }
        Ok(())
    }

    fn bind_import(&mut self, name: &str, object: Object, alias: &Alias) -> Eval<()> {
        self.heap.limits.text(object.text_bytes())?;
        let place = self.place(alias);
        self.bind(name, Slot { object, place })?;
        let running = self.scope;
        self.scope_at_mut(running).imported.insert(name.into());
        Ok(())
    }

    /// The imports of a block `with read_base():`.
    pub(super) fn read_base(&mut self, body: &[Stmt]) -> Eval<()> {
        for statement in body {
            self.within(statement.range(), |this| match statement {
                Stmt::ImportFrom(import) => this.import_base(import),
                Stmt::Pass(_) => Ok(()),
                _ => Err(Failure::unsupported("anything but `from … import …` in read_base()")),
            })?;
        }
        Ok(())
    }

    fn import_base(&mut self, import: &StmtImportFrom) -> Eval<()> {
        let path = self.base_path(import)?;
        let place = self.place(import);
        let asked_at = self.origin(place);
        let scope = self.load_module(&path, Some(&asked_at)).map_err(|mut failure| {
            failure.trace.push(place);
            failure
        })?;
        for alias in &import.names {
            if alias.name.as_str() == "*" {
                let variables = self.scope_at(scope).variables;
                let entries = self.heap.dict(variables).entries.values();
                let names: Vec<Rc<str>> = entries
                    .filter_map(|entry| match &entry.key {
                        Object::Str(name) if !name.starts_with("__") => Some(Rc::clone(name)),
                        _ => None,
                    })
                    .collect();
                for name in names {
                    self.import_variable(scope, &name, &name, alias, &path)?;
                }
            } else {
                let name = alias.asname.as_ref().unwrap_or(&alias.name);
                self.import_variable(scope, &alias.name, name, alias, &path)?;
            }
        }
        Ok(())
    }

    /// Binds a copy of a base's variable.
    fn import_variable(
        &mut self,
        scope: u32,
        from: &str,
        to: &str,
        alias: &Alias,
        path: &Path,
    ) -> Eval<()> {
        let variables = self.scope_at(scope).variables;
        let Some(slot) = self.heap.named(variables, from).cloned() else {
            let message = format!("{} has no variable '{from}'", path.display());
            let failure = Failure::raised("ImportError", message);
            let names = self.heap.dict(variables).entries.values();
            self.heap.limits.steps(names.len())?;
            let names = names.filter_map(|entry| match &entry.key {
                Object::Str(name) => Some(&**name),
                _ => None,
            });
            let failure = match nearest(from, names) {
                Some(near) => failure.with_hint(format!("did you mean `{near}`?")),
                None => failure,
            };
            return Err(failure.located(self.file, alias.range()));
        };
        let object = self.copied(&slot.object, Copying::Import)?;
        self.bind(to, Slot { object, place: slot.place })?;
        if self.scope_at(scope).imported.contains(from) {
            let running = self.scope;
            self.scope_at_mut(running).imported.insert(to.into());
        }
        Ok(())
    }

    /// The file that an import in `read_base` names: relative to the running file's folder by dots, or
    /// by package path from any folder above it.
    fn base_path(&self, import: &StmtImportFrom) -> Eval<PathBuf> {
        let Some(module) = &import.module else {
            return Err(Failure::unsupported("`from . import …` in read_base()")
                .with_hint("name the file: `from .file import variable`"));
        };
        let relative: PathBuf = module.split('.').collect::<PathBuf>().with_added_extension("py");
        let importer = self.files.get(self.file as usize).map(|file| &*file.path);
        let folder = importer.and_then(Path::parent).unwrap_or(Path::new(""));
        if let Some(up) = import.level.checked_sub(1) {
            let mut folder = folder.to_owned();
            for _ in 0..up {
                folder = parent_folder(&folder);
            }
            let path = folder.join(&relative);
            if path.is_file() {
                return Ok(path);
            }
            let message = format!("base file {} does not exist", path.display());
            return Err(Failure::raised("ImportError", message));
        }
        let roots = self.folder();
        // OpenCompass's own configs are a package, which lies where its prompts are read.
        let package = env::var_os("SURPRISAL_OPENCOMPASS").map(PathBuf::from);
        let mut places = roots.ancestors().chain(package.as_deref());
        let found =
            places.find_map(|root| Some(root.join(&relative)).filter(|path| path.is_file()));
        let found = found.map_or_else(|| shipped_base(&relative), |path| Ok(Some(path)))?;
        found.ok_or_else(|| {
            let message = format!(
                "neither {} nor a folder above it has the base file {}",
                roots.display(),
                relative.display()
            );
            Failure::raised("ImportError", message)
        })
    }
}

/// The base file that ships with the program, as in `from configs.models.pocket import models`.
fn shipped_base(relative: &Path) -> Eval<Option<PathBuf>> {
    let name = relative.to_str().unwrap_or_default();
    shipped::find(name).map_err(|error| Failure::raised("ImportError", error.to_string()))
}

/// `a/b` to `a`, and further up by `..` where the path names no parent.
fn parent_folder(folder: &Path) -> PathBuf {
    match folder.file_name() {
        Some(_) => folder.parent().map(Path::to_owned).unwrap_or_default(),
        None => folder.join(".."),
    }
}

/// What a dotted path that is imported stands for.
fn reference(path: &str) -> Object {
    module::find(path).map_or_else(|| Object::Type(path.into()), Object::Module)
}
