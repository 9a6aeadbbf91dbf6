//! Programs in the language of functions, held against `CPython`.
//!
//! `tests/fixtures/functions/*.py` are small programs of our own; each function in them takes nothing. The file of the same
//! name in JSON says for each what `CPython` made of it: the `repr` of its value, or the exception that it raised. Where it
//! says `refused`, `CPython` has a value and the evaluator must say that it has none. `make.py` beside them writes these files.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;
use surprisal::config::functions::FunctionFiles;

#[test]
fn functions_do_as_in_cpython() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/functions");
    let mut programs: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("the folder of programs is readable")
        .map(|entry| entry.expect("its entries are readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    programs.sort();
    let files = FunctionFiles::new(&folder);
    let mut all_failed = 0;
    for path in &programs {
        let text = fs::read_to_string(path).expect("vectors are readable");
        let expected: Value = serde_json::from_str(&text).expect("vectors are JSON");
        let stem = path.with_extension("");
        let (mut passed, mut failed) = (0, 0);
        for (name, expected) in expected.as_object().expect("a function to a key") {
            let function = files.function(&format!("{}.{name}", stem.display()));
            let checked = function.check();
            let made = checked.and_then(|()| function.call(&[])).map(|value| value.repr());
            let outcome = match (&made, expected) {
                (Ok(made), Value::String(value)) => made == value,
                (Err(error), Value::Object(how)) => match how.get("raises") {
                    Some(Value::String(exception)) => error.to_string().contains(&**exception),
                    _ => ["a function cannot use", "does not fit into 64 bits"]
                        .iter()
                        .any(|words| error.to_string().contains(words)),
                },
                _ => false,
            };
            if outcome {
                passed += 1;
            } else {
                failed += 1;
                println!("{name}\n  expected {expected}\n       got {made:?}");
            }
        }
        println!("{}: {passed} passed, {failed} failed", path.display());
        all_failed += failed;
    }
    assert!(!programs.is_empty(), "there are no programs");
    assert_eq!(all_failed, 0, "{all_failed} functions differ");
}
