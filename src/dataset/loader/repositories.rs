//! Data sets that the original takes from the hub: the client for all of them is the one that plain names go
//! through, so that a folder laid out like the repository serves as well.

use serde_json::Value;

use super::{
    arguments::{Arguments, unknown, value_of},
    class::{ClassForm, Tables, library, own, stepped_items},
    file::{Encoding, json_lines, malformed},
    row::{Fields, Flaw, Made, Row, letter_at, lettered, object, row, strip},
    step::{
        Step,
        Step::{Add, Constant, Own, Remove, Take},
        removed,
    },
    stepped::stepped_samples,
};
use crate::{
    dataset::{DatasetError, Sample},
    python::python_str,
};

pub(super) const CROWS_PAIRS: ClassForm = library(&[Own(|row| {
    row.insert("label".to_owned(), 0.into());
    Ok(())
})]);

pub(super) const CROWS_PAIRS_LETTERS: ClassForm = library(&[Constant("label", "A")]);

pub(super) const TRUTHFUL_QA: ClassForm = library(&[Own(|made| {
    let mut answers = Row::new();
    for column in ["best_answer", "correct_answers", "incorrect_answers"] {
        answers.insert(column.to_owned(), removed(made, column)?);
    }
    let question = made.get("question").cloned().unwrap_or_default();
    let reference = row([("answers", answers.into()), ("question", question)]);
    made.insert("reference".to_owned(), reference.into());
    Ok(())
})]);

pub(super) const WNLI: ClassForm = library(&[Own(|row| {
    let label = match row.whole("label")? {
        1 => "A".into(),
        0 => "B".into(),
        -1 => (-1).into(),
        other => return Flaw::new(format!("the label {other} is none of 1, 0, -1")),
    };
    row.insert("label_option".to_owned(), label);
    Ok(())
})]);

pub(super) const WINOGRAD: ClassForm = library(&[
    Own(|row| {
        let text = removed(row, "text")?;
        row.insert("prompt".to_owned(), text);
        Ok(())
    }),
    Add("opt1", "options.0"),
    Add("opt2", "options.1"),
    Remove(&["options", "source"]),
]);

pub(super) const MMMLU: ClassForm = own(&["path", "name"], |arguments| {
    let name = arguments.text("name")?;
    let Some(subset) = name.split('_').nth(1).map(|subset| subset.replace('-', "_")) else {
        return arguments
            .asked(Flaw::new(format!("name='{name}' names no language, as mmlu_DE-DE does")));
    };
    let rows = only_split(arguments, Some(&subset), "test")?;
    let steps = &[
        Take(&[
            ("input", "Question"),
            ("A", "A"),
            ("B", "B"),
            ("C", "C"),
            ("D", "D"),
            ("target", "Answer"),
            ("subject", "Subject"),
        ]),
        Own(|row| spaced(row, "subject")),
    ];
    Ok(Tables::Splits(vec![("test".into(), after(arguments, &rows, steps)?)]))
})
.unnamed();

pub(super) const MMLU_CF: ClassForm = own(&["path", "name"], |arguments| {
    let name = arguments.text("name")?;
    let steps = &[Add("input", "Question"), Add("target", "Answer")];
    let table = |split: &str| {
        let rows = only_split(arguments, None, &format!("{name}_{split}"))?;
        after(arguments, &rows, steps)
    };
    Ok(Tables::Splits(vec![("dev".into(), table("dev")?), ("test".into(), table("val")?)]))
})
.unnamed();

pub(super) const MED_MCQA: ClassForm = own(&["path", "prompt_mode?", "*"], |arguments| {
    let mode = if arguments.is_given("prompt_mode") {
        arguments.text("prompt_mode")?
    } else {
        "zero-shot"
    };
    let steps: &[Step] = match mode {
        "zero-shot" => &[Own(medical_question)],
        "few-shot" => &[],
        other => return arguments.asked(unknown("prompt_mode", other, &["zero-shot", "few-shot"])),
    };
    let rows = only_split(arguments, None, "validation")?;
    after(arguments, &rows, steps).map(Tables::Single)
})
.unnamed();

