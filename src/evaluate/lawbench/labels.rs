//! Several labels out of a list: F1 of those that occur.

use std::collections::BTreeSet;

use super::{
    super::{EvaluateError, by_row::Asked},
    Judged,
    label_names::{ACCUSATIONS, EVENTS, MARRIAGE},
};

/// `2_3`: labels of marriage cases.
pub(super) fn marriage(asked: &Asked<'_>) -> Result<Judged, EvaluateError> {
    let expected = "'类别:', labels of the task with '、' between them, and '。'";
    let unreadable = || asked.unreadable_reference(expected);
    let gold = asked.reference()?.strip_prefix("类别:").and_then(|text| text.strip_suffix('。'));
    let golds: BTreeSet<&str> = gold.ok_or_else(unreadable)?.split('、').collect();
    if golds.iter().any(|gold| !MARRIAGE.contains(gold)) {
        return Err(unreadable());
    }
    occurring(asked, MARRIAGE, &golds)
}

/// `2_9`: events.
pub(super) fn events(asked: &Asked<'_>) -> Result<Judged, EvaluateError> {
    occurring(asked, EVENTS, &asked.reference()?.split(';').collect())
}

/// `3_3`: accusations.
pub(super) fn accusations(asked: &Asked<'_>) -> Result<Judged, EvaluateError> {
    let gold = asked.reference()?;
    if !gold.starts_with("罪名:") {
        return Err(asked.unreadable_reference("'罪名:' and accusations with ';' between them"));
    }
    occurring(asked, ACCUSATIONS, &gold.replace("罪名:", "").split(';').collect())
}

fn occurring(
    asked: &Asked<'_>,
    list: &[&str],
    golds: &BTreeSet<&str>,
) -> Result<Judged, EvaluateError> {
    let prediction = asked.prediction()?;
    let found: BTreeSet<&str> =
        list.iter().copied().filter(|label| prediction.contains(label)).collect();
    Ok(Judged { grade: Some(f1(&found, golds)), abstains: found.is_empty() })
}

/// F1 of two sets.
pub(super) fn f1<T: Ord>(own: &BTreeSet<T>, other: &BTreeSet<T>) -> f64 {
    let common = own.intersection(other).count();
    if common == 0 {
        return 0.0;
    }
    let (precision, recall) =
        (common as f64 / own.len() as f64, common as f64 / other.len() as f64);
    2.0 * precision * recall / (precision + recall)
}
