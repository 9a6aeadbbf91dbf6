//! mmengine's text substitution: `{{ fileDirname }}` and its like.
//!
//! mmengine fills these in only in files that it runs as plain Python. Files that use `read_base`, or
//! import anything but Python's own modules, are read in its "lazy" way, which leaves them alone.

use std::path::Path;

/// Modules of Python's own that a plain file may import.
const PLAIN_MODULES: &[&str] =
    &["copy", "functools", "itertools", "json", "math", "os", "random", "re", "string", "sys"];

/// The text with `{{ fileDirname }}`, `{{ fileBasename }}`, `{{ fileBasenameNoExtension }}` and
/// `{{ fileExtname }}` filled in.
pub(super) fn substitute(text: String, path: &Path) -> String {
    if !text.contains("{{") || is_lazy(&text) {
        return text;
    }
    let name =
        |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let extension = match path.extension() {
        Some(extension) => format!(".{}", extension.to_string_lossy()),
        None => String::new(),
    };
    let values = [
        ("fileDirname", path.parent().unwrap_or(path).display().to_string()),
        ("fileBasename", name(path.file_name())),
        ("fileBasenameNoExtension", name(path.file_stem())),
        ("fileExtname", extension),
    ];
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let filled = after.split_once("}}").and_then(|(key, after)| {
            let (_, value) = values.iter().find(|(name, _)| *name == key.trim())?;
            Some((value.as_str(), after))
        });
        let (filled, after) = filled.unwrap_or(("{{", after));
        out.push_str(filled);
        rest = after;
    }
    out + rest
}

fn is_lazy(text: &str) -> bool {
    text.lines().any(|line| {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("with") => true,
            Some("from" | "import") => {
                let module = words.next().unwrap_or_default();
                let first = module.split('.').next().unwrap_or_default();
                !PLAIN_MODULES.contains(&first)
            }
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_files_are_filled_in() {
        let fill = |text: &str| substitute(text.to_owned(), Path::new("/a/b.c.py"));
        assert_eq!(
            fill("x = '{{ fileDirname }}/{{fileBasename}} {{fileBasenameNoExtension}}'"),
            "x = '/a/b.c.py b.c'"
        );
        assert_eq!(
            fill("import os\nx = '{{fileExtname}}{{other}}'"),
            "import os\nx = '.py{{other}}'"
        );
        let lazy = "from a import B\nx = '{{ fileDirname }}'";
        assert_eq!(fill(lazy), lazy);
    }
}
