//! `rewriting`: whether questions that lean on a dialogue are rewritten as they should be, and whether it is seen that they
//! have to be.
//!
//! The prediction is the rewritten question, as `cot_output` takes it out of an answer; whether the model saw a need is read
//! from the answer itself. An answer in another form than the prompt asked for is counted, and its figures have
//! [bounds](super::bounds). It asks no judge whether another wording means the same: exact match is strict on purpose, and
//! what a rewriting is worth is told by the stages behind it.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    EvaluateError, Evaluator, Row, Scores,
    bounds::{Bounded, UNREADABLE, Worth, listed},
    by_row::Asked,
    mixed_words::{Overlap, mixed_words},
};
use crate::{
    config::{Component, ConfigError},
    dataset::Sample,
    infer::Outcome,
    postprocess::{Verdict, asked_question, default_marker, default_question_column},
    python::blank::strip,
};

const NAME: &str = "rewriting";

/// Compares rewritten questions with their golds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rewriting {
    #[serde(default)]
    form: Form,
    #[serde(default = "default_question_column")]
    question_column: String,
    #[serde(default)]
    need_column: Option<String>,
    #[serde(default = "default_marker")]
    marker: String,
}

/// What the prompt asks for.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Form {
    /// Whether the question has to change, a thought, and the question.
    #[default]
    Reasoned,
    /// The question alone.
    Plain,
}

/// What an answer came to.
struct Said<'r> {
    question: &'r str,
    /// Whether it says that the question has to change; nothing where it cannot be read.
    is_needed: Option<bool>,
}

impl Rewriting {
    /// Reads `form` (`reasoned`, the default, or `plain`), `question_column` (`question`), `need_column` (without it a question
    /// needs rewriting if its gold is another) and `marker` (`OUTPUT QUESTION:`, as in `cot_output`).
    pub(super) fn build(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
        Ok(Box::new(component.read::<Self>()?))
    }

    fn said<'r>(&self, asked: &Asked<'r>, question: &str) -> Result<Said<'r>, EvaluateError> {
        let prediction = strip(asked.prediction()?);
        let differs = prediction != strip(question);
        let said = |is_needed| Ok(Said { question: prediction, is_needed });
        if matches!(asked.row.record.map(|record| &record.outcome), Some(Outcome::Given { .. })) {
            return said((!prediction.is_empty()).then_some(differs));
        }
        if matches!(self.form, Form::Plain) {
            return said((!prediction.is_empty()).then_some(differs));
        }
        let answer = only_answer(asked)?;
        let is_needed = match Verdict::read(answer, &self.marker) {
            Verdict::Changed(_) => Some(true),
            Verdict::Kept => Some(false),
            Verdict::Unreadable(_) => None,
        };
        // The whole answer would be compared with the gold, and never equal it.
        if is_needed.is_some() && differs && prediction == strip(answer) {
            let expected = "the question in its answer, which eval_cfg=dict(pred_postprocessor=dict(type='cot_output'), …) takes out of it";
            return Err(asked.wrong("the prediction", expected, &asked.row.prediction));
        }
        said(is_needed)
    }

    /// Whether a row's question has to change.
    fn needs(&self, asked: &Asked<'_>, question: &str, gold: &str) -> Result<bool, EvaluateError> {
        let Some(column) = &self.need_column else { return Ok(strip(question) != strip(gold)) };
        let none = Sample::default();
        let text = asked_question(asked.row.sample.unwrap_or(&none), column, NAME)
            .map_err(|error| asked.failed(error))?;
        match text.to_lowercase().as_str() {
            "true" | "yes" | "1" => Ok(true),
            "false" | "no" | "0" => Ok(false),
            _ => Err(asked.wrong("the need column", "true or false, Yes or No", &json!(text))),
        }
    }
}

