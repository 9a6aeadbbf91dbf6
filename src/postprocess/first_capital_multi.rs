//! `first_capital_multi`: the first run of option letters, for questions with several right options.

/// The first unbroken run of the letters A to D, or nothing.
pub(super) fn process(text: &str) -> String {
    let is_option = |letter: char| ('A'..='D').contains(&letter);
    let from_run = text.trim_start_matches(|letter| !is_option(letter));
    let run = from_run.split(|letter| !is_option(letter)).next().unwrap_or_default();
    run.to_owned()
}
