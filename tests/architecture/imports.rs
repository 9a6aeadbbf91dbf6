//! Which rooms a source file names.

use std::{collections::BTreeSet, path::Path};

use super::source::is_name;

/// The rooms that `code`, of the file at `path` below `src/`, reaches from the root of the crate: by
/// `crate::`, or by as many `super::` as lead there.
pub(crate) fn rooms(code: &str, path: &Path) -> BTreeSet<String> {
    let depth = module(path).len();
    let (mut rooms, mut supers) = (BTreeSet::new(), 0);
    let mut rest = code;
    let mut before = ' ';
    while let Some(first) = rest.chars().next() {
        let is_start = !is_name(before);
        let segment = ["crate", "super"].into_iter().find_map(|word| {
            let after = rest.strip_prefix(word).filter(|_| is_start)?.trim_start();
            Some((word, after.strip_prefix("::")?.trim_start()))
        });
        let Some((word, after)) = segment else {
            // A chain of supers ends with whatever is not one of them.
            supers = 0;
            before = first;
            rest = &rest[first.len_utf8()..];
            continue;
        };
        supers = if word == "super" { supers + 1 } else { depth };
        if supers == depth {
            rooms.extend(heads(after));
        }
        (before, rest) = (':', after);
    }
    rooms
}

/// The path of modules of a file.
fn module(path: &Path) -> Vec<String> {
    let path = path.with_extension("");
    let mut names: Vec<String> =
        path.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    if names.last().is_some_and(|name| name == "mod") {
        names.pop();
    }
    names
}

/// The first names of what follows a path: one, or those of the parts in braces.
fn heads(after: &str) -> Vec<String> {
    let name = |text: &str| {
        let text = text.trim_start();
        let end = text.find(|character| !is_name(character)).unwrap_or(text.len());
        Some(text[..end].to_owned()).filter(|name| !name.is_empty())
    };
    let Some(tree) = after.strip_prefix('{') else { return Vec::from_iter(name(after)) };
    let (mut depth, mut begun) = (0_usize, 0);
    let mut found = Vec::new();
    for (at, character) in tree.char_indices() {
        match (character, depth) {
            ('{', _) => depth += 1,
            ('}' | ',', 0) => {
                found.extend(name(&tree[begun..at]));
                begun = at + 1;
                if character == '}' {
                    break;
                }
            }
            ('}', _) => depth -= 1,
            _ => {}
        }
    }
    found
}

#[test]
fn rooms_are_found_however_they_are_reached() {
    let found = |code: &str, path: &str| Vec::from_iter(rooms(code, Path::new(path)));
    let tree = "use crate::{a, b::{self, x::{y}, z}, c::D,};";
    assert_eq!(found(tree, "room/file.rs"), ["a", "b", "c"]);
    assert_eq!(found("fn f() { crate::a::g(mycrate::b); }", "room/mod.rs"), ["a"]);
    assert_eq!(found("macro!($crate::a::B)", "room/file.rs"), ["a"]);
    assert_eq!(found("use super::{a, b::C};", "room/mod.rs"), ["a", "b"]);
    assert_eq!(found("use super::a; use super::super::b;", "room/file.rs"), ["b"]);
    assert_eq!(found("use super::super::a;", "room/folder/file.rs"), [""; 0]);
    assert_eq!(found("pub(crate) mod x; pub(super) fn y() {}", "room/file.rs"), [""; 0]);
}
