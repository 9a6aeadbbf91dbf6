//! Options, gaps and yes or no: right or wrong.

use std::sync::LazyLock;

use serde_json::json;

use super::super::{
    EvaluateError,
    acc_with_details::are_equal,
    by_row::{Asked, Grade},
};
use crate::postprocess::PythonRegex;

/// Words of medicine whose capitals are no options, in the order in which they are taken out.
#[rustfmt::skip]
const TERMS: &[&str] = &[
    "CC", "CA", "AC", "POMES", "AI", "MIBG", "CF", "CTE", "AD", "CB", "BG", "BD", "BE", "BH", "CTB", "BI",
    "CE", "Pugh", "Child", "CTI", "CTA", "TACE", "PPD", "Castleman", "BA", "CH", "AB", "CTC", "CT", "CTH",
    "CD", "AH", "AE", "AA", "AF", "BC", "CG", "BB", "CI", "BF", "CTF", "CTG", "AG", "CTD", "分级C", "分级A",
    "I131", "分级B", "分级D", "131I‐MIBG", "NYHA", "IPF", "DIP", "Lambert-Eaton", "Graves", "IIA期", "CKD",
    "FDA", "A级", "B级", "C级", "D级", "维生素D",
];

/// All capitals of the prediction, but for those of medical terms, are the gold's options in its order.
pub(in super::super) fn choice(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    static OPTION: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"\(*([A-Z])\)*"));
    let mut text = asked.prediction()?.to_owned();
    for term in TERMS {
        text = text.replace(term, "");
    }
    let options = json!(OPTION.all(&text).map_err(|error| asked.failed(error))?);
    let gold = &asked.row.reference;
    let is_correct = are_equal(&options, gold);
    Ok(Grade::compared(options, gold.clone(), is_correct))
}

/// Every part of the gold occurs.
pub(in super::super) fn cloze(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let prediction = asked.prediction()?;
    let is_correct = asked.references()?.iter().all(|part| prediction.contains(part.as_str()));
    Ok(Grade::compared(prediction, asked.row.reference.clone(), is_correct))
}

/// Whether the prediction says no, which any `不` or `否` does.
pub(in super::super) fn yes_or_no(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    let verdict = if asked.prediction()?.contains(['不', '否']) { "不可以" } else { "可以" };
    let gold = &asked.row.reference;
    Ok(Grade::compared(verdict, gold.clone(), gold == verdict))
}
