//! What a list shows of a row.

use crate::{dataset::Sample, python::python_str};

/// The column that says most where there are several.
const QUESTION: &str = "question";

/// The row's own question: the values of the columns that its prompts are made of, the question first.
pub(super) fn row_text(row: &Sample, input_columns: &[String]) -> String {
    let mut names: Vec<&str> = input_columns.iter().map(String::as_str).collect();
    names.sort_by_key(|name| *name != QUESTION);
    let of = |name: &str| row.get(name).filter(|value| !value.is_null()).map(python_str);
    let texts: Vec<String> =
        names.into_iter().filter_map(of).filter(|own| !own.is_empty()).collect();
    texts.join(" · ")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn the_question_comes_first_and_what_is_not_there_is_left_out() {
        let columns =
            [("A", json!("x")), ("B", Value::Null), ("n", json!(1)), ("question", json!("q?"))];
        let row = Sample::new(columns.map(|(name, value)| (name.to_owned(), value)).to_vec());
        let names = ["n", "B", "question", "A", "C"].map(str::to_owned);
        assert_eq!(row_text(&row, &names), "q? · 1 · x");
    }
}
