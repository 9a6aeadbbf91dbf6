//! Articles of criminal law: F1 of their numbers.

use std::{collections::BTreeSet, sync::LazyLock};

use super::{
    super::{EvaluateError, by_row::Asked},
    Judged,
    arabic_numerals::with_arabic_numerals,
    labels::f1,
};
use crate::{
    postprocess::{PatternError, PythonRegex},
    python::parse_integer,
};

/// How many articles there are.
const ARTICLES: u32 = 490;

/// `3_1`: the numbers of the articles that are named, in words or digits.
pub(super) fn judge(asked: &Asked<'_>) -> Result<Judged, EvaluateError> {
    let golds = golds(asked.reference()?).ok_or_else(|| {
        asked.unreadable_reference(
            "'法条:刑法第', numbers up to 490 with '、' between them, and '条'",
        )
    })?;
    let found = articles(asked.prediction()?).map_err(|error| asked.failed(error))?;
    Ok(Judged { grade: Some(f1(&found, &golds)), abstains: found.is_empty() })
}

fn golds(reference: &str) -> Option<BTreeSet<String>> {
    let is_whole = reference.starts_with("法条:刑法第") && reference.ends_with('条');
    let numbers = reference.replace("法条:刑法第", "").replace('条', "");
    let number = |text: &str| {
        let number = parse_integer(text)?;
        let is_article = number.parse::<u32>().ok()? <= ARTICLES;
        is_article.then_some(number)
    };
    numbers.split('、').map(number).collect::<Option<_>>().filter(|_| is_whole)
}

/// The first number between two `、` each time, sections left out.
fn articles(prediction: &str) -> Result<BTreeSet<String>, PatternError> {
    static SECTION: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"第(.*?)款"));
    static ARTICLE: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"第(.*?)条"));
    static NUMBER: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\d+"));
    let mut found = BTreeSet::new();
    for part in prediction.split('、') {
        let part = SECTION.replace(&part.replace("万元", "元"), "")?;
        let part = with_arabic_numerals(&ARTICLE.keep_group(&part)?)?;
        found.extend(NUMBER.first(&part)?.and_then(parse_integer));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn articles_are_named_in_words_or_digits() {
        let found = |text: &str| articles(text).unwrap().into_iter().collect::<Vec<_>>();
        assert_eq!(found("刑法第二百六十四条、第25条、无"), ["25", "264"]);
        // What names a section goes from its first 第 on, the article with it, as in the original.
        assert_eq!(found("刑法第二百六十四条第一款、第25条"), ["25"]);
        assert_eq!(golds("法条:刑法第264、25条").unwrap().len(), 2);
        assert!(golds("法条:刑法第491条").is_none());
    }
}
