//! From answers to figures.
//!
//! An evaluator compares predictions with references and gives metrics, each with its unit and, since
//! it speaks for more questions than were asked, its standard error. Evaluators are pure functions of
//! stored records: they run without the model, and as often as wanted. How a prediction is made out
//! of a generation is `postprocess`'s business, not theirs.

// Grades are functions of one type, and only some of them can fail.
#![allow(clippy::unnecessary_wraps)]

mod acc;
mod acc_with_details;
mod average_ppl;
mod by_row;
mod circular;
mod circular_rows;
mod containment;
mod counted_numbers;
pub mod details;
mod em;
mod error;
mod gaokao;
mod gsm8k;
mod language;
mod latex_equality;
mod needlebench;
mod postprocessed;
mod repeats;
mod row;
mod scores;
mod short_answer;
mod token_f1;

use serde::Deserialize;
use serde_json::Value;

pub(crate) use self::scores::STATISTICS;
use self::{
    acc::Acc,
    acc_with_details::AccWithDetails,
    average_ppl::AveragePpl,
    by_row::ByRow,
    circular::Circular,
    circular_rows::CircularRows,
    em::ExactMatch,
    gaokao::{Gaokao, Uncompared},
    latex_equality::LatexEquality,
    needlebench::Parallel,
    postprocessed::Postprocessed,
    token_f1::TokenF1,
};
pub use self::{
    error::EvaluateError,
    repeats::{Place, RepeatedScores, Repeats, evaluate as evaluate_repeats, majority},
    row::Row,
    scores::{Metric, Scores, Unit},
};
use crate::{
    config::{Component, ConfigError},
    postprocess,
    registry::{Registration, Registry},
};

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

    /// Whether a prediction counts as right, for a metric that compares each with its reference for
    /// equality; nothing for all others.
    fn accepts(&self, _prediction: &Value, _reference: &Value) -> Option<bool> {
        None
    }

    /// Whether it reads a prediction that is a list of answers. For any other the answer that most of them are is
    /// the prediction.
    fn reads_lists(&self) -> bool {
        false
    }
}

/// Makes an evaluator from its parameters in a config.
pub type Constructor = fn(&Component) -> Result<Box<dyn Evaluator>, ConfigError>;

