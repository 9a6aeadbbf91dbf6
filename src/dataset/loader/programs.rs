//! Programs to write in many languages, and contests of programming.

use fancy_regex::Regex;
use serde_json::Value;

use super::{
    arguments::unknown,
    class::{ClassForm, Format, Tables, files, own},
    code::test_column,
    drawn::{each_repeated, repeated},
    file::{Encoding, Item, items, json_lines, json_rows, text_lines},
    repositories::{after, only_split},
    row::{Fields, Flaw, Made, Row, object, row},
    step::Step::{Own, Take},
};
use crate::{
    dataset::{
        ColumnRule, DatasetError,
        source::{read_rows, read_table},
    },
    python::{is_truthy, python_str},
};

pub(super) const BIG_CODE_BENCH: ClassForm =
    own(&["path?", "local_mode?", "release_version?", "dataset_version?"], |arguments| {
        let hard = match arguments.text_or("dataset_version", "full")? {
            "full" => "",
            "hard" => "-Hard",
            other => {
                let known = unknown("dataset_version", other, &["full", "hard"]);
                return arguments.asked(known);
            }
        };
        let version = arguments.text_or("release_version", "v0.1.2")?;
        let file = arguments.path("path")?.join(format!("BigCodeBench{hard}-{version}.jsonl"));
        let rows = whole_rows(&json_lines(&file, Encoding::Strict)?)?;
        Ok(Tables::Splits(vec![("train".into(), rows.clone()), ("test".into(), rows)]))
    });

fn whole_rows(items: &[Item]) -> Result<Vec<Row>, DatasetError> {
    items.iter().map(|item| item.make(|value| object(value).cloned())).collect()
}

/// How many problems are examples.
const EXAMPLES: usize = 5;

/// Problems of contests, the first ones examples; perhaps those of one difficulty.
pub(super) const LC_BENCH: ClassForm =
    own(&["path", "num_repeats?", "difficulty?", "local_mode?"], |arguments| {
        let items = json_rows(&arguments.path("path")?)?;
        let wanted = arguments.text_or("difficulty", "ALL")?;
        let make = |value: &Value| {
            if wanted != "ALL" && value.at("Difficulty")? != wanted {
                return Ok(None);
            }
            let mut made = object(value)?.clone();
            let tests = value.texts("test_list")?.join("\n");
            let column = row([
                ("test_list_2", tests.as_str().into()),
                ("task_id", value.at("Contest id")?.clone()),
            ]);
            made.insert("test_case".to_owned(), value.at("test_list")?.clone());
            made.insert("test_list".to_owned(), tests.into());
            made.insert("test_column".to_owned(), column.into());
            Ok(Some(made))
        };
        let table = |items: &[Item]| -> Result<Vec<Row>, DatasetError> {
            items.iter().filter_map(|item| item.make(make).transpose()).collect()
        };
        let (examples, asked) = items.split_at(EXAMPLES.min(items.len()));
        let asked = repeated(&table(asked)?, arguments.whole("num_repeats", 1)?);
        Ok(Tables::Splits(vec![("train".into(), table(examples)?), ("test".into(), asked)]))
    });

pub(super) const MBPP_PLUS: ClassForm = own(&["path", "num_repeats?"], |arguments| {
    let make = |value: &Value| {
        let mut made = object(value)?.clone();
        let tests = value.texts("test_list")?.join("\n");
        made.insert("test_case".to_owned(), value.at("test_list")?.clone());
        made.insert("test_list".to_owned(), tests.as_str().into());
        made.insert("test_list_2".to_owned(), tests.into());
        test_column(&mut made)?;
        Ok(made)
    };
    let items = json_lines(&arguments.path("path")?, Encoding::Strict)?;
    let rows = items.iter().map(|item| item.make(make)).collect::<Result<Vec<_>, _>>()?;
    Ok(Tables::Single(each_repeated(&rows, arguments.whole("num_repeats", 1)?)))
});

pub(super) const LISTED: ClassForm =
    files(&["path", "local_mode?"], &[("", "{path}")], Format::List, &[]);

pub(super) const LINED: ClassForm =
    files(&["path", "local_mode?"], &[("", "{path}")], Format::Lines, &[]);

const OF_MULTIPL_E: &[&str] = &[
    "adb", "clj", "cpp", "cs", "d", "dart", "elixir", "go", "hs", "java", "jl", "js", "lua", "ml",
    "php", "pl", "py", "r", "rb", "rkt", "rs", "scala", "sh", "swift", "ts",
];

pub(super) const MULTIPL_E: ClassForm =
    own(&["path", "language", "tag?", "local_mode?"], |arguments| {
        let language = arguments.one_of("language", OF_MULTIPL_E)?;
        let tag = arguments.text_or("tag", "humaneval")?;
        if !["humaneval", "mbpp"].contains(&tag) {
            return arguments.asked(unknown("tag", tag, &["humaneval", "mbpp"]));
        }
        if tag == "mbpp" && language == "dart" {
            return arguments.asked(Flaw::new("tag='mbpp' has no language='dart'"));
        }
        let file = arguments.path("path")?.join(format!("{tag}-{language}.jsonl"));
        whole_rows(&json_lines(&file, Encoding::Strict)?).map(Tables::Single)
    });

const OF_HUMAN_EVAL_MULTI: &[&str] = &[
    "cpp", "cs", "d", "go", "java", "jl", "js", "lua", "php", "pl", "py", "r", "rb", "rkt", "rs",
    "scala", "sh", "swift", "ts",
];

