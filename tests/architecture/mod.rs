//! The arrows between rooms go as ARCHITECTURE.md says.
//!
//! Its block `rooms` is the only place where the order is written; here the imports of every file are
//! held against it. Tests may look where they like.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod imports;
mod layers;
mod source;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use layers::Layers;

/// Files below `src/` that are no room: they start the program and declare the rooms.
const ROOTS: [&str; 2] = ["lib.rs", "main.rs"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn layers() -> Layers {
    Layers::read(&fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap()).unwrap()
}

#[test]
fn every_arrow_between_rooms_goes_down() {
    let layers = layers();
    let files: Vec<(PathBuf, String)> = sources()
        .into_iter()
        .map(|path| (path.clone(), fs::read_to_string(root().join("src").join(path)).unwrap()))
        .collect();
    let wrong = wrong_arrows(&layers, &files);
    assert!(files.len() > 300, "only {} files were found", files.len());
    assert!(wrong.is_empty(), "against ARCHITECTURE.md:\n{}", wrong.join("\n"));
}

#[test]
fn every_folder_has_a_place_in_the_order_and_every_place_a_folder() {
    let folders: BTreeSet<String> = sources().iter().map(|path| room(path)).collect();
    assert_eq!(layers().rooms(), folders);
}

#[test]
fn an_arrow_that_goes_up_is_found_with_its_file() {
    let layers = Layers::read("```rooms\ncli\nrun view\nops\n```").unwrap();
    let file = |path: &str, code: &str| (PathBuf::from(path), code.to_owned());
    let files = [
        file("cli/mod.rs", "use crate::{run, ops::{norm, head}};"),
        file("run/mod.rs", "#[cfg(test)] mod toy; /// See [`crate::cli`].\nuse crate::ops;"),
        file("run/toy.rs", "use crate::cli;"),
        file("run/toy/deeper.rs", "use crate::cli;"),
        file("run/work.rs", "fn f() { crate::view::show() }"),
        file("view/mod.rs", "#[cfg(test)] mod tests { use crate::cli; }"),
        file("ops/norm.rs", "use super::super::run::work;"),
    ];
    let wrong = wrong_arrows(&layers, &files);
    assert_eq!(wrong, ["run/work.rs: view stands beside run", "ops/norm.rs: run stands above ops"]);
}

/// Every wrong arrow with its file; files that only tests see are left out.
fn wrong_arrows(layers: &Layers, files: &[(PathBuf, String)]) -> Vec<String> {
    let mut for_tests = Vec::new();
    let mut codes = Vec::new();
    for (path, text) in files {
        let (code, test_modules) = source::code(text);
        let folder = if path.ends_with("mod.rs") {
            path.parent().unwrap().to_owned()
        } else {
            path.with_extension("")
        };
        for_tests.extend(test_modules.into_iter().map(|module| folder.join(module)));
        codes.push((path, code));
    }
    let is_for_tests =
        |path: &Path| for_tests.iter().any(|module| path.with_extension("").starts_with(module));
    let mut wrong = Vec::new();
    for (path, code) in codes.into_iter().filter(|(path, _)| !is_for_tests(path)) {
        for to in imports::rooms(&code, path) {
            let problem = layers.problem(&room(path), &to);
            wrong.extend(problem.map(|problem| format!("{}: {problem}", path.display())));
        }
    }
    wrong
}

/// The room of a file: its top folder, or itself where a room is one file.
fn room(path: &Path) -> String {
    let first = Path::new(path.iter().next().unwrap());
    first.with_extension("").to_string_lossy().into_owned()
}

/// Every source file of a room, by its path below `src/`.
fn sources() -> Vec<PathBuf> {
    let source = root().join("src");
    let mut folders = vec![source.clone()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path.strip_prefix(&source).unwrap().to_owned());
            }
        }
    }
    files.retain(|path| !ROOTS.iter().any(|root| path == Path::new(root)));
    files.sort();
    files
}
