//! Programs to write, and programs to understand.

use serde_json::Value;

use super::{
    arguments::Arguments,
    class::{ClassForm, Tables, own, stepped_items},
    file::{Encoding, Item, document, json_lines, json_rows, text_lines},
    row::{Fields, Flaw, Made, Row, object, row, strip},
    step::{
        Step,
        Step::{Join, Own},
        removed,
    },
};
use crate::dataset::DatasetError;

pub(super) const HUMAN_EVAL: ClassForm =
    own(&["path", "num_repeats?", "local_mode?"], |arguments| {
        let times = repeats(arguments)?;
        let mut rows = Vec::new();
        for item in json_lines(&arguments.path("path")?, Encoding::Strict)? {
            let row = item.make(|value| object(value).cloned())?;
            rows.extend((0..times).map(|_| row.clone()));
        }
        Ok(Tables::Single(rows))
    });

const JOINED: Step = Join("test_list", "test_list", "\n");

pub(super) const MBPP: ClassForm = own(&["path", "local_mode?"], |arguments| {
    let steps = &[
        Step::Add("test_case", "test_list"),
        Join("test_list", "test_list", "\n"),
        Own(second_list),
    ];
    problems(arguments, 10, 510, steps)
});

pub(super) const MBPP_COLUMN: ClassForm = own(&["path", "num_repeats?"], |arguments| {
    let steps = &[Step::Add("test_case", "test_list"), JOINED, Own(test_column)];
    problems(arguments, 10, 510, steps)
});

pub(super) const SANITIZED_MBPP: ClassForm = own(&["path", "num_repeats?"], |arguments| {
    let text = Own(|row| {
        let prompt = removed(row, "prompt")?;
        row.insert("text".to_owned(), prompt);
        Ok(())
    });
    problems(arguments, 7, 264, &[text, JOINED, Own(second_list), Own(test_column)])
});

pub(super) const MAX_MIN: ClassForm = own(&["test_path", "answer_path?"], |arguments| {
    let answers = if arguments.is_given("answer_path") {
        Some(text_lines(&arguments.path("answer_path")?)?)
    } else {
        None
    };
    let document = document(&arguments.path("test_path")?)?;
    document.make(|value| {
        let items = value.as_array().ok_or_else(|| Flaw("expected a list".to_owned()))?;
        let rows = items.iter().map(|item| max_or_min(item, answers.as_deref()));
        rows.collect::<Made<_>>().map(Tables::Single)
    })
});

fn repeats(arguments: &Arguments<'_>) -> Result<usize, DatasetError> {
    Ok(usize::try_from(arguments.whole("num_repeats", 1)?).unwrap_or(0))
}

fn second_list(row: &mut Row) -> Made<()> {
    let tests = row.at("test_list")?.clone();
    row.insert("test_list_2".to_owned(), tests);
    Ok(())
}

/// Tests and number of a problem in one column.
pub(super) fn test_column(made: &mut Row) -> Made<()> {
    let column = row([
        ("test_list_2", made.at("test_list")?.clone()),
        ("task_id", made.at("task_id")?.clone()),
    ]);
    made.insert("test_column".to_owned(), column.into());
    Ok(())
}

/// The first rows are examples, those up to a number are asked, as often as is said.
fn problems(
    arguments: &Arguments<'_>,
    examples: usize,
    end: usize,
    steps: &[Step],
) -> Result<Tables, DatasetError> {
    let items = json_rows(&arguments.path("path")?)?;
    let part = |from: usize, to: usize| {
        let to = to.min(items.len());
        stepped_items(items.get(from.min(to)..to).unwrap_or_default(), steps)
    };
    let asked = part(examples, end)?;
    let asked: Vec<Row> = (0..repeats(arguments)?).flat_map(|_| asked.iter().cloned()).collect();
    Ok(Tables::Splits(vec![("train".into(), part(0, examples)?), ("test".into(), asked)]))
}

/// A program with a gap, and whether `max` or `min` stood there.
fn max_or_min(item: &Value, answers: Option<&[Item]>) -> Made<Row> {
    let joined = |field: &str| Ok(item.texts(field)?.join(" "));
    let answer = match answers {
        None => "",
        Some(answers) => {
            let own = item.text("idx")?;
            let parts = answers.iter().rev().find_map(|line| {
                let mut parts = strip(line.value.as_str()?).split("<CODESPLIT>");
                (parts.next() == Some(own)).then(|| parts.next())
            });
            match parts.flatten() {
                Some("max") => "A",
                Some(_) => "B",
                None => return Flaw::new(format!("there is no answer for `{own}`")),
            }
        }
    };
    Ok(row([
        ("nl_tokens", joined("nl_tokens")?.into()),
        ("pl_tokens", joined("pl_tokens")?.into()),
        ("answer", answer.into()),
    ]))
}
