//! `InverseIFEvalJudgePromptTemplate`: what a judge is told stands in the row, and names the answer `response`.

use serde_json::Value;

use crate::{dataset::Sample, python::python_str};

/// The columns that the messages are made of.
pub(super) const SYSTEM: &str = "judge_system";
pub(super) const ASKED: &str = "judge_asked";

/// The texts of both messages; the row's own prompt is filled from the row.
pub(super) fn with_texts(sample: &Sample) -> Result<Sample, String> {
    let text = |name: &str| sample.get(name).map(python_str).unwrap_or_default();
    let mut asked = text("judge_prompt_template");
    if asked.is_empty() {
        return Err("a row has no judge_prompt_template".to_owned());
    }
    let response = Value::from(text("prediction"));
    let columns = sample.iter().chain([("response", &response)]);
    for (name, value) in columns {
        let gap = format!("{{{name}}}");
        if asked.contains(&gap) {
            asked = asked.replace(&gap, &python_str(value));
        }
    }
    let columns = [(SYSTEM, text("judge_system_prompt")), (ASKED, asked)];
    Ok(Sample::new(columns.map(|(name, text)| (name.to_owned(), text.into())).into()))
}
