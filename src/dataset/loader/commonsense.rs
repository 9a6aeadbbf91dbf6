//! What everybody knows: which ending, solution or word makes sense.

use serde_json::Value;

use super::{
    arguments::Arguments,
    class::{ClassForm, Format, Tables, files, one, own, stepped_items},
    file::{Encoding, Item, json_lines, malformed, text_lines},
    row::{Fields, Flaw, Made, Row, capitalised, int, letter, object, row, with_first},
    step::{
        Step,
        Step::{Letter, Own, Take},
        removed,
    },
};
use crate::dataset::DatasetError;

const ENDINGS: Step = Take(&[
    ("ctx", "query"),
    ("A", "choices.0"),
    ("B", "choices.1"),
    ("C", "choices.2"),
    ("D", "choices.3"),
    ("label", "gold"),
]);

pub(super) const HELLASWAG: ClassForm =
    one(Format::Lines, &[ENDINGS, Own(|row| from_colon(row, 3))]);

pub(super) const HELLASWAG_LETTERS: ClassForm = one(Format::Lines, HELLASWAG_LETTERED);

const HELLASWAG_LETTERED: &[Step] =
    &[ENDINGS, Own(|row| from_colon(row, 2)), Letter("label", "label", "ABCD")];

pub(super) const HELLASWAG_QUERY: ClassForm = one(
    Format::Lines,
    &[Take(&[
        ("query", "query"),
        ("A", "choices.0"),
        ("B", "choices.1"),
        ("C", "choices.2"),
        ("D", "choices.3"),
        ("gold", "gold"),
    ])],
);

pub(super) const HELLASWAG_WITH_EXAMPLES: ClassForm = files(
    &["path"],
    &[("train", "{path}/hellaswag_train_sampled25.jsonl"), ("val", "{path}/hellaswag.jsonl")],
    Format::Lines,
    HELLASWAG_LETTERED,
);

/// What follows the last of at most so many parts between colons.
fn from_colon(row: &mut Row, parts: usize) -> Made<()> {
    let query = row.text("ctx")?;
    let rest = query.splitn(parts, ": ").last().unwrap_or_default().to_owned();
    row.insert("ctx".to_owned(), rest.into());
    Ok(())
}

pub(super) const PIQA: ClassForm = own(&["path"], |arguments| {
    with_labels(arguments, |row, label| {
        row.insert("label".to_owned(), label.into());
        removed(row, "id").map(drop)
    })
});

pub(super) const PIQA_LETTERS: ClassForm = own(&["path"], |arguments| {
    with_labels(arguments, |row, label| {
        let answer = if label < 0 { "NULL".to_owned() } else { letter("AB", label)? };
        row.insert("answer".to_owned(), answer.into());
        removed(row, "id").map(drop)
    })
});

pub(super) const PIQA_SENTENCES: ClassForm = own(&["path"], |arguments| {
    with_labels(arguments, |row, label| {
        row.insert("label".to_owned(), label.into());
        let goal = capitalised(row.text("goal")?)?;
        let begins_anew = goal.ends_with(['?', '.']);
        row.insert("goal".to_owned(), goal.into());
        for solution in ["sol1", "sol2"] {
            let text = row.text(solution)?;
            let text = if begins_anew {
                capitalised(text)?
            } else {
                with_first(text, |letter| letter.to_lowercase().collect())?
            };
            row.insert(solution.to_owned(), text.into());
        }
        removed(row, "id").map(drop)
    })
});

pub(super) const SIQA: ClassForm = own(&["path"], |arguments| {
    with_labels(arguments, |row, label| {
        row.insert("label".to_owned(), label.into());
        Ok(())
    })
});

pub(super) const SIQA_CANDIDATES: ClassForm = own(&["path"], |arguments| {
    with_labels(arguments, |made, label| {
        let candidates = ["A", "B", "C"].iter().map(|letter| {
            let answer = made.text(&format!("answer{letter}"))?;
            Ok(Value::from(vec![
                format!("{letter}. {answer}"),
                (*letter).to_owned(),
                answer.to_owned(),
            ]))
        });
        let candidates = candidates.collect::<Made<Vec<Value>>>()?;
        let all = row([("candidates", candidates.into()), ("label", (label - 1).into())]);
        made.insert("all_labels".to_owned(), all.into());
        made.insert("label".to_owned(), letter(" ABC", label)?.into());
        Ok(())
    })
});

pub(super) const SIQA_LETTERS: ClassForm = own(&["path"], |arguments| {
    with_labels(arguments, |row, label| {
        for letter in ["A", "B", "C"] {
            let answer = removed(row, &format!("answer{letter}"))?;
            row.insert(letter.to_owned(), answer);
        }
        row.insert("answer".to_owned(), letter("ABC", label - 1)?.into());
        Ok(())
    })
});