pub(super) const MED_QA: ClassForm = own(&["path"], |arguments| {
    let rows = only_split(arguments, None, "train")?;
    let steps = &[Add("label", "answer_idx"), Own(medical_choices)];
    after(arguments, &rows, steps).map(Tables::Single)
})
.unnamed();

pub(super) const OLYM_MATH: ClassForm = own(&["path", "subset"], |arguments| {
    let rows = only_split(arguments, Some(arguments.text("subset")?), "test")?;
    Ok(Tables::Splits(vec![("test".into(), after(arguments, &rows, &[])?)]))
})
.unnamed();

/// A file of a repository, which is one split.
pub(super) const REPOSITORY_FILE: ClassForm = own(&["path", "data_files", "split?"], |arguments| {
    if arguments.is_given("split") {
        arguments.one_of("split", &["train"])?;
    }
    let rows = arguments.files_of_repository("train", arguments.text("data_files")?)?;
    after(arguments, &rows, &[]).map(Tables::Single)
});

pub(super) const INPUT_OUTPUT: ClassForm = own(&["path"], |arguments| {
    let rows = only_split(arguments, None, "test")?;
    let columns = Take(&[("input", "input"), ("output", "output")]);
    after(arguments, &rows, &[columns]).map(Tables::Single)
})
.unnamed();

pub(super) const MMLU_PRO: ClassForm = own(&["path", "category"], |arguments| {
    let category = arguments.text("category")?;
    let mut splits = Vec::new();
    for (split, rows) in arguments.repository(None, &["test", "validation"])? {
        let own: Vec<Sample> = rows
            .into_iter()
            .filter(|row| row.get("category").is_some_and(|own| own == category))
            .collect();
        splits.push((split.into(), after(arguments, &own, &[Own(ten_options)])?));
    }
    Ok(Tables::Splits(splits))
});

pub(super) const LONG_BENCH: ClassForm = own(&["path", "name"], |arguments| {
    let columns = &[("input", "input"), ("context", "context"), ("answers", "answers")];
    long_texts(arguments, &[Take(columns)])
});

pub(super) const LONG_BENCH_CONTEXT: ClassForm = own(&["path", "name"], |arguments| {
    long_texts(arguments, &[Take(&[("context", "context"), ("answers", "answers")])])
});

pub(super) const LONG_BENCH_CLASSES: ClassForm = own(&["path", "name"], |arguments| {
    let classes = Own(|made| {
        let labels = row([
            ("answers", made.at("answers")?.clone()),
            ("all_classes", made.at("all_classes")?.clone()),
        ]);
        *made = row([
            ("input", made.at("input")?.clone()),
            ("context", made.at("context")?.clone()),
            ("all_labels", labels.into()),
        ]);
        Ok(())
    });
    long_texts(arguments, &[classes])
});

/// Rows of a split, each of which makes as many as it makes.
pub(super) fn each_row(
    arguments: &Arguments<'_>,
    rows: &[Sample],
    make: impl Fn(&Value) -> Made<Vec<Row>>,
) -> Result<Vec<Row>, DatasetError> {
    let mut made = Vec::new();
    for (index, sample) in rows.iter().enumerate() {
        let place = || format!("data set {}, row {}", arguments.abbr, index + 1);
        made.extend(make(&value_of(sample)).map_err(|flaw| malformed(&place(), flaw))?);
    }
    Ok(made)
}

/// The rows of one split, which must be there.
pub(super) fn only_split(
    arguments: &Arguments<'_>,
    name: Option<&str>,
    split: &str,
) -> Result<Vec<Sample>, DatasetError> {
    let found = arguments.repository(name, &[split])?;
    let rows = found.into_iter().find(|(own, _)| own == split).map(|(_, rows)| rows);
    arguments.asked(rows.ok_or_else(|| Flaw(format!("there is no split `{split}`"))))
}

