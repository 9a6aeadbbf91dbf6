//! Natural sciences and mathematics beyond school: contests, textbooks, materials, climate.

use std::path::Path;

use serde_json::Value;

use super::{
    arguments::unknown,
    circular::by_name,
    class::{ClassForm, Format, Tables, files, one, own},
    drawn::counted,
    file::{Encoding, cell_rows, document, items, json_lines_with_gaps},
    mathematics::boxed,
    repositories::{after, only_split},
    row::{Fields, Flaw, Made, Row, object, row, strip, text_or_empty},
    step::{
        Step,
        Step::{Own, Take},
    },
};
use crate::{
    dataset::{DatasetError, DatasetLocation, Rows, Sample, TableChoice},
    hub::Silent,
    python::python_str,
};

pub(super) const SCI_BENCH: ClassForm = files(
    &["path", "name"],
    &[("", "{path}/{name}.json")],
    Format::List,
    &[Own(|row| {
        *row = pair(&row_texts(row, "problem_text", "answer_number")?);
        Ok(())
    })],
)
.unnamed();

fn row_texts(row: &Row, question: &str, answer: &str) -> Made<[String; 2]> {
    Ok([strip(row.text(question)?).to_owned(), strip(row.text(answer)?).to_owned()])
}

fn pair([question, answer]: &[String; 2]) -> Row {
    row([("question", question.as_str().into()), ("answer", answer.as_str().into())])
}

pub(super) const MAT_BENCH: ClassForm = files(
    &["path", "task"],
    &[("", "{path}/matbench_base_fold_0_{task}_test.json")],
    Format::List,
    &[Take(&[("problem", "problem"), ("answer", "answer")])],
);

pub(super) const PHY_BENCH: ClassForm = files(
    &["path"],
    &[("", "{path}/PHYBench-fullques_v1.json")],
    Format::List,
    &[Take(&[("input", "content"), ("target", "answer")])],
);

pub(super) const INPUT_TARGET: ClassForm = files(
    &["path", "*"],
    &[("", "{path}")],
    Format::Lines,
    &[Take(&[("input", "input"), ("target", "target")])],
);

pub(super) const DIALOGUE_PAIR: ClassForm = files(
    &["path", "name"],
    &[("", "{path}/{name}")],
    Format::Lines,
    &[Take(&[("id", "id_ddm"), ("input", "dialogs.0.content"), ("output", "dialogs.1.content")])],
);

pub(super) const CRYSTALS: ClassForm = files(
    &["path", "*"],
    &[("", "{path}")],
    Format::LinesWithGaps,
    &[Take(&[
        ("id_ddm", "id_ddm"),
        ("system_prompt", "system_prompt"),
        ("user_input", "user_input"),
        ("ground_truth", "ground_truth"),
    ])],
);

const OLYMPIAD_COLUMNS: Step = Own(|item| {
    *item = row([
        ("problem", item.at("question")?.clone()),
        ("solution", item.at("final_answer.0")?.clone()),
        ("language", item.at("language")?.clone()),
        ("subject", item.at("subject")?.clone()),
        ("question_type", item.at("question_type")?.clone()),
        ("answer_type", item.at("answer_type")?.clone()),
        ("is_multiple_answer", item.at("is_multiple_answer")?.clone()),
        ("unit", item.at("unit")?.clone()),
        ("error", item.at("error")?.clone()),
        ("questions", item.clone().into()),
    ]);
    Ok(())
});

pub(super) const OLYMPIAD_BENCH: ClassForm = files(
    &["path", "name", "*"],
    &[("test", "{path}/{name}.json"), ("train", "{path}/{name}.json")],
    Format::List,
    &[OLYMPIAD_COLUMNS],
);

pub(super) const LIVE_STEM_BENCH: ClassForm =
    own(&["path", "num_examples?", "n_repeats?", "version?", "*"], |arguments| {
        let version = arguments.text_or("version", "livestembench-20241227")?;
        let items = items(&arguments.path("path")?.join(format!("{version}.json")))?;
        let make = |item: &Value| {
            let mut question = item.text("question")?.to_owned();
            let options = item.texts("options")?;
            if !options.is_empty() {
                question = format!("{question}\n{}", options.join("\n"));
            }
            Ok(row([("question", question.into()), ("answer", item.at("answer")?.clone())]))
        };
        let rows = items.iter().map(|item| item.make(make)).collect::<Result<Vec<_>, _>>()?;
        Ok(twice(counted(arguments, &rows)?))
    });

pub(super) const LIVE_REASON_BENCH: ClassForm =
    own(&["path", "num_examples?", "n_repeats?", "version?", "*"], |arguments| {
        let version = arguments.text_or("version", "livereasonbench-20241202")?;
        let items = items(&arguments.path("path")?.join(format!("{version}.json")))?;
        let make = |item: &Value| object(item).cloned();
        let rows = items.iter().map(|item| item.make(make)).collect::<Result<Vec<_>, _>>()?;
        Ok(twice(counted(arguments, &rows)?))
    });

