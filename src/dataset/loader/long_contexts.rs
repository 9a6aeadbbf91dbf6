//! Questions on texts that fill a model's context: `LEval`, `LVEval`, `InfiniteBench`, the second `LongBench`, `MRCR`.

use fancy_regex::Regex;
use serde_json::{Value, json};

use super::{
    arguments::Arguments,
    class::{ClassForm, Format, Tables, files, one, own},
    repositories::{after, each_row, only_split},
    row::{Fields, Flaw, Made, Row, row, strip},
    step::{
        Step,
        Step::{Own, Take},
    },
};
use crate::{
    dataset::DatasetError,
    python::{is_blank, to_json},
};

pub(super) const L_EVAL: ClassForm = own(&["path", "name?"], |arguments| {
    l_eval(arguments, |question, context, answer| {
        Ok(row([("question", question), ("context", context), ("answer", answer)]))
    })
})
.unnamed();

pub(super) const L_EVAL_LENGTH: ClassForm = own(&["path", "name?"], |arguments| {
    l_eval(arguments, |question, context, answer| {
        let Some(text) = answer.as_str() else { return Flaw::new("an answer is no text") };
        let words = text.split(is_blank).filter(|word| !word.is_empty()).count();
        Ok(row([
            ("question", question),
            ("context", context),
            ("length", words.into()),
            ("answer", answer),
        ]))
    })
})
.unnamed();

pub(super) const L_EVAL_LETTER: ClassForm = own(&["path", "name?"], |arguments| {
    l_eval(arguments, |question, context, answer| {
        let letter = answer.as_str().and_then(|answer| answer.chars().nth(1));
        let letter = letter.ok_or_else(|| Flaw("an answer has no second letter".to_owned()))?;
        Ok(row([
            ("question", question),
            ("context", context),
            ("answer", letter.to_string().into()),
        ]))
    })
})
.unnamed();

/// A row for each question on a text.
fn l_eval(
    arguments: &Arguments<'_>,
    make: fn(Value, Value, Value) -> Made<Row>,
) -> Result<Tables, DatasetError> {
    let texts = only_split(arguments, name_of(arguments)?, "test")?;
    let rows = each_row(arguments, &texts, |text| {
        let pairs = text.list("instructions")?.iter().zip(text.list("outputs")?);
        let context = text.at("input")?;
        pairs.map(|(asked, answer)| make(asked.clone(), context.clone(), answer.clone())).collect()
    })?;
    Ok(Tables::Splits(vec![("test".into(), rows)]))
}

fn name_of<'a>(arguments: &'a Arguments<'_>) -> Result<Option<&'a str>, DatasetError> {
    arguments.is_given("name").then(|| arguments.text("name")).transpose()
}

/// What the answers of `LVEval` are, and what goes with them.
macro_rules! lv_eval {
    ($steps:expr) => {
        own(&["path", "name?"], |arguments| {
            let rows = only_split(arguments, name_of(arguments)?, "test")?;
            Ok(Tables::Splits(vec![("test".into(), after(arguments, &rows, $steps)?)]))
        })
        .unnamed()
    };
}

const PLAIN: &[(&str, &str)] =
    &[("input", "input"), ("context", "context"), ("answers", "answers")];

const WITH_KEYWORDS: Step = Own(|line| {
    let keywords = line.at("answer_keywords")?.clone();
    match line.get_mut("answers") {
        Some(Value::Array(answers)) => answers.push(keywords),
        _ => return Flaw::new("`answers` is expected to be a list"),
    }
    Ok(())
});

pub(super) const LV_EVAL: ClassForm = lv_eval!(&[Take(PLAIN)]);

pub(super) const LV_EVAL_CONFUSING: ClassForm = lv_eval!(&[Take(&[
    ("input", "input"),
    ("context", "context"),
    ("answers", "answers"),
    ("confusing_facts", "confusing_facts"),
])]);

pub(super) const LV_EVAL_KEYWORDS: ClassForm = lv_eval!(&[
    Take(&[
        ("input", "input"),
        ("context", "context"),
        ("answers", "answers"),
        ("answer_keywords", "answer_keywords"),
    ]),
    WITH_KEYWORDS,
]);

pub(super) const LV_EVAL_CONFUSING_KEYWORDS: ClassForm = lv_eval!(&[
    Take(&[
        ("input", "input"),
        ("context", "context"),
        ("answers", "answers"),
        ("confusing_facts", "confusing_facts"),
        ("answer_keywords", "answer_keywords"),
    ]),
    WITH_KEYWORDS,
]);

