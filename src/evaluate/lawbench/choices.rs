//! One answer out of a list: right if it occurs and no other of the list does.

use std::sync::LazyLock;

use super::{
    super::{EvaluateError, by_row::Asked},
    Judged,
    label_names::{DISPUTES, TOPICS},
};
use crate::{postprocess::PythonRegex, python::parse_float};

/// What introduces a gold that is a point at issue.
const DISPUTE: &str = "争议焦点类别：";

/// A label of the data set that is none of the list; such rows are left out.
const UNLISTED_DISPUTE: &str = "赔偿";

/// What introduces the gold amount.
const AMOUNT: &str = "上文涉及到的犯罪金额:";

/// `2_2`: a point at issue.
pub(super) fn dispute(asked: &Asked<'_>) -> Result<Judged, EvaluateError> {
    let gold = asked.reference()?;
    let letters = gold.chars().count();
    let label: String = gold.chars().take(letters.saturating_sub(1)).skip(7).collect();
    if label == UNLISTED_DISPUTE {
        return Ok(Judged { grade: None, abstains: false });
    }
    let expected = "'争议焦点类别：' and one of the points at issue";
    if !gold.starts_with(DISPUTE) || !DISPUTES.contains(&label.as_str()) {
        return Err(asked.unreadable_reference(expected));
    }
    only(asked, DISPUTES, &label)
}

/// `1_2`: a letter of four, behind a Chinese colon.
pub(super) fn knowledge(asked: &Asked<'_>) -> Result<Judged, EvaluateError> {
    letter(asked, "正确答案：", &["A", "B", "C", "D"], "'正确答案：' and a letter from A to D")
}

/// `3_6`: a letter of four, behind a plain colon.
pub(super) fn case(asked: &Asked<'_>) -> Result<Judged, EvaluateError> {
    letter(asked, "正确答案:", &["A", "B", "C", "D"], "'正确答案:' and a letter from A to D")
}

/// `2_8`: a letter of five.
pub(super) fn argument(asked: &Asked<'_>) -> Result<Judged, EvaluateError> {
    let letters = &["A", "B", "C", "D", "E"];
    letter(asked, "[正确答案]", letters, "'[正确答案]' and a letter from A to E")
}

fn letter(
    asked: &Asked<'_>,
    introduction: &str,
    letters: &[&str],
    expected: &'static str,
) -> Result<Judged, EvaluateError> {
    let behind = asked.reference()?.strip_prefix(introduction);
    let gold = letters.iter().find(|letter| behind.is_some_and(|text| text.starts_with(**letter)));
    only(asked, letters, gold.ok_or_else(|| asked.unreadable_reference(expected))?)
}

/// `2_4`: what a question is about.
pub(super) fn topic(asked: &Asked<'_>) -> Result<Judged, EvaluateError> {
    let (gold, prediction) = (asked.reference()?, asked.prediction()?);
    let has_any = TOPICS.iter().any(|topic| prediction.contains(topic));
    if has_any && !TOPICS.contains(&gold) {
        return Err(asked.unreadable_reference("one of the topics of the task"));
    }
    only(asked, TOPICS, gold)
}

/// Right if the gold is the only one of the list in the prediction.
fn only(asked: &Asked<'_>, list: &[&str], gold: &str) -> Result<Judged, EvaluateError> {
    let prediction = asked.prediction()?;
    let found: Vec<&str> = list.iter().copied().filter(|own| prediction.contains(own)).collect();
    let is_right = matches!(found.as_slice(), [only] if *only == gold);
    Ok(Judged { grade: Some(f64::from(u8::from(is_right))), abstains: found.is_empty() })
}

/// `3_7`: the amount is one of the numbers in the prediction.
pub(super) fn amount(asked: &Asked<'_>) -> Result<Judged, EvaluateError> {
    static NUMBER: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\d+\.?\d*"));
    let expected = "'上文涉及到的犯罪金额:', a number and '元。'";
    let gold = asked.reference()?;
    let is_plain = gold.starts_with(AMOUNT)
        && gold.ends_with("元。")
        && !gold.contains('万')
        && !gold.replace(AMOUNT, "").contains("千元");
    let number = parse_float(&gold.replace(AMOUNT, "").replace("元。", ""));
    let number = number.filter(|_| is_plain).ok_or_else(|| asked.unreadable_reference(expected))?;
    let found = NUMBER.all(asked.prediction()?).map_err(|error| asked.failed(error))?;
    let is_same =
        |digits: &&str| parse_float(digits).is_some_and(|own| own.total_cmp(&number).is_eq());
    Ok(Judged {
        grade: Some(f64::from(u8::from(found.iter().any(is_same)))),
        abstains: found.is_empty(),
    })
}