impl Evaluator for Rewriting {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let (mut exact, mut sequence, mut words) = (Vec::new(), Vec::new(), Vec::new());
        let (mut needs, mut details) = (Vec::new(), Vec::new());
        let none = Sample::default();
        for (index, row) in rows.iter().enumerate() {
            let asked = Asked::new(row, index, NAME);
            let question = asked_question(row.sample.unwrap_or(&none), &self.question_column, NAME)
                .map_err(|error| asked.failed(error))?;
            let gold = asked.reference()?;
            let Said { question: written, is_needed } = self.said(&asked, &question)?;
            let needed = self.needs(&asked, &question, gold)?;
            let cut = |text: &str| mixed_words(text).map_err(|error| asked.failed(error));
            let overlap = Overlap::of(&cut(written)?, &cut(gold)?);
            let is_right = written == strip(gold);
            let worth = |share: f64| if is_needed.is_some() { [share; 2] } else { UNREADABLE };
            exact.push(worth(f64::from(u8::from(is_right))));
            sequence.push(worth(overlap.rouge_l));
            words.push(worth(overlap.token_f1));
            needs.push((needed, is_needed));
            details.push(detail([
                ("pred", json!(written)),
                ("answer", json!(gold)),
                ("correct", json!(is_right && is_needed.is_some())),
                ("needs_rewriting", json!(needed)),
                ("says_so", json!(is_needed)),
                ("rouge_l", json!(overlap.rouge_l)),
                ("token_f1", json!(overlap.token_f1)),
            ]));
        }
        let unreadable = needs.iter().filter(|(_, said)| said.is_none()).count();
        let precision: Vec<Worth> = needs.iter().copied().map(precision).collect();
        let recall: Vec<Worth> = needs.iter().copied().map(recall).collect();
        let figures = vec![
            Bounded::of_rows("exact_match", &exact),
            Bounded::of_rows("rouge_l", &sequence),
            Bounded::of_rows("token_f1", &words),
            Bounded::of_rows("need_precision", &precision),
            Bounded::of_rows("need_recall", &recall),
            Bounded::of_all("need_f1", [false, true].map(|side| f1(&needs, side))),
        ];
        Ok(Scores::new(listed(figures, unreadable), rows.len()).with_details(details))
    }
}

/// What the model wrote, whatever a post-processor took out of it.
fn only_answer<'r>(asked: &Asked<'r>) -> Result<&'r str, EvaluateError> {
    let continuations = asked.row.record.map(|record| record.outcome.continuations());
    match continuations.as_deref() {
        Some([only]) => Ok(&only.text),
        Some([_, ..]) => {
            Err(asked.wrong("the prediction", "that of one answer", &asked.row.prediction))
        }
        _ => Err(EvaluateError::NotMeasured {
            row: asked.index,
            evaluator: NAME,
            fields: "answer",
            inferencer: "GenInferencer",
        }),
    }
}

