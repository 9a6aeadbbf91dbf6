//! Tasks of `SciReasoner`: instructions on molecules, proteins, genes and materials, and the answers to them.

use serde_json::{Value, json};

use super::{
    arguments::Arguments,
    class::{ClassForm, Format, Tables, one, own},
    drawn::drawn,
    file::{Encoding, Item, document, items, json_lines, json_lines_with_gaps},
    row::{Fields, Made, Row, object, row},
    step::Step::Own,
};
use crate::{
    dataset::DatasetError,
    hub::files_below,
    python::{is_truthy, python_str},
};

/// How many rows are examples.
const EXAMPLES: usize = 5;

/// How many rows a small set has.
const SMALL: usize = 150;

/// The seed that a small set is drawn with.
const SEED: u64 = 1024;

/// What one task's class does with the two files.
struct Task {
    has_all_examples: bool,
    /// Whether a file with fewer rows than a small set has is read whole.
    takes_fewer: bool,
    /// Whether it keeps the order of the file then.
    keeps_fewer: bool,
    make: fn(&Value) -> Made<Row>,
}

const PLAIN: Task = Task {
    has_all_examples: false,
    takes_fewer: false,
    keeps_fewer: false,
    make: |value| object(value).cloned(),
};

const FEWER: Task = Task { takes_fewer: true, ..PLAIN };

const FIELDS: &[&str] = &["path", "task", "max_cut?", "mini_set?", "hf_hub?"];

pub(super) const INSTRUCTIONS: ClassForm =
    own(FIELDS, |arguments| splits(arguments, arguments.text("task")?, &PLAIN));

pub(super) const INSTRUCTIONS_OR_FEWER: ClassForm =
    own(FIELDS, |arguments| splits(arguments, arguments.text("task")?, &FEWER));

pub(super) const OPI: ClassForm = own(FIELDS, |arguments| {
    // Its class reads `max_cut` and does nothing with it.
    let task = Task { has_all_examples: true, ..FEWER };
    splits_of(arguments, arguments.text("task")?, &task, -1)
});

pub(super) const BIO: ClassForm = own(&["path", "task", "mini_set?", "hf_hub?"], |arguments| {
    let make = |value: &Value| {
        Ok(row([("input", value.at("input")?.clone()), ("output", value.at("output")?.clone())]))
    };
    let task = Task { takes_fewer: true, keeps_fewer: true, make, ..PLAIN };
    splits(arguments, arguments.text("task")?, &task)
});

pub(super) const GENOME: ClassForm = own(&["path", "task", "mini_set?"], |arguments| {
    let make = |value: &Value| {
        let mut made = object(value)?.clone();
        let label = match made.get("meta_data") {
            Some(meta) => object(meta)?.get("label").map_or_else(String::new, python_str),
            None => String::new(),
        };
        let output = format!("{} The prediction result is {label}.", made.text("output")?);
        made.insert("output".to_owned(), output.into());
        Ok(made)
    };
    splits(arguments, arguments.text("task")?, &Task { make, ..PLAIN })
});

pub(super) const BULK_MODULUS: ClassForm =
    own(&["path", "mini_set?"], |arguments| splits(arguments, "bulk_modulus_material", &PLAIN));

pub(super) const COMPOSITION: ClassForm = own(&["path", "mini_set?"], |arguments| {
    splits(arguments, "conditional_generation/composition_material", &PLAIN)
});

fn splits(arguments: &Arguments<'_>, task: &str, how: &Task) -> Result<Tables, DatasetError> {
    splits_of(arguments, task, how, arguments.whole("max_cut", -1)?)
}

fn splits_of(
    arguments: &Arguments<'_>,
    task: &str,
    how: &Task,
    most: i64,
) -> Result<Tables, DatasetError> {
    let folder = arguments.path("path")?.join(task);
    let rows = |split: &str| -> Result<Vec<Row>, DatasetError> {
        let items = items(&folder.join(split).join("data.json"))?;
        items.iter().map(|item| item.make(how.make)).collect()
    };
    let mut examples = rows("dev")?;
    if !how.has_all_examples {
        examples.truncate(EXAMPLES);
    }
    let mut asked = rows("test")?;
    if most != -1 {
        asked.truncate(up_to(most, asked.len()));
    }
    if arguments.flag("mini_set", false) && !(how.keeps_fewer && asked.len() <= SMALL) {
        let count = if how.takes_fewer { asked.len().min(SMALL) } else { SMALL };
        asked = drawn(arguments, &asked, SEED, count)?;
    }
    Ok(Tables::Splits(vec![("train".into(), examples), ("test".into(), asked)]))
}

/// Python's `rows[:most]`: from the end where the number is negative.
fn up_to(most: i64, rows: usize) -> usize {
    let magnitude = usize::try_from(most.unsigned_abs()).unwrap_or(usize::MAX);
    if most < 0 { rows.saturating_sub(magnitude) } else { magnitude }
}

