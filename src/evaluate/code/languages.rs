//! How programs of many languages are compiled and run: by what the system has.

use std::fmt::Write as _;

use serde_json::json;

use super::harness;
use crate::sandbox::Program;

/// A language that programs are written in.
pub(super) struct Language {
    /// Its names in data sets.
    names: &'static [&'static str],
    /// The file that a program stands in.
    file: &'static str,
    /// What compiles and runs it.
    commands: &'static [&'static [&'static str]],
    /// What it writes into its errors where it fails and ends well all the same.
    failure: Option<&'static str>,
}

const fn language(
    names: &'static [&'static str],
    file: &'static str,
    commands: &'static [&'static [&'static str]],
) -> Language {
    Language { names, file, commands, failure: None }
}

/// Options that keep Java's memory within the sandbox's.
const JAVAC: &[&str] = &["javac", "-J-Xmx512m", "-cp", ".:/usr/share/java/*", "-d", "."];

const LANGUAGES: &[Language] = &[
    language(
        &["cpp", "CPP"],
        "main.cpp",
        &[&["g++", "-std=c++17", "main.cpp", "-o", "main"], &["./main"]],
    ),
    Language {
        failure: Some("Fail"),
        ..language(
            &["cs"],
            "main.cs",
            &[
                &["csc", "/d:DEBUG", "-r:System.Numerics.dll", "main.cs", "/out:main.exe"],
                &["mono", "main.exe"],
            ],
        )
    },
    language(&["go"], "main_test.go", &[&["go", "test", "main_test.go"]]),
    language(&["jl"], "main.jl", &[&["julia", "main.jl"]]),
    language(&["js", "javascript"], "main.js", &[&["node", "main.js"]]),
    language(&["lua"], "main.lua", &[&["lua", "main.lua"]]),
    language(&["php"], "main.php", &[&["php", "-d", "zend.assertions=1", "main.php"]]),
    language(&["pl"], "main.pl", &[&["perl", "main.pl"]]),
    language(&["py", "python"], "main.py", &[&["python3", "main.py"]]),
    language(&["r"], "main.r", &[&["Rscript", "main.r"]]),
    language(&["rb"], "main.rb", &[&["ruby", "main.rb"]]),
    language(&["rs"], "main.rs", &[&["rustc", "main.rs", "-o", "main"], &["./main"]]),
    language(&["rust"], "main.rs", &[&["rustc", "--test", "main.rs", "-o", "main"], &["./main"]]),
    language(&["sh"], "main.sh", &[&["bash", "main.sh"]]),
    language(&["swift"], "main.swift", &[&["swiftc", "main.swift", "-o", "main"], &["./main"]]),
    language(
        &["ts"],
        "main.ts",
        &[&["tsc", "--target", "esnext", "--module", "commonjs", "main.ts"], &["node", "main.js"]],
    ),
];

/// Java, whose file is named after its class.
const JAVA: &[(&str, &str)] = &[("class Problem", "Problem"), ("", "Main")];

/// The time of a command.
pub(super) const SECONDS: f64 = 15.0;

/// The program that compiles and runs code; nothing if the language is none of those known.
pub(super) fn program(name: &str, code: &str) -> Option<Program> {
    let (files, commands, failure) = if name == "java" {
        let (_, class) = JAVA.iter().find(|(mark, _)| code.contains(mark))?;
        let file = format!("{class}.java");
        let javac = [JAVAC, &[file.as_str()]].concat();
        let commands = json!([
            javac,
            ["java", "-Xmx512m", "-XX:+UseSerialGC", "-ea", "-cp", ".:/usr/share/java/*", class],
        ]);
        (json!({ file: code }), commands, None)
    } else {
        let known = LANGUAGES.iter().find(|language| language.names.contains(&name))?;
        (json!({ known.file: code }), json!(known.commands), known.failure)
    };
    let count = commands.as_array().map_or(1, Vec::len);
    let job = json!({"files": files, "commands": commands, "failure": failure, "seconds": SECONDS});
    let program = harness::program(harness::LANGUAGES, &job, SECONDS * count as f64 + 5.0);
    Some(Program { memory_bytes: harness::LARGE_MEMORY_BYTES, ..program })
}

/// The names of all languages, for people.
pub(super) fn names() -> String {
    let mut names = "java".to_owned();
    for language in LANGUAGES {
        let _ = write!(names, ", {}", language.names.first().copied().unwrap_or_default());
    }
    names
}