fn detail<const N: usize>(fields: [(&str, Value); N]) -> Map<String, Value> {
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A row's part in the precision: of those that are said to need rewriting.
fn precision((needed, said): (bool, Option<bool>)) -> Worth {
    match (said, needed) {
        (Some(true), _) => [f64::from(u8::from(needed)); 2],
        (Some(false), _) => [f64::NAN; 2],
        (None, true) => [f64::NAN, 1.0],
        (None, false) => [0.0, f64::NAN],
    }
}

/// A row's part in the recall: of those that need rewriting.
fn recall((needed, said): (bool, Option<bool>)) -> Worth {
    match (needed, said) {
        (false, _) => [f64::NAN; 2],
        (true, Some(said)) => [f64::from(u8::from(said)); 2],
        (true, None) => UNREADABLE,
    }
}

/// F1 of the need, with unreadable answers right or wrong; NaN where nothing needs rewriting and nothing is said to.
fn f1(needs: &[(bool, Option<bool>)], unreadable_is_right: bool) -> f64 {
    let (mut hits, mut others) = (0_usize, 0_usize);
    for &(needed, said) in needs {
        match (needed, said.unwrap_or(needed == unreadable_is_right)) {
            (true, true) => hits += 1,
            (false, false) => {}
            _ => others += 1,
        }
    }
    2.0 * hits as f64 / (2 * hits + others) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{config::Node, infer::Record};

    fn figures(
        config: &Value,
        rows: &[(Outcome, &str, &str, &str)],
    ) -> Result<Vec<f64>, EvaluateError> {
        let record = |outcome: &Outcome| Record {
            id: 0,
            gold: None,
            dropped_examples: 0,
            truncated_tokens: 0,
            images: Vec::new(),
            outcome: outcome.clone(),
        };
        let records: Vec<Record> = rows.iter().map(|(outcome, ..)| record(outcome)).collect();
        let samples = rows.iter().map(|(_, _, question, need)| {
            Sample::new(vec![("question".into(), json!(question)), ("need".into(), json!(need))])
        });
        let samples: Vec<Sample> = samples.collect();
        let compared = rows.iter().zip(&records).zip(&samples).map(|((row, record), sample)| {
            let continuation = record.outcome.continuations().first().map(|own| own.text.clone());
            Row {
                prediction: json!(continuation.unwrap_or_else(|| row.1.to_owned())),
                reference: json!(row.1),
                sample: Some(sample),
                record: Some(record),
                ..Row::default()
            }
        });
        let component = Component::parse(&Node::from_json(config)).unwrap();
        let scores =
            Rewriting::build(&component).unwrap().evaluate(&compared.collect::<Vec<_>>())?;
        Ok(scores.metrics.iter().map(|metric| metric.value.round()).collect())
    }

    fn wrote(text: &str) -> Outcome {
        let continuation = crate::infer::Continued { text: text.to_owned(), ..Default::default() };
        Outcome::Generated { prompt: String::new(), messages: None, thinking: None, continuation }
    }

    #[test]
    fn a_plain_answer_says_by_its_question_whether_there_is_a_need() {
        let config = json!({"type": "rewriting", "form": "plain", "need_column": "need"});
        let given = Outcome::Given { prediction: json!("Who?") };
        let rows = [
            (wrote("Who is Ann?\n"), "Who is Ann?", "Who is she?", "Yes"),
            (wrote("Who is she?"), "Who is Ann?", "Who is she?", "Yes"),
            (wrote("Who is Bob?"), "Who is he?", "Who is he?", "no"),
            (given, "Who?", "Who?", "False"),
        ];
        // Exact match, ROUGE-L, F1; precision, recall and F1 of the need; none unreadable.
        assert_eq!(figures(&config, &rows).unwrap(), [50.0, 83.0, 83.0, 50.0, 50.0, 50.0, 0.0]);
        let unclear = [(wrote("Who?"), "Who?", "Who?", "perhaps")];
        let error = figures(&config, &unclear).unwrap_err().to_string();
        assert!(error.contains("needs true or false") && error.contains("perhaps"), "{error}");
    }

    #[test]
    fn unreadable_answers_bound_the_need_from_both_sides() {
        let rows = [
            (wrote("Yes => OUTPUT QUESTION: b"), "b", "a", ""),
            (wrote("perhaps"), "b", "a", ""),
            (wrote("perhaps"), "a", "a", ""),
        ];
        let (needs, said) = ([true, true, false], [Some(true), None, None]);
        let pairs: Vec<(bool, Option<bool>)> = needs.into_iter().zip(said).collect();
        assert!((f1(&pairs, false) - 0.5).abs() < 1e-12 && (f1(&pairs, true) - 1.0).abs() < 1e-12);
        // The first answer was not taken apart.
        let error = figures(&json!({"type": "rewriting"}), &rows).unwrap_err().to_string();
        assert!(error.contains("cot_output"), "{error}");
        let found = figures(&json!({"type": "rewriting"}), &rows[1..]).unwrap();
        let expected =
            [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 100.0, 100.0, 100.0, 100.0, 100.0, 100.0, 2.0];
        assert_eq!(found, expected);
    }
}