pub(super) const MATERIALS: ClassForm =
    own(&["path", "property", "train_path", "test_path", "mini_set?"], |arguments| {
        let folder = arguments.path("path")?;
        let mark = format!("{{{} :", arguments.text("property")?);
        let rows = |field: &str| -> Result<Vec<Row>, DatasetError> {
            let document = document(&folder.join(arguments.text(field)?))?;
            document.make(|value| {
                let one = std::slice::from_ref(value);
                let items = value.as_array().map_or(one, Vec::as_slice).iter();
                let mut rows = Vec::new();
                for item in items {
                    if item.text("output")?.contains(&mark) {
                        let output = item.at("output")?.clone();
                        rows.push(row([("input", item.at("input")?.clone()), ("output", output)]));
                    }
                }
                Ok(rows)
            })
        };
        let mut examples = rows("train_path")?;
        examples.truncate(EXAMPLES);
        let mut asked = rows("test_path")?;
        if arguments.flag("mini_set", false) {
            asked.truncate(SMALL);
        }
        Ok(Tables::Splits(vec![("train".into(), examples), ("test".into(), asked)]))
    });

/// The same prompt so many times, without an answer.
pub(super) const SAME_PROMPT: ClassForm = own(&["num", "prompt"], |arguments| {
    let prompt = arguments.text("prompt")?;
    let count = usize::try_from(arguments.whole("num", 0)?).unwrap_or(0);
    let made = row([("input", prompt.into()), ("output", "".into())]);
    Ok(Tables::Single(vec![made; count]))
});

pub(super) const CHEM_EXAM: ClassForm = one(
    Format::Lines,
    &[Own(|line| {
        *line = chem_exam(line)?;
        Ok(())
    })],
);

/// A question with its parts below it, and their answers.
fn chem_exam(line: &Row) -> Made<Row> {
    let mut prompt = line.text("question")?.to_owned();
    let (mut output, mut kinds) = (String::new(), Vec::new());
    if line.contains_key("sub_question") {
        for (number, part) in (1..).zip(line.list("sub_question")?) {
            let line = format!("\nQ{number}: {}", python_str(part.at("question")?));
            prompt.push_str(&line);
            if part.get("sub_question").is_none() {
                let line = format!("\nA{number}: {}", python_str(part.at("answer")?));
                output.push_str(&line);
                kinds.push(python_str(part.at("qa_type")?));
                continue;
            }
            for (place, part) in (1..).zip(part.list("sub_question")?) {
                let (asked, answer) = (part.at("question")?, part.at("answer")?);
                let line = format!("\nQ{number}.{place}: {}", python_str(asked));
                prompt.push_str(&line);
                let line = format!("\nA{number}.{place}: {}", python_str(answer));
                output.push_str(&line);
                kinds.push(python_str(part.at("qa_type")?));
            }
        }
    } else {
        line.text("answer")?.clone_into(&mut output);
        kinds.push(python_str(line.at("qa_type")?));
    }
    Ok(row([
        ("id", line.at("id")?.clone()),
        ("prompt", prompt.into()),
        ("output", output.into()),
        ("has_img", line.at("has_img")?.clone()),
        ("qa_type", kinds.into()),
    ]))
}

/// The rows that a file's items make, with a number each; those that make none are left out.
fn numbered(
    items: &[Item],
    make: impl Fn(&Value, usize) -> Made<Option<Value>>,
) -> Result<Vec<Row>, DatasetError> {
    let made = |(number, item): (usize, &Item)| {
        let row =
            item.make(|value| make(value, number)?.map(|made| object(&made).cloned()).transpose());
        row.transpose()
    };
    items.iter().enumerate().filter_map(made).collect()
}

pub(super) const SUB_SETS: ClassForm = own(&["path", "name"], |arguments| {
    let folder = arguments.path("path")?.join(arguments.text("name")?);
    let mut rows = Vec::new();
    for name in files_below(&folder) {
        if name.contains('/') || name.strip_suffix(".jsonl").is_none() {
            continue;
        }
        let subset = name.split('.').next().unwrap_or_default();
        let items = json_lines(&folder.join(&name), Encoding::Strict)?;
        rows.extend(numbered(&items, |item, _| {
            Ok(Some(json!({
                "id": item.at("id_ddm")?,
                "prompt": item.at("dialogs.0.content")?,
                "ground_truth": item.at("ground_truth")?,
                "subset": subset,
            })))
        })?);
    }
    Ok(Tables::Single(rows))
});

pub(super) const MOLECULES_COUNTED: ClassForm = own(&["path", "name", "*"], |arguments| {
    let name = arguments.text("name")?;
    let stem = name.strip_suffix(".jsonl").unwrap_or(name);
    let file = arguments.path("path")?.join(format!("{stem}.jsonl"));
    let items = json_lines_with_gaps(&file)?;
    let rows = numbered(&items, |item, _| {
        let target = item.get("target").filter(|target| is_truthy(target));
        let gold = target.or_else(|| item.get("constraints"));
        Ok(Some(json!({
            "id": item.at("uid")?,
            "prompt": item.at("question")?,
            "ground_truth": gold,
        })))
    })?;
    Ok(Tables::Single(rows))
});
