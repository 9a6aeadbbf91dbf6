//! `yes_or_no`: verdicts on images, as POPE asks for them, and how often yes is said whatever is asked.
//!
//! Figures are those of Li et al. 2023 (POPE), a yes being what is looked for. How a verdict is read is `VLMEvalKit`'s rule
//! (`YOrN_Extraction`): without punctuation, an answer that has the word yes or the word no, and not both. Anything else is
//! neither: it counts as wrong and as no yes, is counted as `unread`, and is told. lmms-eval compares the whole answer, and its
//! `yes_ratio` is that of the golds; the authors' script takes whatever has no no for a yes.

use serde_json::{Map, Value, json};

use super::{
    EvaluateError, Evaluator, Metric, Row, Scores, Unit,
    by_row::Asked,
    confusion::Confusion,
    row_kinds::{column_of_kinds, rows_by_kind},
};
use crate::{
    config::{Component, ConfigError},
    python::{blank::strip, decimal_digit, is_blank},
};

const NAME: &str = "yes_or_no";

/// Signs that are dropped, or stand for a blank.
const SIGNS: &str = ";/[]\"{}()=+\\_-><@`,?!";

/// How many full stops are dropped: the original hands the flag of Unicode over where their number is expected.
const MOST_STOPS: usize = 32;

/// Accuracy, precision, recall, F1 and the share of yes, also by the kinds of rows.
pub(super) struct YesOrNo {
    /// The column that names the kind of a row.
    by: Option<String>,
}

/// What was meant and what was said.
struct Verdict {
    is_yes: bool,
    said: Option<bool>,
}

impl YesOrNo {
    /// Reads `by`, the column of kinds, if there is one.
    pub(super) fn build(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
        Ok(Box::new(Self { by: column_of_kinds(component)? }))
    }
}

impl Verdict {
    fn of(asked: &Asked<'_>) -> Result<Self, EvaluateError> {
        let is_yes = match strip(asked.reference()?).to_lowercase().as_str() {
            "yes" => true,
            "no" => false,
            _ => return Err(asked.unreadable_reference("yes or no")),
        };
        Ok(Self { is_yes, said: said(asked.prediction()?) })
    }

    fn is_right(&self) -> bool {
        self.said == Some(self.is_yes)
    }
}

impl Evaluator for YesOrNo {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let verdict = |(index, row)| Verdict::of(&Asked::new(row, index, NAME));
        let verdicts: Vec<Verdict> =
            rows.iter().enumerate().map(verdict).collect::<Result<_, _>>()?;
        let all: Vec<usize> = (0..rows.len()).collect();
        let mut metrics = figures("", &verdicts, &all);
        if let Some(column) = &self.by {
            for (kind, own) in rows_by_kind(rows, NAME, column)? {
                metrics.extend(figures(&format!("_{kind}"), &verdicts, &own));
            }
        }
        let word = |is_yes| if is_yes { "yes" } else { "no" };
        let detail = |(row, verdict): (&Row<'_>, &Verdict)| {
            let detail = json!({
                "pred": row.prediction,
                "said": verdict.said.map(word),
                "answer": word(verdict.is_yes),
                "correct": verdict.is_right(),
            });
            detail.as_object().cloned().unwrap_or_default()
        };
        let details: Vec<Map<String, Value>> = rows.iter().zip(&verdicts).map(detail).collect();
        Ok(Scores::new(metrics, rows.len()).with_details(details))
    }

    fn is_undecided(&self, row: &Row<'_>) -> bool {
        row.prediction.as_str().is_some_and(|answer| said(answer).is_none())
    }
}

/// The figures of the verdicts at these places, their names ending in the same.
fn figures(ending: &str, verdicts: &[Verdict], places: &[usize]) -> Vec<Metric> {
    let own: Vec<&Verdict> = places.iter().map(|&place| &verdicts[place]).collect();
    let part = |is: &dyn Fn(&Verdict) -> Option<bool>| {
        let mut part = vec![None; verdicts.len()];
        for &place in places {
            part[place] = is(&verdicts[place]);
        }
        part
    };
    let share = |name: &str, is: &dyn Fn(&Verdict) -> Option<bool>| {
        let share = Metric::of_part(&format!("{name}{ending}"), &part(is));
        // As published, the share of no rows is 0.
        let value = if share.value.is_nan() { 0.0 } else { share.value };
        Metric { value, ..share }
    };
    let says_yes = |verdict: &Verdict| verdict.said == Some(true);
    let counts = Confusion::of(own.iter().map(|verdict| (verdict.is_yes, says_yes(verdict))));
    let f1 = 100.0 * counts.f1();
    let f1_score = Metric::of_some(&format!("f1_score{ending}"), Unit::Percent, f1, places.len());
    let unread = part(&|verdict| Some(verdict.said.is_none()));
    vec![
        share("accuracy", &|verdict| Some(verdict.is_right())),
        share("precision", &|verdict| says_yes(verdict).then_some(verdict.is_yes)),
        share("recall", &|verdict| verdict.is_yes.then(|| says_yes(verdict))),
        f1_score,
        share("yes_ratio", &|verdict| Some(says_yes(verdict))),
        Metric::count_of_part(&format!("unread{ending}"), &unread),
    ]
}

/// Whether an answer says yes; nothing where it says neither or both.
fn said(answer: &str) -> Option<bool> {
    let words = without_punctuation(&answer.to_lowercase());
    let has = |wanted: &str| words.split(is_blank).any(|word| word == wanted);
    match (has("yes"), has("no")) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}

