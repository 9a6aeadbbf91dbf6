//! `circular`: multiple-choice questions asked again with their options turned round.
//!
//! A model that only likes a letter is right in one of four turns. A reference says the question, the
//! right letter and which option stands where: `12--C--BCDA`.

use super::{EvaluateError, Evaluator, Metric, Row, Scores, Unit};
use crate::statistics::Mean;
use indexmap::IndexMap;

/// The order of the options as they were written.
const PLAIN: &str = "ABCD";
/// The four turns.
const TURNS: &[&str] = &[PLAIN, "BCDA", "CDAB", "DABC"];
/// The options, and what stands for anything else.
const LETTERS: &[&str] = &["A", "B", "C", "D"];
const NO_LETTER: &str = "-";

/// Shares of questions and of turns, over one turn (`_1`) and over all four (`_4`).
pub(super) struct Circular;

/// One answered turn.
struct Turn<'r> {
    question: &'r str,
    pattern: &'r str,
    /// The letter that was answered, or [`NO_LETTER`].
    letter: &'r str,
    is_correct: bool,
    /// The right option, as it was written.
    right: char,
    /// The option that was answered, as it was written.
    chosen: char,
}

/// What is known of one question over all four turns, or over the plain one.
#[derive(Default)]
struct Question {
    correct: usize,
    /// How often each option was chosen, in the order in which it first was.
    votes: IndexMap<char, usize>,
    right: Option<char>,
}

impl Evaluator for Circular {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let turns: Vec<Turn<'_>> = rows
            .iter()
            .enumerate()
            .map(|(index, row)| turn(index, row))
            .collect::<Result<_, _>>()?;
        let all = questions(&turns, TURNS);
        let plain = questions(&turns, &[PLAIN]);
        let unplaced = plain.iter().position(|question| question.votes.is_empty());
        if let Some(question) = unplaced {
            return Err(EvaluateError::NoPlainTurn { question });
        }

        let mut metrics = vec![
            Metric::of_grades("acc_4", grades(&turns, TURNS, 1.0)),
            Metric {
                scores: Vec::new(),
                ..Metric::of_grades("acc_1", grades(&turns, &[PLAIN], 4.0))
            },
        ];
        let at_least = |questions: &[Question], least: usize| -> Vec<bool> {
            questions.iter().map(|question| question.correct >= least).collect()
        };
        for (name, questions) in [("1", &plain), ("4", &all)] {
            let most = if name == "1" { 1 } else { 4 };
            for least in 0..=most {
                let correct = at_least(questions, least);
                metrics.push(of_questions(&format!("more_{name}_{least}"), &correct));
            }
        }
        metrics.push(of_questions("perf_1", &at_least(&plain, 1)));
        metrics.push(of_questions("perf_4", &at_least(&all, 4)));
        for (name, questions) in [("vote_4", &all), ("vote_1", &plain)] {
            let correct: Vec<bool> = questions.iter().map(Question::is_voted).collect();
            metrics.push(of_questions(name, &correct));
        }
        for letter in LETTERS.iter().chain([&NO_LETTER]) {
            let is_it: Vec<bool> = turns.iter().map(|turn| turn.letter == *letter).collect();
            metrics.push(of_questions(&format!("prior_{letter}"), &is_it));
        }
        Ok(Scores { metrics, samples: rows.len(), details: None })
    }
}

impl Question {
    /// Whether the option that was chosen most often, the earlier of equals, is the right one.
    fn is_voted(&self) -> bool {
        let most = self.votes.values().max();
        let first = self.votes.iter().find(|(_, count)| Some(*count) == most);
        first.map(|(chosen, _)| *chosen) == self.right
    }
}

/// A share of questions, or of turns, without a score for each row.
fn of_questions(name: &str, correct: &[bool]) -> Metric {
    Metric::from_mean(name, Mean::percent_of(correct), Unit::Percent)
}

/// What each turn is worth: turns of another pattern nothing, those that stand for all four `weight`.
fn grades(turns: &[Turn<'_>], patterns: &[&str], weight: f64) -> Vec<f64> {
    let counts = |turn: &Turn<'_>| turn.is_correct && patterns.contains(&turn.pattern);
    turns.iter().map(|turn| if counts(turn) { weight } else { 0.0 }).collect()
}

/// The questions in the order in which they first stand.
fn questions(turns: &[Turn<'_>], patterns: &[&str]) -> Vec<Question> {
    let mut questions: IndexMap<&str, Question> = IndexMap::new();
    for turn in turns {
        let question = questions.entry(turn.question).or_default();
        question.right.get_or_insert(turn.right);
        if patterns.contains(&turn.pattern) {
            question.correct += usize::from(turn.is_correct);
            *question.votes.entry(turn.chosen).or_default() += 1;
        }
    }
    questions.into_values().collect()
}

fn turn<'r>(index: usize, row: &'r Row<'_>) -> Result<Turn<'r>, EvaluateError> {
    let wrong = || EvaluateError::WrongKind {
        row: index,
        evaluator: "circular",
        what: "the reference",
        expected: "the question, the right letter A to D and the order of the options, as in '12--C--BCDA'",
        found: row.reference.to_string(),
    };
    let parts: Vec<&str> = row.reference.as_str().ok_or_else(wrong)?.split("--").collect();
    let [question, right, pattern] = parts[..] else { return Err(wrong()) };
    let option = |letter: &str| {
        let place = LETTERS.iter().position(|known| *known == letter);
        place.and_then(|place| pattern.chars().nth(place))
    };
    if pattern.chars().count() < LETTERS.len() {
        return Err(wrong());
    }
    let answered = row.prediction.as_str().unwrap_or_default();
    Ok(Turn {
        question,
        pattern,
        letter: LETTERS.iter().copied().find(|known| *known == answered).unwrap_or(NO_LETTER),
        is_correct: row.prediction == *right,
        right: option(right).ok_or_else(wrong)?,
        chosen: option(answered).unwrap_or('-'),
    })
}
