//! `bbh_mcq`: the option that a BIG-Bench Hard answer names.

use super::blank::strip;

/// What introduces the answer.
const INTRODUCTION: &str = "answer is ";

/// From behind the first "answer is " on (or in the whole text): the first capital A to Z after an
/// opening parenthesis, else the first capital, else the text.
pub(super) fn process(text: &str) -> String {
    let answer = text.split(INTRODUCTION).nth(1).map_or(text, strip);
    let is_capital = |letter: &char| letter.is_ascii_uppercase();
    let in_parentheses =
        answer.split('(').skip(1).find_map(|part| part.chars().next().filter(is_capital));
    let option = in_parentheses.or_else(|| answer.chars().find(is_capital));
    option.map_or_else(|| answer.to_owned(), String::from)
}