pub(super) const EESE: ClassForm = own(&["path", "file_name?", "*"], |arguments| {
    let name = arguments.text_or("file_name", "EESE.jsonl")?;
    let items = json_lines_with_gaps(&arguments.path("path")?.join("test").join(name))?;
    let rows = items.iter().map(|item| item.make(|value| object(value).cloned()));
    Ok(twice(rows.collect::<Result<_, _>>()?))
});

/// The same rows to show and to ask.
pub(super) fn twice(rows: Vec<Row>) -> Tables {
    Tables::Splits(vec![("train".into(), rows.clone()), ("test".into(), rows)])
}

pub(super) const CLIMA_QA: ClassForm = own(&["path", "task", "*"], |arguments| {
    let folder = arguments.path("path")?.join(arguments.text("task")?);
    let rows = folder_split(&folder, "train")?;
    let steps = &[Own(|row| {
        let question = row.text("Question")?;
        let input = match row.get("Options") {
            Some(options) if !options.is_null() => format!("{question}\n{}", row.text("Options")?),
            _ => question.to_owned(),
        };
        *row = row
            .iter()
            .map(|(name, value)| {
                let name = if name == "Answer" { "target" } else { name.as_str() };
                (name.to_owned(), value.clone())
            })
            .collect();
        if !row.contains_key("target") {
            return Flaw::new("there is no `Answer`");
        }
        row.insert("input".to_owned(), input.into());
        Ok(())
    })];
    after(arguments, &rows, steps).map(Tables::Single)
});

/// The rows of a split of a folder that is laid out like a repository.
fn folder_split(folder: &Path, split: &str) -> Result<Vec<Sample>, DatasetError> {
    let location = DatasetLocation::Local(folder.to_owned());
    match location.read(&TableChoice::default(), &[split], &Silent)? {
        Rows::Single(rows) => Ok(rows),
        Rows::Splits(mut splits) => {
            splits.shift_remove(split).ok_or_else(|| DatasetError::Layout {
                place: folder.display().to_string(),
                problem: format!("there is no split {split}"),
            })
        }
    }
}

pub(super) const PHYSICS: ClassForm = own(&["path", "name", "*"], |arguments| {
    let folder = arguments.path("path")?.join(arguments.text("name")?);
    let rows = folder_split(&folder, "train")?;
    let steps = &[Own(|made| {
        let answers = made.texts("final_answers")?;
        let lines =
            (1..).zip(answers).map(|(number, answer)| format!("Answer {number}: {answer}\n"));
        let target: String = lines.collect();
        renamed(made, "questions", "input")?;
        made.insert("target".to_owned(), target.into());
        Ok(())
    })];
    after(arguments, &rows, steps).map(Tables::Single)
});

/// Gives a column another name, at its place.
pub(super) fn renamed(row: &mut Row, from: &str, to: &str) -> Made<()> {
    row.at(from)?;
    *row = std::mem::take(row)
        .into_iter()
        .map(|(name, value)| (if name == from { to.to_owned() } else { name }, value))
        .collect();
    Ok(())
}

pub(super) const BEYOND_AIME: ClassForm = own(&["path", "*"], |arguments| {
    let rows = only_split(arguments, None, "test")?;
    let steps = &[Own(|row| renamed(row, "problem", "question"))];
    after(arguments, &rows, steps).map(Tables::Single)
})
.unnamed();

pub(super) const CM_PHYS_BENCH: ClassForm = own(&["path"], |arguments| {
    let rows = only_split(arguments, None, "train")?;
    let mut made = after(arguments, &rows, &[])?;
    made.retain(|row| row.list("final_answer").map_or(true, |answers| !answers.is_empty()));
    let make = |line: Row| {
        let gold = vec![line.at("final_answer.0")?.clone(), line.at("topic")?.clone()];
        Ok(row([("prompt", line.at("question")?.clone()), ("ground_truth", gold.into())]))
    };
    let rows = made.into_iter().map(make).collect::<Made<Vec<Row>>>();
    arguments.asked(rows).map(Tables::Single)
})
.unnamed();

pub(super) const HLE: ClassForm = own(&["path", "category?"], |arguments| {
    let rows = only_split(arguments, None, "test")?;
    let rows = after(arguments, &rows, &[Own(|row| renamed(row, "question", "problem"))])?;
    let category =
        arguments.is_given("category").then(|| arguments.text("category")).transpose()?;
    let is_kept = |row: &Row| -> Made<bool> {
        let is_wanted = match category.filter(|category| !category.is_empty()) {
            Some(category) => row.at("category")? == category,
            None => true,
        };
        Ok(is_wanted && row.at("image")? == "")
    };
    let mut kept = Vec::new();
    for row in rows {
        if arguments.asked(is_kept(&row))? {
            kept.push(row);
        }
    }
    Ok(twice(kept))
})
.unnamed();

