//! `OlympiadBenchTemplate`, `OlympiadBenchRawTemplate`: the instruction of `OlympiadBench`, made of what a row says of its
//! problem: language, subject, kinds of answers, unit.
//!
//! The wording is the benchmark's own, in English and Chinese, because its figures hold for it alone. A row becomes one of two
//! columns, the instruction and the problem, which an ordinary template then fills in.

use serde_json::Value;

use crate::dataset::Sample;

/// Kinds of answers: the benchmark's name, and how the instruction calls it in English and Chinese.
const KINDS: &[(&str, &str, &str)] = &[
    ("Numerical", "a numerical value", "数值"),
    ("Expression", "an expression", "表达式"),
    ("Equation", "an equation", "方程"),
    ("Interval", "an interval", "区间"),
];

/// What a row says of its problem.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct Problem<'r> {
    text: &'r str,
    is_chinese: bool,
    is_math: bool,
    is_proof: bool,
    answer_type: &'r str,
    has_several_answers: bool,
    has_unit: bool,
}

/// The row as the template of rounds wants it: the instruction, in which the problem is still a field, and the problem.
pub(super) fn with_instruction(sample: &Sample) -> Result<Sample, String> {
    let problem = Problem::of(sample);
    let columns = [("prompt", problem.instruction()?), ("problem", problem.text.to_owned())];
    Ok(Sample::new(
        columns.into_iter().map(|(name, text)| (name.to_owned(), text.into())).collect(),
    ))
}

/// The row as the template of messages wants it: instruction and problem in one column.
pub(super) fn as_problem(sample: &Sample) -> Result<Sample, String> {
    let problem = Problem::of(sample);
    let text = problem.instruction()?.replace("{problem}", problem.text);
    Ok(Sample::new(vec![("problem".to_owned(), text.into())]))
}

impl<'r> Problem<'r> {
    fn of(sample: &'r Sample) -> Self {
        let text = |column: &str, default: &'r str| match sample.get(column) {
            None => default,
            Some(value) => value.as_str().unwrap_or_default(),
        };
        let is_true = |column: &str| match sample.get(column) {
            None | Some(Value::Null | Value::Bool(false)) => false,
            Some(Value::String(text)) => !text.is_empty(),
            Some(_) => true,
        };
        Self {
            text: text("problem", ""),
            is_chinese: text("language", "English") == "Chinese",
            is_math: text("subject", "Math") == "Math",
            is_proof: text("question_type", "") == "Theorem proof",
            answer_type: text("answer_type", ""),
            has_several_answers: is_true("is_multiple_answer"),
            has_unit: is_true("unit"),
        }
    }

    fn instruction(&self) -> Result<String, String> {
        let task = match (self.is_chinese, self.is_proof) {
            (true, true) => self.proof_in_chinese(),
            (true, false) => self.answer_in_chinese()?,
            (false, true) => self.proof_in_english(),
            (false, false) => self.answer_in_english()?,
        };
        let reasoning = if self.is_chinese {
            "请通过逐步推理来解答问题，并把最终答案放置于\\boxed{}中。"
        } else {
            "Please reason step by step, and put your final answer within \\boxed{}."
        };
        Ok(format!("{task}\n{{problem}}\n\n{reasoning}"))
    }

    fn proof_in_chinese(&self) -> String {
        let subject = if self.is_math { "数学" } else { "物理" };
        format!(
            "以下是中国{subject}竞赛中的证明题。请根据题目的要求，运用逻辑推理及常用定理证明题目中的命题。证明过程中使用的变量和公式请使用LaTeX格式表示。"
        )
    }

    fn answer_in_chinese(&self) -> Result<String, String> {
        let subject = if self.is_math { "数学" } else { "物理" };
        let kinds = match self.kinds()? {
            None => String::new(),
            Some(kinds) if !self.has_several_answers => format!("，答案类型为{}", chinese(&kinds)),
            Some(kinds) if kinds.len() == 1 => {
                format!("，题目有多个答案，答案类型均为{}", chinese(&kinds))
            }
            Some(kinds) => format!("，题目有多个答案，答案类型分别为{}", chinese(&kinds)),
        };
        let content = if self.has_several_answers {
            "用英文逗号连接的多个答案"
        } else {
            "答案"
        };
        let (unit, note) = if self.has_unit {
            ("(单位)", "，注意答案的单位不要放在\\boxed{}中")
        } else {
            ("", "")
        };
        Ok(format!(
            "以下是中国{subject}竞赛中的解答题{kinds}。请根据题目的要求和所提供的信息计算得出答案。解答过程和结果中使用的变量和公式请使用LaTeX格式表示。请在最后以\"所以最终答案是\\boxed{{{content}}}{unit}。\"显式给出结果{note}。"
        ))
    }

    fn proof_in_english(&self) -> String {
        let subject = if self.is_math { "Math" } else { "Physics" };
        format!(
            "The following is a theorem proving problem from an International {subject} competition. Please use logical reasoning and common theorems to prove the proposition in the problem according to the given requirements. Please use LaTeX format to represent the variables and formulas used in the proof."
        )
    }

    fn answer_in_english(&self) -> Result<String, String> {
        let subject = if self.is_math { "Math" } else { "Physics" };
        let kinds = match self.kinds()? {
            None => String::new(),
            Some(kinds) if !self.has_several_answers => {
                format!("The answer of The problem should be {}. ", english(&kinds))
            }
            Some(kinds) if kinds.len() == 1 => {
                format!(
                    "The problem has multiple answers, each of them should be {}. ",
                    english(&kinds)
                )
            }
            Some(kinds) => {
                format!(
                    "The problem has multiple answers, with the answers in order being {}. ",
                    english(&kinds)
                )
            }
        };
        let content = if self.has_several_answers {
            "multiple answers connected with commas"
        } else {
            "answer"
        };
        let (unit, note) = if self.has_unit {
            ("(unit)", ", note that the unit of the answer should not be included in \\boxed{}")
        } else {
            ("", "")
        };
        Ok(format!(
            "The following is an open-ended problem from an International {subject} competition. {kinds}Please calculate the answer according to the given requirements and the information provided. Please use LaTeX format to represent the variables and formulas used in the solution process and results. Please end your solution with \"So the final answer is \\boxed{{{content}}}{unit}.\" and give the result explicitly{note}."
        ))
    }

    /// The kinds of its answers, one if all are of one kind; nothing where the instruction is silent about them.
    fn kinds(&self) -> Result<Option<Vec<usize>>, String> {
        if self.answer_type.contains("Need_human_evaluate") || self.answer_type.contains("Tuple") {
            return Ok(None);
        }
        if !self.has_several_answers {
            return Ok(Some(vec![kind(self.answer_type)?]));
        }
        let mut kinds = self.answer_type.split(',').map(kind).collect::<Result<Vec<_>, _>>()?;
        if kinds.iter().all(|kind| Some(kind) == kinds.first()) {
            kinds.truncate(1);
        }
        Ok(Some(kinds))
    }
}