/// Rows in one file and their labels in another, a line each.
fn with_labels(
    arguments: &Arguments<'_>,
    change: fn(&mut Row, i64) -> Made<()>,
) -> Result<Tables, DatasetError> {
    let folder = arguments.path("path")?;
    let table = |rows: &str, labels: &str| {
        let labels_path = folder.join(labels);
        let rows = json_lines(&folder.join(rows), Encoding::Strict)?;
        let labels = text_lines(&labels_path)?;
        if rows.len() != labels.len() {
            let what = format!("{} labels of {} rows", labels.len(), rows.len());
            return Err(malformed(&labels_path.display().to_string(), Flaw(what)));
        }
        let row = |(item, label): (&Item, &Item)| {
            let label = label.make(int)?;
            item.make(|value| {
                let mut row = object(value)?.clone();
                change(&mut row, label).map(|()| row)
            })
        };
        rows.iter().zip(&labels).map(row).collect::<Result<Vec<Row>, _>>()
    };
    Ok(Tables::Splits(vec![
        ("train".into(), table("train.jsonl", "train-labels.lst")?),
        ("validation".into(), table("dev.jsonl", "dev-labels.lst")?),
    ]))
}

pub(super) const WINOGRANDE: ClassForm =
    files(&["path"], &[("", "{path}/dev.jsonl")], Format::Lines, &[Own(|row| blank(row, false))]);

pub(super) const WINOGRANDE_LETTERS: ClassForm =
    files(&["path"], &[("", "{path}/dev.jsonl")], Format::Lines, &[Own(|row| blank(row, true))]);

pub(super) const WINOGRANDE_SPLITS: ClassForm = files(
    &["path"],
    &[("train_xs", "{path}/train_xs.jsonl"), ("dev", "{path}/dev.jsonl")],
    Format::Lines,
    &[Own(|row| blank(row, true))],
);

/// A sentence whose blank is filled with either option.
fn blank(line: &mut Row, has_letters: bool) -> Made<()> {
    let prompt = line.text("sentence")?;
    let Some(rest) = prompt.split('_').nth(1) else {
        return Flaw::new("`sentence` has no blank `_`");
    };
    let (first, second) = (line.text("option1")?, line.text("option2")?);
    let answer = line.at("answer")?;
    let answer = match answer {
        _ if !has_letters => answer.clone(),
        Value::String(text) if text.is_empty() => "NULL".into(),
        number => letter(" AB", int(number)?)?.into(),
    };
    let filled = row([
        ("prompt", prompt.into()),
        ("only_option1", first.into()),
        ("only_option2", second.into()),
        ("opt1", prompt.replace('_', first).into()),
        ("opt2", prompt.replace('_', second).into()),
        ("answer", answer),
        ("cont", rest.into()),
    ]);
    *line = filled;
    Ok(())
}

pub(super) const OPEN_BOOK_QA: ClassForm =
    files(&["path", "name?"], &[("", "{path}")], Format::Lines, &[Own(|row| open_book(row, ""))]);

pub(super) const OPEN_BOOK_QA_QUESTIONS: ClassForm = files(
    &["path", "name?"],
    &[("", "{path}")],
    Format::Lines,
    &[Own(|row| open_book(row, " what?"))],
);

/// Options, question and perhaps the fact that it is about; `tail` makes a question of what is none.
fn open_book(line: &mut Row, tail: &str) -> Made<()> {
    let mut question = line.text("question.stem")?.to_owned();
    if !question.ends_with('?') {
        question.push_str(tail);
    }
    let option = |index: usize| Ok(line.at(&format!("question.choices.{index}.text"))?.clone());
    let mut made = row([
        ("A", option(0)?),
        ("B", option(1)?),
        ("C", option(2)?),
        ("D", option(3)?),
        ("question_stem", question.into()),
        ("answerKey", line.at("answerKey")?.clone()),
    ]);
    if let Some(fact) = line.get("fact1") {
        made.insert("fact1".to_owned(), fact.clone());
    }
    *line = made;
    Ok(())
}

pub(super) const COMMONSENSE_QA: ClassForm = files(
    &["path"],
    &[("train", "{path}/train_rand_split.jsonl"), ("validation", "{path}/dev_rand_split.jsonl")],
    Format::Lines,
    &[Take(&[
        ("question", "question.stem"),
        ("A", "question.choices.0.text"),
        ("B", "question.choices.1.text"),
        ("C", "question.choices.2.text"),
        ("D", "question.choices.3.text"),
        ("E", "question.choices.4.text"),
        ("answerKey", "answerKey"),
    ])],
);

pub(super) const STORY_CLOZE: ClassForm = own(&["path", "lang"], |arguments| {
    Ok(Tables::Splits(vec![("test".into(), stories(arguments, &[CONTEXT])?)]))
});

pub(super) const STORY_CLOZE_LETTERS: ClassForm = own(&["path", "lang"], |arguments| {
    let ending = Letter("answer_right_ending", "answer_right_ending", " AB");
    stories(arguments, &[CONTEXT, ending]).map(Tables::Single)
});

const CONTEXT: Step = Own(|row| {
    let sentences = (1..=4).map(|number| row.text(&format!("input_sentence_{number}")));
    let context = sentences.collect::<Made<Vec<_>>>()?.join(" ");
    row.insert("context".to_owned(), context.into());
    Ok(())
});

/// Stories of both files, one after the other.
fn stories(arguments: &Arguments<'_>, steps: &[Step]) -> Result<Vec<Row>, DatasetError> {
    let mut rows = Vec::new();
    for pattern in ["{path}/{lang}_train.jsonl", "{path}/{lang}_eval.jsonl"] {
        let items = json_lines(&arguments.file(pattern)?, Encoding::Strict)?;
        rows.extend(stepped_items(&items, steps)?);
    }
    Ok(rows)
}
