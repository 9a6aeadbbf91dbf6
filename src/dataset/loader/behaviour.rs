//! How a model behaves: answers that match a behaviour, responses of which one is the better, comments that are
//! toxic or not.

use super::{
    class::{ClassForm, Format, Tables, files, own},
    drawn::shuffled,
    repositories::{after, only_split},
    row::{Fields, Flaw, Made, Row},
    step::{
        Step,
        Step::{Own, Remove},
    },
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

/// So many comments of the test are asked, whichever a shuffle with this seed puts first.
const COMMENTS: (usize, u64) = (10_000, 42);

const OTHER_LABELS: Step = Remove(&[
    "severe_toxicity",
    "obscene",
    "threat",
    "insult",
    "identity_attack",
    "sexual_explicit",
]);

pub(super) const CIVIL_COMMENTS: ClassForm = own(PATH, |arguments| {
    let train = after(arguments, &only_split(arguments, None, "train")?, &[OTHER_LABELS])?;
    let test = only_split(arguments, None, "test")?;
    let test = after(arguments, &test, &[OTHER_LABELS, Own(labelled)])?;
    let (count, seed) = COMMENTS;
    if test.len() < count {
        let what = format!("{count} rows of the test are asked, but there are {}", test.len());
        return arguments.asked(Flaw::new(what));
    }
    let mut test = shuffled(&test, seed);
    test.truncate(count);
    Ok(Tables::Splits(vec![("train".into(), train), ("test".into(), test)]))
})
.unnamed();

/// Whether at least half of those asked found a comment toxic.
fn labelled(row: &mut Row) -> Made<()> {
    let share = row.at("toxicity")?.as_f64();
    let share = share.ok_or_else(|| Flaw("`toxicity` is no number".to_owned()))?;
    row.insert("label".to_owned(), i32::from(share >= 0.5).into());
    row.insert("choices".to_owned(), vec!["no", "yes"].into());
    Ok(())
}

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