/// The text as `VLMEvalKit`'s `process_punctuation`, which is that of the VQA challenge, leaves it: a sign that has a blank at
/// its side anywhere is dropped everywhere, another one becomes a blank; full stops go where no digit follows.
fn without_punctuation(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let is_digit = |letter: Option<&char>| letter.is_some_and(|&own| decimal_digit(own).is_some());
    let has_number_with_comma = letters
        .windows(3)
        .any(|own| own[1] == ',' && is_digit(own.first()) && is_digit(own.last()));
    let is_beside_blank = |sign: char| {
        letters
            .windows(2)
            .any(|own| (own[0] == sign && own[1] == ' ') || (own[0] == ' ' && own[1] == sign))
    };
    let dropped: Vec<char> =
        SIGNS.chars().filter(|&sign| has_number_with_comma || is_beside_blank(sign)).collect();
    let kept: Vec<char> = letters
        .iter()
        .filter(|letter| !dropped.contains(letter))
        .map(|&letter| if SIGNS.contains(letter) { ' ' } else { letter })
        .collect();
    let mut stops = 0;
    let mut clean = String::with_capacity(text.len());
    for (place, &letter) in kept.iter().enumerate() {
        if letter == '.' && stops < MOST_STOPS && !is_digit(kept.get(place + 1)) {
            stops += 1;
        } else {
            clean.push(letter);
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Sample;

    #[test]
    fn verdicts_are_read_as_published() {
        for (answer, expected) in [
            ("Yes", Some(true)),
            ("no.", Some(false)),
            ("Yes, there is a dog.", Some(true)),
            ("YES,it is", Some(true)),
            ("No - it does not.", Some(false)),
            ("\"no\"", Some(false)),
            ("There is no dog, so yes", None),
            ("yes/no", None),
            ("", None),
            ("Yes: a dog", None),
            ("**Yes**", None),
            ("yesterday", None),
            ("not here", None),
            ("Yes.No", None),
            ("是", None),
            ("Yes 1,000 of them!", Some(true)),
            // A comma in a number makes the sign vanish, and the words become one.
            ("yes,1,000", None),
            ("yes\u{a0}sir", Some(true)),
        ] {
            assert_eq!(said(answer), expected, "{answer:?}");
        }
        let stops = ".".repeat(40);
        assert_eq!(without_punctuation(&stops).len(), 8);
    }

    fn scores(by: Option<&str>, rows: &[(&str, &str, &str)]) -> Scores {
        let samples: Vec<Sample> = rows
            .iter()
            .map(|(.., kind)| Sample::new(vec![("category".to_owned(), Value::from(*kind))]))
            .collect();
        let rows: Vec<Row<'_>> = rows
            .iter()
            .zip(&samples)
            .map(|((answer, gold, _), sample)| Row {
                prediction: (*answer).into(),
                reference: (*gold).into(),
                sample: Some(sample),
                ..Row::default()
            })
            .collect();
        let own = YesOrNo { by: by.map(str::to_owned) };
        assert!(rows.iter().filter(|row| own.is_undecided(row)).count() <= 1);
        own.evaluate(&rows).unwrap()
    }

    #[test]
    fn figures_are_those_counted_by_hand() {
        // Two yes of three found, one no of two, one answer that is neither: tp 2, fp 1, tn 1, fn 1.
        let rows = [
            ("Yes.", "yes", "random"),
            ("yes", "Yes", "popular"),
            ("maybe", "yes", "popular"),
            ("No", "no", "random"),
            ("yes", "no", "adversarial"),
        ];
        let found = scores(None, &rows);
        let expected = [
            ("accuracy", 60.0),
            ("precision", 200.0 / 3.0),
            ("recall", 200.0 / 3.0),
            ("f1_score", 200.0 / 3.0),
            ("yes_ratio", 60.0),
            ("unread", 1.0),
        ];
        assert_eq!(found.metrics.len(), expected.len());
        for (metric, (name, value)) in found.metrics.iter().zip(expected) {
            assert_eq!(metric.name, name);
            assert!((metric.value - value).abs() < 1e-9, "{name}: {}", metric.value);
        }
        let by_kind = scores(Some("category"), &rows);
        let figure = |name: &str| {
            let found = by_kind.metrics.iter().find(|metric| metric.name == name);
            found.map(|metric| (metric.value, metric.samples(5)))
        };
        assert_eq!(figure("accuracy_popular"), Some((50.0, 2)));
        assert_eq!(figure("recall_popular"), Some((50.0, 2)));
        // Nobody looks for a yes there, and one is found: no recall, no precision.
        assert_eq!(figure("f1_score_adversarial"), Some((0.0, 1)));
        assert_eq!(figure("precision_adversarial"), Some((0.0, 1)));
        assert_eq!(figure("recall_adversarial"), Some((0.0, 0)));
        assert_eq!(figure("yes_ratio_random"), Some((50.0, 2)));
        assert_eq!(figure("unread_popular"), Some((1.0, 2)));
    }

    #[test]
    fn a_gold_that_is_neither_is_an_error() {
        let rows = Row::zip(vec!["yes".into()], vec!["A".into()]).unwrap();
        let error = YesOrNo { by: None }.evaluate(&rows).unwrap_err().to_string();
        assert!(error.contains("row 0: yes_or_no needs yes or no"), "{error}");
    }
}