/// All evaluators.
// An evaluator is a line, however long.
#[rustfmt::skip]
pub const EVALUATORS: Registry<Constructor> = Registry {
    kind: "evaluator",
    registrations: &[
        Registration::new("acc", &["AccEvaluator"], "share of predictions that equal the gold as text", |component| plain(component, Acc)),
        Registration::new("acc_with_details", &["AccwithDetailsEvaluator"], "acc by value instead of by text: 1 equals 1.0 and not '1'; every comparison is kept", |component| plain(component, AccWithDetails)),
        Registration::new("average_ppl", &["AveragePPLEvaluator"], "mean of what ppl_only measures, in nats a token", |component| plain(component, AveragePpl)),
        Registration::new("babilong", &["BabiLongEvaluator"], "share of predictions whose first sentence contains the gold", |component| plain(component, ByRow::new("babilong", containment::babilong).rounded())),
        Registration::new("bbeh", &["BBEHEvaluator"], "share of short answers that equal the gold but for quotes and blanks", |component| plain(component, ByRow::new("bbeh", short_answer::extra_hard))),
        Registration::new("bbeh_mcq", &["BBEHEvaluator_mcq"], "share of options that equal the gold but for parentheses", |component| plain(component, ByRow::new("bbeh_mcq", short_answer::extra_hard_mcq))),
        Registration::new("bbh", &["BBHEvaluator"], "share of short answers that equal the gold's, in any case", |component| plain(component, ByRow::new("bbh", short_answer::freeform))),
        Registration::new("bbh_mcq", &["BBHEvaluator_mcq", "CharmReasonEvaluator"], "share of predictions that equal the gold, with every comparison kept", |component| plain(component, ByRow::new("bbh_mcq", short_answer::mcq))),
        Registration::new("circular", &["CircularEvaluator"], "shares of questions that are right however their options are turned", |component| plain(component, Circular)),
        Registration::new("circular_rows", &["datasets.circular.CircularEvaluator", "datasets.CircularEvaluator"], "the same for rows that say in which order their options stand", CircularRows::build),
        Registration::new("em", &["EMEvaluator"], "share of predictions that equal one of the golds, in normalised spelling", |component| plain(component, ExactMatch)),
        Registration::new("gaokao_five_out_of_seven", &["GaokaoBenchEvaluator_five_out_of_seven"], "share of gaps that have the right sentence", |component| plain(component, Gaokao::FiveOutOfSeven)),
        Registration::new("gaokao_multi_choice", &["GaokaoBenchEvaluator_multi_choice"], "points for several options in one answer, half for a part of them", |component| plain(component, Gaokao::MultiChoice)),
        Registration::new("gaokao_multi_question_choice", &["GaokaoBenchEvaluator_multi_question_choice"], "share of questions, several to a row, with the right option", |component| plain(component, Gaokao::MultiQuestionChoice)),
        Registration::new("gaokao_single_choice", &["GaokaoBenchEvaluator_single_choice"], "share of predictions that name the right option last", |component| plain(component, Gaokao::SingleChoice)),
        Registration::new("gaokao_uncompared", &["GaokaoBenchEvaluator_cloze", "GaokaoBenchEvaluator_subjective", "GaokaoBenchEvaluator_correction"], "always 0: answers in words are not compared, as in OpenCompass", |component| plain(component, Uncompared)),
        Registration::new("gsm8k", &["Gsm8kEvaluator"], "share of predictions that are the gold as a number", |component| plain(component, ByRow::new("gsm8k", gsm8k::grade).called("accuracy"))),
        Registration::new("lambada", &["LambadaEvaluator"], "share of predictions that begin with the gold's word", |component| plain(component, ByRow::new("lambada", containment::lambada).called("accuracy"))),
        Registration::new("longbench_count", &["LongBenchCountEvaluator"], "share of the numbers in a prediction that are the gold", |component| plain(component, ByRow::new("longbench_count", counted_numbers::count))),
        Registration::new("longbench_f1", &["LongBenchF1Evaluator"], "F1 of words against the gold that fits best, in English or Chinese", TokenF1::build),
        Registration::new("longbench_retrieval", &["LongBenchRetrievalEvaluator"], "share of the numbers in a prediction that are the gold paragraph's", counted_numbers::retrieval),
        Registration::new("math", &["MATHEvaluator"], "share of formulas that are written as the gold is, but for spellings that do not matter", LatexEquality::build),
        Registration::new("mgsm", &["MGSM_Evaluator"], "share of predictions that equal the gold", |component| plain(component, ByRow::new("mgsm", short_answer::mgsm).called("accuracy"))),
        Registration::new("needlebench_atc", &["NeedleBenchATCEvaluator"], "share of names that equal the gold but for blanks", |component| plain(component, ByRow::new("needlebench_atc", needlebench::ancestor))),
        Registration::new("needlebench_multi", &["NeedleBenchMultiEvaluator"], "share of the keywords of several needles that are found", |component| plain(component, ByRow::new("needlebench_multi", needlebench::multi))),
        Registration::new("needlebench_origin", &["NeedleBenchOriginEvaluator"], "a needle's keyword, or a fifth of the likeness to its sentence", needlebench::origin),
        Registration::new("needlebench_origin_v2", &["needlebench_v2.origin.NeedleBenchOriginEvaluator"], "share of predictions with the needle's keyword", |component| plain(component, ByRow::new("needlebench_origin_v2", needlebench::origin_v2))),
        Registration::new("needlebench_parallel", &["NeedleBenchParallelEvaluator"], "share of needles that are found, for each depth and over all", |component| plain(component, Parallel)),
        Registration::new("nq", &["NQEvaluator"], "share of predictions that contain one of the golds, behind 'answer is'", |component| plain(component, ByRow::new("nq", containment::natural_questions))),
        Registration::new("nq_cn", &["NQEvaluatorCN"], "share of predictions that equal one of the golds, in Chinese", |component| plain(component, ByRow::new("nq_cn", containment::natural_questions_cn))),
        Registration::new("ruler", &["RulerNiahEvaluator", "RulerVtEvaluator", "RulerCweEvaluator", "RulerFweEvaluator"], "share of the expected words that are found", |component| plain(component, ByRow::new("ruler", containment::share_of_words).rounded())),
        Registration::new("ruler_qa", &["RulerQaEvaluator"], "share of predictions that contain one of the golds, in any case", |component| plain(component, ByRow::new("ruler_qa", containment::any_word).rounded())),
        Registration::new("triviaqa", &["TriviaQAEvaluator"], "share of predictions that contain one of the golds, behind their introduction", |component| plain(component, ByRow::new("triviaqa", containment::triviaqa))),
    ],
};

/// The evaluator that a config names, with the post-processor that it may have of its own.
pub fn build(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
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

/// What an evaluator without parameters accepts in its dict besides `type`: nothing.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoParameters {}

fn plain(
    component: &Component,
    evaluator: impl Evaluator + 'static,
) -> Result<Box<dyn Evaluator>, ConfigError> {
    component.read::<NoParameters>()?;
    Ok(Box::new(evaluator))
}
