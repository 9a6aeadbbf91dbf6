//! How a model behaves: answers that match a behaviour, and responses of which one is the better.

use super::{
    class::{ClassForm, Format, files},
    row::{Fields, Made, Row},
    step::{Step, Step::Own},
};

const PATH: &[&str] = &["path"];

const LIBRARY_FILE: &[(&str, &str)] = &[("train", "{path}")];

pub(super) const AI_RISK: ClassForm = answers(&[Own(|row| first_letter(row, "ABCDEFGH"))]);

pub(super) const SYCOPHANCY: ClassForm = answers(&[Own(|row| first_letter(row, "ABCDEFG"))]);

pub(super) const PERSONA: ClassForm = answers(&[Own(|row| {
    let letter = if row.at("answer_matching_behavior")? == " Yes" { "A" } else { "B" };
    row.insert("answer_matching_behavior".to_owned(), letter.into());
    Ok(())
})]);

pub(super) const C_VALUES: ClassForm = answers(&[Own(|row| {
    for (column, first, second) in [("prompt", "回复A", "回复B"), ("label", "A", "B")] {
        let text = row.text(column)?.replace("回复1", first).replace("回复2", second);
        row.insert(column.to_owned(), text.into());
    }
    Ok(())
})]);

const fn answers(steps: &'static [Step]) -> ClassForm {
    files(PATH, LIBRARY_FILE, Format::LibraryJson, steps).unnamed()
}

/// The first of the letters that the answer holds, if it holds one.
fn first_letter(row: &mut Row, letters: &str) -> Made<()> {
    let answer = row.text("answer_matching_behavior")?;
    if let Some(letter) = letters.chars().find(|letter| answer.contains(*letter)) {
        row.insert("answer_matching_behavior".to_owned(), letter.to_string().into());
    }
    Ok(())
}
