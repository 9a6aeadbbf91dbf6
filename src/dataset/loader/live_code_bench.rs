//! `LiveCodeBench`: programs to write, to run in one's head, and to test.
//!
//! Its prompts are texts of OpenCompass's, read in the user's package.

use std::{io::Read as _, path::Path};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use flate2::read::ZlibDecoder;
use ruff_python_ast::{
    Stmt,
    statement_visitor::{StatementVisitor, walk_stmt},
};
use ruff_python_parser::parse_module;
use serde_json::{Value, json};

use super::{
    arguments::Arguments,
    borrowed::texts,
    class::{ClassForm, Tables, own},
    file::{Encoding, json_lines, malformed},
    pickled_text::unpickled,
    repositories::{each_row, only_split},
    row::{Fields, Flaw, Made, Row, object},
};
use crate::{
    config::{ModuleTexts, Piece},
    dataset::DatasetError,
    python::{is_truthy, python_str, to_json},
};

const PROMPTS: &str = "opencompass/datasets/livecodebench/prompts.py";

pub(super) const GENERATION: ClassForm =
    own(&["path", "local_mode?", "release_version?", "start_date?", "end_date?"], |arguments| {
        let texts = texts(arguments, PROMPTS)?;
        let told = |name: &str| match texts.value(&format!("CodeGenerationPromptConstants.{name}"))
        {
            Some(Value::String(text)) => Ok(text),
            _ => Err(malformed(PROMPTS, Flaw(format!("there is no {name}")))),
        };
        let called = told("FORMATTING_MESSAGE_WITH_STARTER_CODE")?;
        let read = told("FORMATTING_WITHOUT_STARTER_CODE")?;
        let make = |value: &Value| -> Made<Row> {
            let mut row = object(value)?.clone();
            let starter = row.at("starter_code")?;
            let (format, code) = if is_truthy(starter) {
                (&called, format!("```python\n{}\n```\n\n", python_str(starter)))
            } else {
                (&read, "```python\n# YOUR CODE HERE\n```\n\n".to_owned())
            };
            let sample = evaluation_sample(&row)?;
            row.insert("format_prompt".to_owned(), format!("### Format: {format}\n{code}").into());
            row.insert("evaluation_sample".to_owned(), sample.into());
            Ok(row)
        };
        let folder = arguments.path("path")?;
        let mut rows = Vec::new();
        for file in release(arguments, &folder)? {
            for item in json_lines(&folder.join(file), Encoding::Strict)? {
                let row = item.make(make)?;
                if item.make(|value| is_meant(arguments, value.text("contest_date")?))? {
                    rows.push(row);
                }
            }
        }
        Ok(both(rows))
    })
    .with_texts(&[PROMPTS]);

/// The rows as both splits, as the original has them.
fn both(rows: Vec<Row>) -> Tables {
    Tables::Splits(vec![("test".into(), rows.clone()), ("train".into(), rows)])
}

/// Whether a contest was in the time that is asked about. Dates and times are texts of one form, a day is its midnight.
fn is_meant(arguments: &Arguments<'_>, date: &str) -> Made<bool> {
    let bound =
        |name: &str| arguments.is_given(name).then(|| arguments.fields.text(name)).transpose();
    let (first, last) = (bound("start_date")?, bound("end_date")?);
    Ok(first.is_none_or(|first| date >= first)
        && last.is_none_or(|last| date <= format!("{last}T00:00:00").as_str()))
}

/// How many files of problems there have been.
const FILES: usize = 6;

/// The name of a file of problems.
fn file(number: usize) -> String {
    if number == 1 { "test.jsonl".to_owned() } else { format!("test{number}.jsonl") }
}

/// The files of a release: as the script beside them says, which is read and not run, or by the name's own rule.
fn release(arguments: &Arguments<'_>, folder: &Path) -> Result<Vec<String>, DatasetError> {
    let tag = arguments.text_or("release_version", "release_v1")?;
    let script = folder.file_name().map(|name| folder.join(name).with_extension("py"));
    let script = script.and_then(|script| ModuleTexts::read(&script).ok());
    let releases = script.and_then(|script| script.value("ALLOWED_FILES")).unwrap_or_default();
    if releases.get(tag).is_some() {
        let files = arguments.asked(releases.texts(tag))?;
        return Ok(files.into_iter().map(str::to_owned).collect());
    }
    let number = |name: &str| {
        let number: usize = name.strip_prefix('v')?.parse().ok()?;
        (1..=FILES).contains(&number).then_some(number)
    };
    let numbers = match tag.strip_prefix("release_") {
        Some("latest") => Some((1, FILES)),
        Some(last) => number(last).map(|last| (1, last)),
        None => match tag.split_once('_') {
            Some((first, last)) => number(first).zip(number(last)),
            None => number(tag).map(|only| (only, only)),
        },
    };
    arguments.asked(match numbers {
        Some((first, last)) => Ok((first..=last).map(file).collect()),
        None => Flaw::new(format!(
            "release_version='{tag}' is no release that is known, and ALLOWED_FILES in the script beside the files does not name it; \
             write release_v1 to release_v{FILES}, or v1 to v{FILES} for one file"
        )),
    })
}