pub(super) const INFINITE_BENCH: ClassForm = one(
    Format::Lines,
    &[Take(&[("context", "context"), ("input", "input"), ("answer", "answer")])],
)
.unnamed();

pub(super) const INFINITE_BENCH_QUESTION: ClassForm = one(
    Format::Lines,
    &[Take(&[("context", "context"), ("question", "input"), ("answer", "answer")])],
)
.unnamed();

pub(super) const INFINITE_BENCH_CONTEXT: ClassForm =
    one(Format::Lines, &[Take(&[("context", "context"), ("answer", "answer")])]).unnamed();

pub(super) const INFINITE_BENCH_CHOICE: ClassForm = one(
    Format::Lines,
    &[Own(|line| {
        let options = line.list("options")?;
        let answer = line.at("answer.0")?;
        let Some(place) = options.iter().position(|option| option == answer) else {
            return Flaw::new(format!("the answer {answer} is none of the options"));
        };
        let letter = u8::try_from(place).ok().and_then(|place| b'A'.checked_add(place));
        let letter = letter.ok_or_else(|| Flaw("there are too many options".to_owned()))?;
        *line = row([
            ("context", line.at("context")?.clone()),
            ("question", line.at("input")?.clone()),
            ("option_A", line.at("options.0")?.clone()),
            ("option_B", line.at("options.1")?.clone()),
            ("option_C", line.at("options.2")?.clone()),
            ("option_D", line.at("options.3")?.clone()),
            ("answer", char::from(letter).to_string().into()),
        ]);
        Ok(())
    })],
)
.unnamed();

pub(super) const INFINITE_BENCH_CALL: ClassForm = one(
    Format::Lines,
    &[Own(|line| {
        let call = first(r"func_[0-9]+\(-?[0-9]+\)", line.text("input")?)?
            .ok_or_else(|| Flaw("`input` calls no function such as func_1(2)".to_owned()))?;
        let name = call.split('(').next().unwrap_or_default().to_owned();
        *line = row([
            ("context", line.at("context")?.clone()),
            ("func", name.into()),
            ("func_call", call.into()),
            ("answer", line.at("answer")?.clone()),
        ]);
        Ok(())
    })],
)
.unnamed();

pub(super) const INFINITE_BENCH_NUMBER: ClassForm = one(
    Format::Lines,
    &[Own(|line| {
        let asked = first("The .+ of", line.text("input")?)?
            .ok_or_else(|| Flaw("`input` does not say `The … of`".to_owned()))?;
        let asked = asked.to_lowercase();
        let asked = asked.strip_suffix(" of").unwrap_or(&asked);
        *line = row([
            ("prefix", format!("What is {asked} in the following list?").into()),
            ("context", line.at("context")?.clone()),
            ("answer", line.at("answer")?.clone()),
        ]);
        Ok(())
    })],
)
.unnamed();

/// The first stretch that a pattern matches.
fn first(pattern: &str, text: &str) -> Made<Option<String>> {
    let broken = |error: fancy_regex::Error| Flaw(error.to_string());
    let found = Regex::new(pattern).map_err(broken)?.find(text).map_err(broken)?;
    Ok(found.map(|found| found.as_str().to_owned()))
}

const LONG_BENCH_V2_COLUMNS: Step = Take(&[
    ("question", "question"),
    ("context", "context"),
    ("answer", "answer"),
    ("choice_A", "choice_A"),
    ("choice_B", "choice_B"),
    ("choice_C", "choice_C"),
    ("choice_D", "choice_D"),
    ("difficulty", "difficulty"),
    ("length", "length"),
]);

pub(super) const LONG_BENCH_V2: ClassForm =
    files(&["path"], &[("test", "{path}")], Format::LibraryJson, &[LONG_BENCH_V2_COLUMNS]);

pub(super) const MRCR: ClassForm = own(&["path?", "subset?", "*"], |arguments| {
    let subset = arguments.text_or("subset", "2needle_in_4096_8192")?;
    let rows = only_split(arguments, Some(subset), "test")?;
    let steps = &[Own(|line| {
        let prefix = first(r"(?<=Prepend)\s+\S+(?=\s+to)", line.text("question")?)?;
        let prefix = prefix.as_deref().map(strip).unwrap_or_default();
        let gold = json!({"answer": line.at("answers.0")?, "prefix": prefix});
        *line = row([
            ("context", line.at("context")?.clone()),
            ("question", line.at("question")?.clone()),
            ("gold", to_json(&gold, true).into()),
        ]);
        Ok(())
    })];
    after(arguments, &rows, steps).map(Tables::Single)
})
.unnamed();
