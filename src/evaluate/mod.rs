//! From answers to figures.
//!
//! An evaluator compares predictions with references and gives metrics, each with its unit and, since
//! it speaks for more questions than were asked, its standard error. Evaluators are pure functions of
//! stored records: they run without the model, and as often as wanted. How a prediction is made out
//! of a generation is `postprocess`'s business, not theirs.

// Grades are functions of one type, and only some of them can fail.
#![allow(clippy::unnecessary_wraps)]

mod acc;
mod acc_drop;
mod acc_with_details;
mod agent;
mod agieval;
mod anls;
mod answer_surprisal;
mod answer_text;
mod arc_prize;
mod auc_roc;
mod average_ppl;
mod biodata;
mod bleu;
mod bounds;
mod by_row;
mod chinese_summary;
mod choice_sets;
mod chosen_model;
mod circular;
mod circular_rows;
pub mod code;
mod common_subsequence;
mod confusion;
mod containment;
mod contamination;
mod correlation;
mod counted_numbers;
mod crowspairs;
mod data_set_parts;
pub mod details;
mod edit_distance;
mod em;
mod error;
mod exact_choice;
mod flores;
mod game24;
mod gaokao;
mod gsm8k;
mod infinitebench;
mod instructions;
pub mod judge;
mod judger_bench;
mod kaoshi;
mod keywords;
mod korbench;
mod language;
mod latex_equality;
mod lawbench;
pub mod lm_eval;
mod longbench;
mod lveval;
mod matbench;
mod math_intern;
mod math_numbers;
mod math_verify;
mod matthews;
mod measured_text;
mod med_calc;
mod medbench;
mod meteor;
mod mixed_words;
mod mm_bench;
mod mrcr;
mod name_conversion;
mod nearest_candidate;
mod needlebench;
mod number_distance;
mod ocr_bench;
mod of_rows;
mod olympiad_bench;
mod open_swi;
mod option_likeness;
mod pi_llm;
mod pmmeval;
mod porter_stem;
mod postprocessed;
mod process_bench;
mod registry;
mod relaxed_accuracy;
mod repeats;
mod results;
mod retrieval;
mod rewriting;
mod rmb;
mod rouge;
mod row;
mod row_kinds;
mod sci_reasoner;
mod scores;
mod sentence_rouge;
mod sequence_matcher;
mod short_answer;
mod squad;
mod standing_letter;
mod super_gpqa;
mod t_eval;
mod table_answer;
mod tabmwp;
mod theoremqa;
mod token_f1;
mod unavailable;
mod yes_or_no;
mod zebra_grid;

use serde_json::{Map, Value};

pub(crate) use self::scores::STATISTICS;
use self::{
    code::Programs,
    judge::{Asked, Judging},
    postprocessed::Postprocessed,
};
pub use self::{
    error::EvaluateError,
    registry::{Constructor, EVALUATORS},
    repeats::{Place, RepeatedScores, Repeats, evaluate as evaluate_repeats, majority},
    results::Results,
    row::Row,
    scores::{Metric, Scores, Unit},
};
use crate::{
    config::{Component, ConfigError},
    postprocess,
};

/// What to do where no WordNet is found.
pub(crate) const WORDNET_HINT: &str = "put NLTK's corpora/wordnet or corpora/wordnet.zip where NLTK looks (NLTK_DATA, \
                                       ~/nltk_data, /usr/share/nltk_data), or wordnet='…' beside type";

