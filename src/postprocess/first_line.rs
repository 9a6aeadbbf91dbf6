//! Rules that keep the first line of a text, and differ in what they take off around it.

use super::{Processed, blank::strip};

/// `first_line`: the first line of the text without blanks at its ends.
pub(super) fn of_stripped(text: &str) -> Processed {
    Ok(first(strip(text)).into())
}

/// `xsum`: that line without blanks at its ends.
pub(super) fn stripped(text: &str) -> Processed {
    Ok(strip(first(strip(text))).into())
}

/// `longbench_line`: the first line that is not empty.
pub(super) fn not_empty(text: &str) -> Processed {
    Ok(first(text.trim_start_matches('\n')).into())
}

/// `record`: the first line without "Answer: ", wherever in it that stands.
pub(super) fn record(text: &str) -> Processed {
    Ok(strip(&first(strip(text)).replace("Answer: ", "")).into())
}

/// `lcsts`: the first line without a list mark and without Chinese punctuation at its ends. A mark at
/// the front goes wherever else it stands too.
pub(super) fn lcsts(text: &str) -> Processed {
    // One word of another language is taken out by OpenCompass.
    let mut line = strip(&first(strip(text)).replace("своей", "")).to_owned();
    for mark in ["1. ", "- "] {
        if line.starts_with(mark) {
            line = line.replace(mark, "");
        }
    }
    Ok(line.trim_matches(['“', '，', '。', '！', '”']).into())
}

/// `cruxeval_o`: the first line of what stands before "# done".
pub(super) fn before_done(text: &str) -> Processed {
    Ok(strip(first(strip(text.split("# done").next().unwrap_or_default()))).into())
}

/// `game24`: the left side of the equation on the last line, in lower case, without "answer: ".
pub(super) fn equation(text: &str) -> Processed {
    let line = strip(text).rsplit('\n').next().unwrap_or_default().to_lowercase();
    let answer = line.replace("answer: ", "");
    Ok(first_part(&answer, "=").into())
}

/// `chinese_simpleqa`: what stands before the next question that a model makes up.
pub(super) fn before_question(text: &str) -> Processed {
    Ok(strip(first_part(text, "问题：")).into())
}

fn first(text: &str) -> &str {
    first_part(text, "\n")
}

fn first_part<'t>(text: &'t str, separator: &str) -> &'t str {
    text.split(separator).next().unwrap_or_default()
}