pub(super) const BOXED_ANSWERS: ClassForm = own(&["path"], |arguments| {
    let document = document(&arguments.path("path")?)?;
    let rows = document.make(|value| {
        let problem = |problem: &Value| {
            let answer = boxed(problem.text("solution")?);
            let answer = answer.map_or(Value::Null, Value::from);
            Ok(row([("problem", problem.at("problem")?.clone()), ("solution", answer)]))
        };
        object(value)?.values().map(problem).collect::<Made<Vec<Row>>>()
    })?;
    Ok(twice(rows))
})
.unnamed();

pub(super) const GAOKAO_MATH: ClassForm = one(
    Format::List,
    &[Own(|row| {
        let answer = python_str(row.at("extract_answer")?);
        row.insert("extract_answer".to_owned(), answer.into());
        Ok(())
    })],
)
.unnamed();

/// Cells under a header that is a line like the others.
pub(super) const MASTER_MATH: ClassForm = own(&["path", "name"], |arguments| {
    let mut rows = Vec::new();
    for item in cell_rows(&arguments.file("{path}/{name}")?, ',')? {
        rows.extend(item.make(|cells| {
            if cells.at("1")? == "question" {
                return Ok(None);
            }
            let cell = |index: usize| Ok(cells.at(&index.to_string())?.clone());
            Ok(Some(row([
                ("question", cell(1)?),
                ("A", cell(2)?),
                ("B", cell(3)?),
                ("C", cell(4)?),
                ("D", cell(5)?),
                ("answer", cell(6)?),
            ])))
        })?);
    }
    Ok(Tables::Single(rows))
})
.unnamed();

const TABLE_SPLITS: [&str; 3] = ["dev", "test", "train"];

pub(super) const TAB_MWP: ClassForm = own(&["path"], |arguments| {
    let folder = arguments.path("path")?;
    let table = |split: &str| {
        let document = document(&folder.join(format!("problems_{split}.json")))?;
        document.make(|value| object(value)?.values().map(tabular).collect::<Made<Vec<Row>>>())
    };
    let splits = TABLE_SPLITS.map(|split| table(split).map(|rows| (split.into(), rows)));
    splits.into_iter().collect::<Result<_, _>>().map(Tables::Splits)
})
.unnamed();

/// A problem on a table, its options below the question.
fn tabular(problem: &Value) -> Made<Row> {
    let text = |name: &str| text_or_empty(problem, name);
    let (unit, title) = (text("unit")?, text("table_title")?);
    let mut question = problem.text("question")?.to_owned();
    if !unit.is_empty() {
        question = format!("{question} (Unit: {unit})");
    }
    let choices = problem.at("choices")?;
    if let Some(choices) = choices.as_array().filter(|choices| !choices.is_empty()) {
        if choices.len() > 8 {
            return Flaw::new(format!("{} choices, at most 8 have a letter", choices.len()));
        }
        let options = ('A'..)
            .zip(choices)
            .map(|(letter, choice)| format!("({letter}) {}", python_str(choice)));
        question = format!("{question}\nOptions: {}", options.collect::<Vec<_>>().join(" "));
    }
    let table = problem.text("table")?;
    let table =
        if title.is_empty() { table.to_owned() } else { format!("[TITLE]: {title}\n{table}") };
    let answer = problem.at("answer")?;
    let (shown, solution) = (python_str(answer), problem.text("solution")?.replace('\n', "\\n"));
    let elements = row([
        ("answer", answer.clone()),
        ("unit", problem.at("unit")?.clone()),
        ("choices", choices.clone()),
    ]);
    Ok(row([
        ("question", question.into()),
        ("table", table.into()),
        ("test_elements", elements.into()),
        ("answer", format!("Answer: The answer is {shown}.").into()),
        ("solution", format!("Solution: {solution}").into()),
        (
            "answer_and_solution",
            format!("Answer: The answer is {shown}. BECAUSE: {solution}").into(),
        ),
        ("solution_and_answer", format!("Answer: {solution} The answer is {shown}.").into()),
    ]))
}

pub(super) const EARTH_SILVER: ClassForm = own(&["path", "prompt_mode?", "*"], |arguments| {
    let mode = arguments.text_or("prompt_mode", "zero-shot")?;
    if mode != "zero-shot" {
        return arguments.asked(unknown("prompt_mode", mode, &["zero-shot"]));
    }
    let rows = only_split(arguments, None, "multiple_choice")?;
    after(arguments, &rows, &[]).map(Tables::Single)
})
.unnamed();

/// The one repository that the class reads.
const OMNI_MATH_REPOSITORY: &str = "KbsdJames/Omni-MATH";

pub(super) const OMNI_MATH: ClassForm = own(&[], |arguments| {
    let rows = arguments.repository_at(OMNI_MATH_REPOSITORY, &["test"])?;
    let rows: Vec<Sample> = rows.into_iter().flat_map(|(_, rows)| rows).collect();
    after(arguments, &rows, &[]).map(Tables::Single)
})
.unnamed();

/// The encoding is Python's `errors='ignore'`.
pub(super) const EXAM_LINES: ClassForm = own(&["path", "name"], |arguments| {
    by_name(arguments, &arguments.path("path")?, Encoding::Ignoring)
})
.unnamed();