/// A metric, or several that belong together.
///
/// ```
/// use surprisal::{config::{Component, Node}, evaluate::{self, Row}};
///
/// let component = Component::parse(&Node::from_json(&"AccEvaluator".into()))?;
/// let evaluator = evaluate::build(&component)?;
/// let rows = Row::zip(vec!["A".into(), "B".into()], vec!["A".into(), "C".into()])?;
/// assert_eq!(evaluator.evaluate(&rows)?.metrics[0].value, 50.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Evaluator: Send + Sync {
    /// Scores all rows of a data set, each row for itself and all together.
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError>;

    /// The scores with what else OpenCompass writes into a results file.
    fn results(&self, rows: &[Row<'_>]) -> Result<Results, EvaluateError> {
        Ok(Results { scores: self.evaluate(rows)?, beside: self.notes(rows)? })
    }

    /// How it asks a judge; nothing for those that ask nobody.
    fn judging(&self) -> Option<&Judging> {
        None
    }

    /// What the judge is to be asked about the rows, in their order. They can be scored once each of them that is
    /// named here has the judge's reply. Where a judge is asked in [several rounds](Judging::rounds), rows with the replies of
    /// the first are asked the same, and behind it what the second asks.
    fn asks(&self, _rows: &[Row<'_>]) -> Result<Vec<Asked>, EvaluateError> {
        Ok(Vec::new())
    }

    /// Whether it runs what a model wrote.
    fn runs_code(&self) -> bool {
        false
    }

    /// The modules that Python needs for it, besides its own.
    fn needed_modules(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether it needs a WordNet and has found none; it scores nothing then.
    fn lacks_wordnet(&self) -> bool {
        false
    }

    /// The programs that are to be run before the rows can be scored.
    fn programs(&self, _rows: &[Row<'_>]) -> Result<Programs, EvaluateError> {
        Ok(Vec::new())
    }

    /// The sentence encoder whose vectors it compares, by folder or name; nothing for those that compare none.
    fn encoder(&self) -> Option<&str> {
        None
    }

    /// The texts of each row that the encoder turns into vectors before the rows can be scored.
    fn texts(&self, _rows: &[Row<'_>]) -> Result<Vec<Vec<String>>, EvaluateError> {
        Ok(Vec::new())
    }

    /// Whether a prediction counts as right, for a metric that compares each with its reference for
    /// equality; nothing for all others.
    fn accepts(&self, _prediction: &Value, _reference: &Value) -> Option<bool> {
        None
    }

    /// The only golds that an answer can be right for, for a metric that knows them.
    fn options(&self) -> Option<&[String]> {
        None
    }

    /// What a results file says beside its figures and rows: the tables and lists that the original tool
    /// writes there.
    fn notes(&self, _rows: &[Row<'_>]) -> Result<Map<String, Value>, EvaluateError> {
        Ok(Map::new())
    }

    /// The rows that have no score in the original tool although they can be scored, or may have another, and why,
    /// for people. Where the original fails on a row it has no figure of the whole data set.
    fn departures(&self, _rows: &[Row<'_>]) -> Vec<(usize, &'static str)> {
        Vec::new()
    }

    /// Whether it reads a prediction that is a list of answers. For any other the answer that most of them are is
    /// the prediction.
    fn reads_lists(&self) -> bool {
        false
    }

    /// Whether a gold that is null says something: that there is nothing to be right about.
    fn reads_null_golds(&self) -> bool {
        false
    }

    /// How many places of a ranking it looks at, if rankings are what it compares.
    fn places(&self) -> Option<usize> {
        None
    }

    /// Whether it cannot be worked out here if an answer is right; it counts as wrong then.
    fn is_undecided(&self, _row: &Row<'_>) -> bool {
        false
    }
}

/// The evaluator that a config names, with the post-processor that it may have of its own.
pub fn build(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
    if let Some(reason) = unavailable::reason(&component.path) {
        return Err(ConfigError::at(&component.origin, reason));
    }
    let construct = EVALUATORS.get(component)?;
    let mut component = component.clone();
    let rule = component.params.remove("pred_postprocessor").filter(|rule| !rule.is_none());
    let rule = rule.map(|rule| postprocess::build(&Component::parse(&rule)?)).transpose();
    let rule = rule.map_err(|error| error.under("pred_postprocessor"))?;
    let evaluator = construct(&component)?;
    Ok(match rule {
        None => evaluator,
        Some(rule) => Box::new(Postprocessed { evaluator, rule }),
    })
}
