//! `math_intern`: the answer behind one of several introductions of worked solutions.

use super::{Processed, blank::strip};

/// What introduces a formula between dollar signs.
const FINAL_ANSWER: &str = "The final answer is ";
/// What introduces the answer in front of a next question.
const ANSWER: &str = "The answer is";
/// What else introduces the answer, most trusted first.
const INTRODUCTIONS: &[&str] = &["# Answer", "The answer is:", "####"];

/// The answer without doubled braces and a final full stop; null without an introduction or box.
pub(super) fn process(text: &str) -> Processed {
    if let Some((_, answer)) = text.split_once(FINAL_ANSWER) {
        return Ok(cleaned(formula(answer)).into());
    }
    let mut solution = text;
    if let Some((before, _)) = text.split_once("\n\nQuestion:") {
        solution = before;
        match before.find(ANSWER) {
            // An answer at the very start is looked for below.
            Some(0) => {}
            Some(start) => return Ok(cleaned(&before[start + ANSWER.len()..]).into()),
            // Without the introduction as many characters are cut, less one, as it has.
            None => return Ok(cleaned(without_first(before, ANSWER.len() - 1)).into()),
        }
    }
    for introduction in INTRODUCTIONS {
        if let Some((_, answer)) = solution.split_once(introduction) {
            return Ok(cleaned(answer).into());
        }
    }
    let boxed = solution.split_once(r"\boxed{").map(|(_, rest)| cleaned(up_to_closing(rest)));
    Ok(boxed.into())
}

/// What stands between the first character, a dollar sign, and the "$." that ends the sentence.
/// Without that the last character goes.
fn formula(answer: &str) -> &str {
    let end = answer.find("$.").or_else(|| answer.char_indices().next_back().map(|(last, _)| last));
    let start = answer.chars().next().map_or(0, char::len_utf8);
    answer.get(start..end.unwrap_or_default()).unwrap_or_default()
}

fn without_first(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).map_or("", |(index, _)| &text[index..])
}

/// Up to the brace that closes one opened before; without it the last character goes.
fn up_to_closing(text: &str) -> &str {
    let mut open = 1;
    for (index, character) in text.char_indices() {
        match character {
            '{' => open += 1,
            '}' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return &text[..index];
        }
    }
    text.char_indices().next_back().map_or("", |(last, _)| &text[..last])
}

fn cleaned(answer: &str) -> String {
    let answer = strip(answer).replace("{{", "{").replace("}}", "}");
    answer.strip_suffix(['.', '。']).map(str::to_owned).unwrap_or(answer)
}