/// The first kind that the benchmark's name of it says.
fn kind(answer_type: &str) -> Result<usize, String> {
    let named = answer_type.split('-').next().unwrap_or_default();
    let found = KINDS.iter().position(|(name, ..)| named.contains(name));
    found.ok_or_else(|| {
        let names: Vec<&str> = KINDS.iter().map(|(name, ..)| *name).collect();
        format!("the answer_type {answer_type:?} of the row is none of {}", names.join(", "))
    })
}

fn english(kinds: &[usize]) -> String {
    let names = kinds.iter().filter_map(|kind| KINDS.get(*kind)).map(|(_, english, _)| *english);
    names.collect::<Vec<_>>().join(", ")
}

fn chinese(kinds: &[usize]) -> String {
    let names = kinds.iter().filter_map(|kind| KINDS.get(*kind)).map(|(.., chinese)| *chinese);
    names.collect::<Vec<_>>().join("、")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn row(columns: &[(&str, Value)]) -> Sample {
        Sample::new(
            columns.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
        )
    }

    #[test]
    fn the_instruction_says_what_the_row_says() {
        let sample = row(&[
            ("problem", json!("Find x.")),
            ("answer_type", json!("Numerical,Interval")),
            ("is_multiple_answer", json!(true)),
            ("unit", json!("m")),
        ]);
        let text = as_problem(&sample).unwrap();
        let text = text.get("problem").and_then(Value::as_str).unwrap();
        for part in [
            "in order being a numerical value, an interval. Please",
            r"\boxed{multiple answers connected with commas}(unit).",
            "explicitly, note that",
            "\nFind x.\n\nPlease reason",
        ] {
            assert!(text.contains(part), "{text}");
        }
        let unknown = row(&[("problem", json!("")), ("answer_type", json!("Picture"))]);
        assert!(as_problem(&unknown).unwrap_err().contains("Picture"));
    }
}
