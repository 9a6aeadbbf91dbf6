//! `DS-1000`: problems of data science, a folder of files for each.

use std::{
    fs,
    path::{Component, Path, PathBuf},
};

use serde_json::Value;

use super::{
    arguments::{Arguments, unknown},
    class::{ClassForm, Tables, own},
    file::{Encoding, malformed, text},
    row::{Flaw, Made, Row, row},
};
use crate::dataset::DatasetError;

/// The libraries that problems are of, in the order in which they are read.
const LIBRARIES: [&str; 7] =
    ["Pandas", "Numpy", "Matplotlib", "Tensorflow", "Scipy", "Sklearn", "Pytorch"];

/// What is read of a problem's settings: section and name.
const PERTURBATION: [(&str, &str); 2] =
    [("perturbation", "perturbation_type"), ("perturbation", "perturbation_origin_id")];

/// The columns that are files, with how these end.
const FILES: [(&str, &str); 4] = [
    ("reference_code", "txt"),
    ("test_code", "py"),
    ("test_generate_pickle", "py"),
    ("prompt", "txt"),
];

pub(super) const PROBLEMS: ClassForm = own(&["path", "libs?", "mode?"], |arguments| {
    let folder = arguments.path("path")?;
    let mode = arguments.text_or("mode", "Insertion")?;
    let mut rows = Vec::new();
    for library in libraries(arguments)? {
        let below = format!("{library}/{mode}");
        let problems = folder.join(&below);
        for name in names(&problems)? {
            let own = problems.join(&name);
            // As the entry writes it: where the data lie on this machine is found again when programs are run.
            let written = Path::new(arguments.text("path")?).join(&below).join(&name);
            rows.push(problem(&own, &tidy(&written))?);
        }
    }
    Ok(Tables::Splits(vec![("test".into(), rows)]))
})
.unnamed();

/// The libraries that an entry wants; all where it names none.
fn libraries(arguments: &Arguments<'_>) -> Result<Vec<String>, DatasetError> {
    let libraries = match arguments.fields.get("libs") {
        Some(Value::String(one)) => vec![one.clone()],
        _ => arguments.texts("libs", &LIBRARIES)?,
    };
    if let Some(other) = libraries.iter().find(|name| !LIBRARIES.contains(&name.as_str())) {
        return arguments.asked(unknown("libs", other, &LIBRARIES));
    }
    Ok(if libraries.is_empty() { LIBRARIES.map(str::to_owned).to_vec() } else { libraries })
}

/// The names of the problems in a folder, `q0` before `q10`.
fn names(folder: &Path) -> Result<Vec<String>, DatasetError> {
    let unreadable = |source| DatasetError::Unreadable { path: folder.to_owned(), source };
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let name = entry.map_err(unreadable)?.file_name().to_string_lossy().into_owned();
        let number: i64 = name.replace('q', "").parse().map_err(|_| {
            let what =
                format!("'{name}' is not a problem, whose name is q and a number; move it away");
            malformed(&folder.display().to_string(), Flaw(what))
        })?;
        names.push((number, name));
    }
    names.sort_unstable();
    Ok(names.into_iter().map(|(_, name)| name).collect())
}

/// A path without what says nothing, as Python writes it.
fn tidy(path: &Path) -> String {
    let parts = path.components().filter(|part| *part != Component::CurDir);
    parts.collect::<PathBuf>().display().to_string()
}

/// A problem: its settings and its files, with what tests it in one column.
fn problem(folder: &Path, written: &str) -> Result<Row, DatasetError> {
    let settings_path = folder.join(".cfg");
    let settings = text(&settings_path, Encoding::Strict)?;
    let setting = |section: &str, name: &str| {
        let found = setting(&settings, section, name);
        found.map_err(|flaw| malformed(&settings_path.display().to_string(), flaw))
    };
    let file = |name: &str| text(&folder.join(name), Encoding::Strict).map(Value::from);
    let mut made = row([("lib", setting("library", "lib")?)]);
    for (section, name) in PERTURBATION {
        made.insert(name.to_owned(), setting(section, name)?);
    }
    for (name, end) in FILES {
        made.insert(name.to_owned(), file(&format!("{name}.{end}"))?);
    }
    let test = row([
        ("problem_path", written.into()),
        ("code_context", file("code_context.txt")?),
        ("test_case_cnt", setting("test", "test_case_cnt")?),
        ("test_type", setting("test", "test_type")?),
    ]);
    made.insert("test_column".to_owned(), Value::Object(test));
    Ok(made)
}

/// A setting of a file in sections, as Python's `configparser` reads it: names are the same in capitals.
fn setting(text: &str, section: &str, name: &str) -> Made<Value> {
    let is_comment = |line: &&str| line.is_empty() || line.starts_with(['#', ';']);
    let head = format!("[{section}]");
    let lines = text.lines().map(str::trim).filter(|line| !is_comment(line));
    let own = lines.skip_while(|line| *line != head).skip(1);
    let own = own.take_while(|line| !line.starts_with('['));
    let mut pairs = own.filter_map(|line| line.split_once(['=', ':']));
    let found = pairs.find(|(key, _)| key.trim().eq_ignore_ascii_case(name));
    let (_, value) = found.ok_or_else(|| Flaw(format!("there is no `{name}` in [{section}]")))?;
    Ok(value.trim().into())
}
