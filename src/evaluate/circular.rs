//! `circular`: multiple-choice questions asked again with their options turned round.
//!
//! A model that only likes a letter is right in one of four turns. A reference says the question, the
//! right letter and which option stands where: `12--C--BCDA`.

use super::{EvaluateError, Evaluator, Metric, Row, Scores};
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
    /// The place among [`LETTERS`] of the one that was answered; behind them if none was.
    letter: usize,
    is_correct: bool,
    /// The right option, as it was written.
    right: char,
    /// The option that was answered, as it was written.
    chosen: char,
}

/// What is known of one question over all four turns, or over the plain one.
#[derive(Default)]
struct Question {
    first_row: usize,
    /// How many rows ask it, in whatever order.
    turns: usize,
    /// How many of them answer which of [`LETTERS`], and none last.
    letters: [usize; LETTERS.len() + 1],
    /// How many are right, of those in the orders that count.
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

        let share = |name: &str, questions: &[Question], worth: &dyn Fn(&Question) -> f64| {
            let worth = questions.iter().map(|own| (own.first_row, worth(own)));
            Metric::of_questions(name, rows.len(), worth)
        };
        // Of all rows, as the original has it: where some have failed, questions have fewer turns.
        let of_rows = |name: &str, value: f64, worth: &dyn Fn(&Question) -> f64| Metric {
            value: 100.0 * value / rows.len() as f64,
            ..share(name, &all, worth)
        };
        let right = |questions: &[Question]| -> f64 {
            questions.iter().map(|own| own.correct as f64).sum()
        };
        let mut metrics = vec![
            of_rows("acc_4", right(&all), &|own| own.correct as f64 / own.turns as f64),
            Metric {
                value: 4.0 * 100.0 * right(&plain) / rows.len() as f64,
                ..share("acc_1", &plain, &|own| own.correct as f64)
            },
        ];
        for (name, questions, most) in [("1", &plain, 1), ("4", &all, 4)] {
            for least in 0..=most {
                let name = format!("more_{name}_{least}");
                metrics.push(share(&name, questions, &|own| flag(own.correct >= least)));
            }
        }
        metrics.push(share("perf_1", &plain, &|own| flag(own.correct >= 1)));
        metrics.push(share("perf_4", &all, &|own| flag(own.correct >= 4)));
        for (name, questions) in [("vote_4", &all), ("vote_1", &plain)] {
            metrics.push(share(name, questions, &|own| flag(own.is_voted())));
        }
        for (place, letter) in LETTERS.iter().chain([&NO_LETTER]).enumerate() {
            let count = |own: &Question| own.letters.get(place).copied().unwrap_or_default() as f64;
            let total = all.iter().map(count).sum();
            let name = format!("prior_{letter}");
            metrics.push(of_rows(&name, total, &|own| count(own) / own.turns as f64));
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

fn flag(is_true: bool) -> f64 {
    f64::from(u8::from(is_true))
}

/// The questions in the order in which they first stand.
fn questions(turns: &[Turn<'_>], patterns: &[&str]) -> Vec<Question> {
    let mut questions: IndexMap<&str, Question> = IndexMap::new();
    for (first_row, turn) in turns.iter().enumerate() {
        let start = || Question { first_row, ..Question::default() };
        let question = questions.entry(turn.question).or_insert_with(start);
        question.turns += 1;
        if let Some(count) = question.letters.get_mut(turn.letter) {
            *count += 1;
        }
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
        letter: LETTERS.iter().position(|known| *known == answered).unwrap_or(LETTERS.len()),
        is_correct: row.prediction == *right,
        right: option(right).ok_or_else(wrong)?,
        chosen: option(answered).unwrap_or('-'),
    })
}
