//! Months in prison: how far the prediction is off, on a logarithmic scale.

use std::sync::LazyLock;

use super::{
    super::{EvaluateError, by_row::Asked},
    Judged,
    arabic_numerals::with_arabic_numerals,
};
use crate::{
    postprocess::{PatternError, PythonRegex},
    python::parse_integer,
};

/// The most months that a sentence has, and one; a prediction without months is as far off as that.
const MOST_MONTHS: f64 = 216.0;

/// `3_4` and `3_5`: 1 for the right number of months, 0 for one that is off by the factor of all there are,
/// less for worse. Sentences to death and for life are left out.
pub(super) fn judge(asked: &Asked<'_>) -> Result<Judged, EvaluateError> {
    let reference = asked.reference()?;
    if reference.contains("死刑") || reference.contains("无期") {
        return Ok(Judged { grade: None, abstains: false });
    }
    let unreadable = || asked.unreadable_reference("'刑期:', a number and '个月'");
    let is_whole = reference.starts_with("刑期:") && reference.ends_with("个月");
    let gold = reference.replace("刑期:", "").replace("个月", "");
    let gold = number(&gold).filter(|&months| is_whole && months >= 0.0).ok_or_else(unreadable)?;
    let found = months(asked.prediction()?).map_err(|error| asked.failed(error))?;
    let distance = match found {
        Some(found) => ((gold + 1.0).ln() - (found + 1.0).ln()).abs(),
        None => MOST_MONTHS.ln(),
    };
    let grade = (MOST_MONTHS.ln() - distance) / MOST_MONTHS.ln();
    Ok(Judged { grade: Some(grade), abstains: found.is_none() })
}

/// The first number of months of a text, or else of years.
fn months(text: &str) -> Result<Option<f64>, PatternError> {
    static MONTHS: LazyLock<[PythonRegex; 3]> =
        LazyLock::new(|| [r"(\d+)个月", r"(\d+)月", r"(\d+)年"].map(PythonRegex::constant));
    let [months, plain_months, years] = &*MONTHS;
    let text = with_arabic_numerals(text)?;
    for (pattern, factor) in [(months, 1.0), (plain_months, 1.0), (years, 12.0)] {
        if let Some(found) = pattern.first(&text)?.and_then(number) {
            return Ok(Some(found * factor));
        }
    }
    Ok(None)
}

fn number(digits: &str) -> Option<f64> {
    parse_integer(digits)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_come_before_years() {
        let found = |text| months(text).unwrap();
        assert_eq!(found("有期徒刑一年六个月"), Some(6.0));
        assert_eq!(found("判三年"), Some(36.0));
        assert_eq!(found("十二月"), Some(12.0));
        assert_eq!(found("无罪"), None);
    }
}