pub(super) const HUMAN_EVAL_MULTI: ClassForm =
    own(&["path", "language", "version", "num_repeats?", "*"], |arguments| {
        let language = arguments.one_of("language", OF_HUMAN_EVAL_MULTI)?;
        let versions = &["keep", "transform", "reworded", "remove"];
        let version = arguments.one_of("version", versions)?;
        let file = arguments.path("path")?.join(format!("humaneval-{language}-{version}.jsonl"));
        let rows = whole_rows(&json_lines(&file, Encoding::Strict)?)?;
        Ok(Tables::Single(each_repeated(&rows, arguments.whole("num_repeats", 1)?)))
    })
    .unnamed();

/// Whether there is a program to begin with, and how input comes.
fn starter(row: &mut Row) -> Made<()> {
    let code = row.text("starter_code")?.to_owned();
    let described: Option<Value> = serde_json::from_str(row.text("input_output")?).ok();
    let name = described.as_ref().and_then(|described| described.get("fn_name"));
    let is_called = name.is_some_and(is_truthy) || !code.is_empty();
    let form = if is_called { "\\nUse Call-Based format" } else { "\\nUse Standard Input format" };
    row.insert("starter".to_owned(), format!("{code}{form}").into());
    Ok(())
}

pub(super) const APPS: ClassForm = own(&["path", "num_repeats?"], |arguments| {
    let rows = after(arguments, &only_split(arguments, None, "test")?, &[Own(starter)])?;
    let rows = each_repeated(&rows, arguments.whole("num_repeats", 1)?);
    Ok(Tables::Splits(vec![("test".into(), rows)]))
})
.unnamed();

/// Those that were chosen, in a folder as `datasets` saves one.
pub(super) const APPS_MINI: ClassForm = own(&["path", "num_repeats?"], |arguments| {
    let file = arguments.path("path")?.join("test").join("data-00000-of-00001.arrow");
    let rows = after(arguments, &read_rows(&file)?, &[Own(starter)])?;
    let rows = each_repeated(&rows, arguments.whole("num_repeats", 1)?);
    Ok(Tables::Splits(vec![("test".into(), rows)]))
})
.unnamed();

/// The only repository that its class reads.
const TACO_PATH: &str = "BAAI/TACO";

pub(super) const TACO: ClassForm = own(&["path", "num_repeats?", "difficulty?"], |arguments| {
    let path = arguments.text("path")?;
    if path != TACO_PATH {
        return arguments.asked(unknown("path", path, &[TACO_PATH]));
    }
    let wanted = arguments.text_or("difficulty", "ALL")?;
    let all = arguments.files_of_repository("test", "test/data-00000-of-00001.arrow")?;
    let all = after(arguments, &all, &[Own(starter)])?;
    let mut rows = Vec::new();
    for (index, mut row) in all.into_iter().enumerate() {
        let is_meant =
            wanted.contains("ALL") || row.get("difficulty").is_some_and(|own| own == wanted);
        if is_meant {
            row.insert("problem_id".to_owned(), format!("test{index}").into());
            rows.push(row);
        }
    }
    let rows = each_repeated(&rows, arguments.whole("num_repeats", 1)?);
    Ok(Tables::Splits(vec![("test".into(), rows)]))
})
.unnamed();

pub(super) const CONTEST_PROMPTS: ClassForm = files(
    &["path", "*"],
    &[("", "{path}")],
    Format::Lines,
    &[Own(|line| {
        let id = python_str(line.at("id")?);
        *line = row([("id", id.into()), ("prompt", line.at("prompt")?.clone())]);
        Ok(())
    })],
);

pub(super) const CONTEST_PROBLEMS: ClassForm = files(
    &["path", "*"],
    &[("", "{path}")],
    Format::Lines,
    &[Take(&[("id_ddm", "id_ddm"), ("problem", "dialogs.0.content")])],
);

pub(super) const SCI_CODE: ClassForm = own(&["path", "with_bg", "*"], |arguments| {
    let background = if arguments.flag("with_bg", false) { "_with_background" } else { "" };
    let file = arguments.path("path")?.join(format!("SciCode_datasets{background}.json"));
    whole_rows(&items(&file)?).map(Tables::Single)
})
.unnamed();

pub(super) const HUMAN_EVAL_X: ClassForm = own(&["path", "language", "*"], |arguments| {
    let languages = &["cpp", "go", "java", "js", "python", "rust"];
    let language = arguments.one_of("language", languages)?;
    let file = arguments.path("path")?.join(format!("humanevalx_{language}.jsonl.gz"));
    let table = read_table(&file, ColumnRule::FirstRow)?;
    after(arguments, &table.rows, &[]).map(Tables::Single)
})
.unnamed();

const LITERAL: &str = "(?s)<(STR|NUM|CHAR)_LIT:(.*?)>";

/// Lines of Python with their literals put back.
pub(super) const PY150: ClassForm = own(&["path"], |arguments| {
    let literal = Regex::new(LITERAL).map_err(|error| Flaw(error.to_string()));
    let literal = arguments.asked(literal)?;
    let make = |line: &Value| {
        let text = line.as_str().unwrap_or_default();
        let text =
            text.replace("<NUM_LIT>", "0").replace("<STR_LIT>", "").replace("<CHAR_LIT>", "");
        let text = literal.replace_all(&text, "$2");
        let value: Value = serde_json::from_str(&text)
            .map_err(|error| Flaw(format!("this line is not JSON: {error}")))?;
        let mut made = object(&value)?.clone();
        let program = made.text("input")?.replace("<s>", "").replace("<EOL>", "\n");
        made.insert("input".to_owned(), program.into());
        made.shift_remove("id");
        Ok(made)
    };
    let lines = text_lines(&arguments.path("path")?)?;
    lines.iter().map(|line| line.make(make)).collect::<Result<_, _>>().map(Tables::Single)
})
.unnamed();
