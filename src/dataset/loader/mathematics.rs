//! Problems with a number or a formula for an answer.

use serde_json::Value;

use super::{
    arguments::Arguments,
    class::{ClassForm, Format, Tables, files, one, own},
    file::{Encoding, document, json_lines, malformed, text_lines, typed_csv},
    row::{Fields, Flaw, Made, Row, int, object, row, strip},
    step::Step::{Add, Own},
};
use crate::{dataset::DatasetError, python::python_str};

pub(super) const GSM8K: ClassForm = files(
    &["path"],
    &[("train", "{path}/train.jsonl"), ("test", "{path}/test.jsonl")],
    Format::Lines,
    &[],
);

pub(super) const CONTEST: ClassForm = ClassForm {
    fields: &["path", "*"],
    ..one(
        Format::Lines,
        &[
            Own(|row| match row.at("origin_prompt")? {
                Value::String(_) | Value::Array(_) => Ok(()),
                _ => Flaw::new("`origin_prompt` is no text"),
            }),
            Add("question", "origin_prompt"),
            Add("answer", "gold_answer"),
        ],
    )
};

pub(super) const CONTEST_STRICT: ClassForm = ClassForm { fields: &["path"], ..CONTEST };

pub(super) const GSM_HARD: ClassForm = one(
    Format::Lines,
    &[Own(|line| {
        let answer = python_str(line.at("target")?);
        *line = row([("question", line.at("input")?.clone()), ("answer", answer.into())]);
        Ok(())
    })],
)
.unnamed();

pub(super) const SVAMP: ClassForm = one(
    Format::Lines,
    &[Own(|line| {
        let question = format!("{} {}", line.text("Body")?, line.text("Question")?);
        let answer = int(line.at("Answer")?)?.to_string();
        *line = row([("question", question.into()), ("answer", answer.into())]);
        Ok(())
    })],
);

pub(super) const THEOREM_QA: ClassForm =
    files(&["path"], &[("test", "{path}")], Format::TypedCsv, &[]).unnamed();

pub(super) const THEOREM_QA_JSON: ClassForm = one(
    Format::List,
    &[Own(|row| {
        let answer = python_str(row.at("Answer")?);
        row.insert("Answer".to_owned(), answer.into());
        Ok(())
    })],
)
.unnamed();

pub(super) const MATH: ClassForm = own(&["path", "file_name?", "*"], |arguments| {
    let file =
        if arguments.is_given("file_name") { "{path}/{file_name}" } else { "{path}/math.json" };
    let document = document(&arguments.file(file)?)?;
    let rows = document.make(|value| {
        let problem = |problem: &Value| {
            let answer = boxed(problem.text("solution")?);
            let answer = answer.map_or(Value::Null, Value::from);
            Ok(row([("problem", problem.at("problem")?.clone()), ("solution", answer)]))
        };
        object(value)?.values().map(problem).collect::<Made<Vec<Row>>>()
    })?;
    Ok(Tables::Splits(vec![("test".into(), rows.clone()), ("train".into(), rows)]))
});

pub(super) const MGSM: ClassForm = own(&["path"], |arguments| {
    let make = |line: &Value| {
        let line = strip(line.as_str().unwrap_or_default());
        match line.split('\t').collect::<Vec<_>>()[..] {
            [question, answer] => {
                Ok(row([("question", question.into()), ("answer", answer.into())]))
            }
            _ => Flaw::new("expected a question, a tab and an answer"),
        }
    };
    let items = text_lines(&arguments.path("path")?)?;
    items.iter().map(|item| item.make(make)).collect::<Result<_, _>>().map(Tables::Single)
})
.unnamed();

pub(super) const HUNGARIAN_EXAM: ClassForm = own(&["path"], |arguments| {
    let path = arguments.path("path")?;
    let question = |value: &Value| match object(value)?.values().collect::<Vec<_>>()[..] {
        [question] => Ok(row([("question", question.clone())])),
        _ => Flaw::new("expected one column"),
    };
    let rows = typed_csv(&path)?
        .iter()
        .map(|item| item.make(question))
        .collect::<Result<Vec<Row>, _>>()?;
    if rows.iter().any(|row| row["question"].is_null()) {
        let flaw = Flaw("a question is empty".to_owned());
        return Err(malformed(&path.display().to_string(), flaw));
    }
    Ok(Tables::Single(rows))
})
.unnamed();

pub(super) const LIVE_MATH_BENCH: ClassForm =
    own(&["path", "dataset_splits?", "dataset_languages?", "cot?", "version?"], live_problems);

/// What a problem of a language is asked with, and the words in it that ask for reasoning.
const fn asking(is_english: bool) -> (&'static str, &'static str) {
    if is_english {
        (
            "Here is a math question, please reasoning step by step, and put your answer in \\boxed{}.\n",
            ", please reasoning step by step",
        )
    } else {
        ("下面是一个数学问题，请逐步推理，并把最终答案放置于\\boxed{}中。\n", "，请逐步推理")
    }
}

/// Problems of several contests in several languages, one file after the other.
fn live_problems(arguments: &Arguments<'_>) -> Result<Tables, DatasetError> {
    let version = if arguments.is_given("version") { arguments.text("version")? } else { "202412" };
    let folder = arguments.path("path")?.join(version);
    let contests = arguments.texts("dataset_splits", &["CNMO", "CCEE", "AMC", "WLPMC"])?;
    let languages = arguments.texts("dataset_languages", &["cn", "en"])?;
    let has_reasoning = arguments.flag("cot", true);
    let mut rows = Vec::new();
    for contest in &contests {
        for language in &languages {
            let (asking, reasoning) = asking(language == "en");
            let asking =
                if has_reasoning { asking.to_owned() } else { asking.replace(reasoning, "") };
            let items =
                json_lines(&folder.join(format!("{contest}_{language}.jsonl")), Encoding::Strict)?;
            for item in &items {
                rows.push(item.make(|value| {
                    let mut made = object(value)?.clone();
                    let prompt = format!("{asking}{}\n", python_str(value.at("question")?));
                    // Their places among the columns; what stands there is the row's own, later.
                    made.insert("subdivision".to_owned(), Value::Null);
                    made.insert("idx".to_owned(), Value::Null);
                    made.insert("prompt".to_owned(), prompt.into());
                    Ok(made)
                })?);
            }
        }
    }
    Ok(Tables::Single(rows))
}

/// What stands in the last box of a solution; nothing where no box is closed, or it is no `\boxed{…}`.
pub(super) fn boxed(solution: &str) -> Option<&str> {
    let begin = solution.rfind("\\boxed").or_else(|| solution.rfind("\\fbox"))?;
    let rest = solution.get(begin..)?;
    let mut open = 0_i32;
    for (place, letter) in rest.char_indices() {
        match letter {
            '{' => open += 1,
            '}' => {
                open -= 1;
                if open == 0 {
                    return rest.get(..place)?.strip_prefix("\\boxed{");
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::boxed;

    #[test]
    fn the_last_box_is_opened() {
        for (solution, expected) in [
            (r"so \boxed{1} and \boxed{\frac{1}{2}}.", Some(r"\frac{1}{2}")),
            (r"\boxed 3", None),
            (r"\boxed {3}", None),
            (r"\boxed{3", None),
            (r"\fbox{3}", None),
            ("3", None),
        ] {
            assert_eq!(boxed(solution), expected, "{solution}");
        }
    }
}