/// Rows after all steps.
pub(super) fn after(
    arguments: &Arguments<'_>,
    rows: &[Sample],
    steps: &[Step],
) -> Result<Vec<Row>, DatasetError> {
    stepped_samples(rows, steps, arguments.abbr)
}

fn spaced(row: &mut Row, column: &str) -> Made<()> {
    let text = row.text(column)?.replace('_', " ");
    row.insert(column.to_owned(), text.into());
    Ok(())
}

/// A question with its options below it, and the gold as a letter.
fn medical_question(row: &mut Row) -> Made<()> {
    let options = ["opa", "opb", "opc", "opd"].map(|option| row.at(option).cloned());
    let options = options.into_iter().collect::<Made<Vec<Value>>>()?;
    let lines = lettered(&options);
    let question = format!(
        "{}\n{}",
        python_str(row.at("question")?),
        lines.strip_suffix('\n').unwrap_or(&lines)
    );
    let gold = u32::try_from(row.whole("cop")?.saturating_add(65)).ok().and_then(char::from_u32);
    let gold = gold.ok_or_else(|| Flaw("`cop` is no number of an option".to_owned()))?;
    row.insert("options".to_owned(), options.into());
    row.insert("question".to_owned(), question.into());
    row.insert("label".to_owned(), gold.to_string().into());
    spaced(row, "subject_name")?;
    for (column, text) in [("prompt_mode", "zero-shot"), ("start", "A"), ("end", "D")] {
        row.insert(column.to_owned(), text.into());
    }
    Ok(())
}

/// Options under their own letters, each on a line.
fn medical_choices(row: &mut Row) -> Made<()> {
    let choice = |(letter, option): (&String, &Value)| match option.as_str() {
        Some(option) => Ok(format!("{letter}. {option}\n")),
        None => Flaw::new(format!("the option {letter} is no text")),
    };
    let choices = object(row.at("options")?)?.iter().map(choice).collect::<Made<String>>()?;
    row.insert("choices".to_owned(), choices.into());
    Ok(())
}

/// Up to sixteen options; `N/A` is none.
fn ten_options(row: &mut Row) -> Made<()> {
    let (mut lines, mut gold) = (String::new(), String::new());
    let answer = row.at("answer")?;
    for (index, option) in row.list("options")?.iter().enumerate() {
        if option == "N/A" {
            continue;
        }
        let letter = letter_at("ABCDEFGHIJKLMNOP", index)?;
        let line = format!("{letter}. {}\n", python_str(option));
        lines.push_str(&line);
        if *answer == *letter {
            gold = line;
        }
    }
    let thoughts = row.text("cot_content")?;
    let thoughts = thoughts.strip_prefix("A: Let's think step by step.").unwrap_or(thoughts);
    let thoughts = strip(thoughts).to_owned();
    row.insert("answer_string".to_owned(), gold.into());
    row.insert("options_str".to_owned(), strip(&lines).into());
    row.insert("cot_content".to_owned(), thoughts.into());
    Ok(())
}

/// The rows of a task: in a file named after it, as the archive of the data set holds them, or in the one file
/// of a folder for it.
fn long_texts(arguments: &Arguments<'_>, steps: &[Step]) -> Result<Tables, DatasetError> {
    let (folder, name) = (arguments.path("path")?, arguments.text("name")?);
    let places = [
        folder.join("data").join(format!("{name}.jsonl")),
        folder.join(format!("{name}.jsonl")),
        folder.join(name).join("test.jsonl"),
        folder.join("test.jsonl"),
    ];
    let place = places.iter().find(|place| place.is_file()).unwrap_or(&places[0]);
    let rows = stepped_items(&json_lines(place, Encoding::Strict)?, steps)?;
    Ok(Tables::Splits(vec![("test".into(), rows)]))
}
