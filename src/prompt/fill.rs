//! Filling `{fields}` from a row.
//!
//! Not a format language: for every column in order, each literal `{column}` is replaced by the value
//! as Python's `str()` prints it. Unknown fields stay as they are, braces cannot be escaped, and text
//! that was filled in is searched again for the columns that follow.

use crate::{dataset::Sample, python::python_str};

/// `text` with every `{column}` of `sample` replaced.
pub(crate) fn fill(text: &str, sample: &Sample) -> String {
    let mut filled = text.to_owned();
    for (column, value) in sample.iter() {
        let field = format!("{{{column}}}");
        if filled.contains(&field) {
            filled = filled.replace(&field, &python_str(value));
        }
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn later_columns_see_what_earlier_ones_filled_in() {
        let row = Sample::new(vec![
            ("question".into(), json!("is it {answer}?")),
            ("answer".into(), json!(null)),
        ]);
        assert_eq!(fill("{question} {{answer}} {other}", &row), "is it None? {None} {other}");
    }
}
