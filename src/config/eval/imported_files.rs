//! The files that a file of functions is made of: itself, and whatever it imports of the tasks' folder, however deep.
//!
//! Found by reading import statements, wherever they stand, and running nothing: a file more than is needed costs no more than a
//! look at it.

use std::path::{Path, PathBuf};

use ruff_python_ast::{
    Stmt, StmtImportFrom,
    visitor::{Visitor, walk_stmt},
};

use super::{
    library_import::{TASKS, file_at},
    limits::FILE_BYTES,
    source::SourceFile,
};
use crate::regular_file;

/// Files beyond this many are not followed.
const MOST_FILES: usize = 1000;

/// The file and those that it imports, each once, in the order in which they are found; `tasks` is the folder that dotted paths
/// below `lm_eval.tasks` mean. A file that cannot be read or is not Python imports nothing.
pub fn imported_files(path: &Path, tasks: &Path) -> Vec<PathBuf> {
    let mut found = vec![path.to_owned()];
    let mut next = 0;
    while let Some(path) = found.get(next).cloned() {
        next += 1;
        for file in imports_of(&path, tasks) {
            if found.len() < MOST_FILES && !found.contains(&file) {
                found.push(file);
            }
        }
    }
    found
}

fn imports_of(path: &Path, tasks: &Path) -> Vec<PathBuf> {
    let Ok(text) = regular_file::read_text(path, FILE_BYTES as u64) else { return Vec::new() };
    let text = text.trim_start_matches('\u{feff}').to_owned();
    let Ok(tree) = SourceFile::new(path, text).parse() else { return Vec::new() };
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let mut imports = Imports { folder, tasks, files: Vec::new() };
    imports.visit_body(&tree.body);
    imports.files
}

struct Imports<'a> {
    folder: PathBuf,
    tasks: &'a Path,
    files: Vec<PathBuf>,
}

impl Imports<'_> {
    /// A module by its dotted path, in a folder.
    fn add(&mut self, folder: &Path, module: &str) {
        self.files.extend(file_at(&folder.join(module.split('.').collect::<PathBuf>())));
    }

    fn absolute(&mut self, module: &str) {
        match module.strip_prefix(TASKS) {
            Some(rest) => self.add(self.tasks, rest.trim_start_matches('.')),
            None => self.add(&self.folder.clone(), module),
        }
    }

    fn from(&mut self, import: &StmtImportFrom) {
        let module = import.module.as_ref().map_or("", |module| module.as_str());
        // What is imported is a name in the module, or a module below it.
        let below = import.names.iter().map(|alias| format!("{module}.{}", alias.name));
        let modules = std::iter::once(module.to_owned()).chain(below);
        for module in modules {
            let module = module.trim_start_matches('.');
            if module.is_empty() {
                continue;
            }
            if import.level == 0 {
                self.absolute(module);
                continue;
            }
            let mut folder = self.folder.clone();
            for _ in 1..import.level {
                folder = folder.parent().map(Path::to_owned).unwrap_or_default();
            }
            self.add(&folder, module);
        }
    }
}

impl<'a> Visitor<'a> for Imports<'_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Import(import) => {
                import.names.iter().for_each(|alias| self.absolute(alias.name.as_str()));
            }
            Stmt::ImportFrom(import) => self.from(import),
            _ => walk_stmt(self, statement),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn imports_are_followed_wherever_they_stand() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            path
        };
        let first = write(
            "a/u.py",
            "import re\nfrom beside import K\n\ndef f():\n    from ..other import g as h\n    return K\n",
        );
        let expected = [
            first.clone(),
            write("a/beside.py", "import lm_eval.tasks.deep.one\nfrom . import u\n"),
            folder.path().join("a/../other.py"),
            write("deep/one.py", "this is no Python ("),
        ];
        write("other.py", "");
        let found = imported_files(&first, folder.path());
        let found: Vec<PathBuf> = found.iter().map(|path| path.canonicalize().unwrap()).collect();
        let mut expected: Vec<PathBuf> =
            expected.iter().map(|path| path.canonicalize().unwrap()).collect();
        expected.sort();
        let mut sorted = found.clone();
        sorted.sort();
        assert_eq!(sorted, expected);
        assert_eq!(found[0], first.canonicalize().unwrap());
    }
}