/// The inputs and outputs of all tests, as JSON.
fn evaluation_sample(row: &Row) -> Made<String> {
    let read = |text: &str| -> Made<Value> {
        serde_json::from_str(text).map_err(|error| Flaw(format!("its tests are not JSON: {error}")))
    };
    let public = read(row.text("public_test_cases")?)?;
    let private = row.text("private_test_cases")?;
    let private = match serde_json::from_str(private) {
        Ok(private) => private,
        Err(_) => read(&unpacked(private)?)?,
    };
    let tests: Vec<&Value> =
        [&public, &private].into_iter().filter_map(Value::as_array).flatten().collect();
    let all = |name: &str| tests.iter().map(|test| test.at(name).cloned()).collect::<Made<Value>>();
    let about = read(row.text("metadata")?)?;
    let name = about.get("func_name").cloned().unwrap_or_default();
    let sample = json!({"inputs": all("input")?, "outputs": all("output")?, "fn_name": name});
    Ok(to_json(&sample, true))
}

/// A text that was pickled, compressed and written in letters.
fn unpacked(letters: &str) -> Made<String> {
    let odd = |what: &str| Flaw(format!("`private_test_cases` is neither JSON nor {what}"));
    let letters: String = letters.chars().filter(|letter| !letter.is_whitespace()).collect();
    let packed = STANDARD.decode(letters).map_err(|_| odd("base64"))?;
    let mut pickle = Vec::new();
    ZlibDecoder::new(&packed[..]).read_to_end(&mut pickle).map_err(|_| odd("zlib's"))?;
    unpickled(&pickle)
}

pub(super) const EXECUTION: ClassForm =
    own(&["path", "local_mode?", "cot?"], |arguments| {
        let templates = texts(arguments, PROMPTS)?.returned("make_code_execution_prompt");
        let place = usize::from(!arguments.flag("cot", false));
        let template = templates.get(place).ok_or_else(|| {
            malformed(PROMPTS, Flaw("there are not two prompts to run code".to_owned()))
        })?;
        let rows = only_split(arguments, None, "test")?;
        let make = |value: &Value| -> Made<Vec<Row>> {
            let mut row = object(value)?.clone();
            let sample = json!({"code": row.at("code")?, "input": row.at("input")?, "output": row.at("output")?});
            let prompt = filled(template, |field| row.at(field).map(python_str))?;
            row.insert("prompt".to_owned(), prompt.into());
            row.insert("evaluation_sample".to_owned(), to_json(&sample, true).into());
            Ok(vec![row])
        };
        each_row(arguments, &rows, make).map(both)
    })
    .with_texts(&[PROMPTS]);

pub(super) const TEST_OUTPUT: ClassForm = own(&["path", "local_mode?"], |arguments| {
    let texts = texts(arguments, PROMPTS)?;
    let template = texts.built("get_generic_question_template_test_completion", "prompt");
    let assertions = texts.returned("format_testcase_func_name_input");
    let Some(assertion) = assertions.first().filter(|_| !template.is_empty()) else {
        return Err(malformed(PROMPTS, Flaw("there is no prompt to complete a test".to_owned())));
    };
    let rows = only_split(arguments, None, "test")?;
    let make = |value: &Value| -> Made<Vec<Row>> {
        let mut row = object(value)?.clone();
        let tests: Value = serde_json::from_str(row.text("test")?)
            .map_err(|error| Flaw(format!("`test` is not JSON: {error}")))?;
        let (input, output) = (tests.at("0.input")?.clone(), tests.at("0.output")?.clone());
        let name = function_name(row.text("starter_code")?)?;
        let inputs = tests.text("0.input")?.split('\n').collect::<Vec<_>>().join(", ");
        let assertion = filled(assertion, |field| match field {
            "function_name" => Ok(name.clone()),
            "input_str" => Ok(inputs.clone()),
            other => Flaw::new(format!("nothing fills {{{other}}}")),
        })?;
        let prompt = filled(&template, |field| match field {
            "question_content" | "starter_code" => row.at(field).map(python_str),
            call if call.starts_with("format_testcase_func_name_input(") => Ok(assertion.clone()),
            other => Flaw::new(format!("nothing fills {{{other}}}")),
        })?;
        let sample = json!({"input": row.at("question_content")?, "output": output});
        row.insert("testcase_input".to_owned(), input);
        row.insert("testcase_output".to_owned(), output);
        row.insert("prompt".to_owned(), prompt.into());
        row.insert("evaluation_sample".to_owned(), to_json(&sample, true).into());
        Ok(vec![row])
    };
    each_row(arguments, &rows, make).map(both)
})
.with_texts(&[PROMPTS]);

/// A template with its fields filled in.
fn filled(template: &[Piece], fill: impl Fn(&str) -> Made<String>) -> Made<String> {
    let piece = |piece: &Piece| match piece {
        Piece::Text(text) => Ok(text.clone()),
        Piece::Field(field) => fill(field),
    };
    template.iter().map(piece).collect()
}

/// The functions of a program, those in others too.
#[derive(Default)]
struct Functions(Vec<String>);

impl<'a> StatementVisitor<'a> for Functions {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if let Stmt::FunctionDef(function) = statement
            && !function.is_async
        {
            self.0.push(function.name.to_string());
        }
        walk_stmt(self, statement);
    }
}

/// The name of the only function of a program; Python's `None` if there is none.
fn function_name(code: &str) -> Made<String> {
    let parsed = parse_module(code);
    let parsed = parsed.map_err(|error| Flaw(format!("`starter_code` is no Python: {error}")))?;
    let mut functions = Functions::default();
    functions.visit_body(&parsed.syntax().body);
    match &functions.0[..] {
        [] => Ok("None".to_owned()),
        [name] => Ok(name.clone()),
        _ => Flaw::new("`starter_code` has several functions"),
    }
}
