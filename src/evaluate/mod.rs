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
mod agieval;
mod average_ppl;
mod biodata;
mod by_row;
mod circular;
mod circular_rows;
mod confusion;
mod containment;
mod contamination;
mod correlation;
mod counted_numbers;
mod crowspairs;
pub mod details;
mod em;
mod error;
mod exact_choice;
mod gaokao;
mod gsm8k;
mod instructions;
mod korbench;
mod language;
mod latex_equality;
mod matbench;
mod measured_text;
mod needlebench;
mod of_rows;
mod open_swi;
mod option_likeness;
mod pi_llm;
mod pmmeval;
mod postprocessed;
mod process_bench;
mod repeats;
mod row;
mod s3eval;
mod sci_reasoner;
mod scores;
mod short_answer;
mod standing_letter;
mod super_gpqa;
mod token_f1;
mod unavailable;
mod zebra_grid;

use serde::Deserialize;
use serde_json::{Map, Value};

pub(crate) use self::scores::STATISTICS;
use self::{
    acc::Acc,
    acc_with_details::AccWithDetails,
    average_ppl::AveragePpl,
    by_row::ByRow,
    circular::Circular,
    circular_rows::CircularRows,
    crowspairs::Crowspairs,
    em::ExactMatch,
    gaokao::{Gaokao, Uncompared},
    instructions::{IfEval, MultiIf, MultilingualIfEval},
    latex_equality::LatexEquality,
    needlebench::Parallel,
    of_rows::OfRows,
    option_likeness::OptionLikeness,
    pi_llm::PiLlm,
    postprocessed::Postprocessed,
    sci_reasoner::{DockedPairs, Property, TmScore},
    standing_letter::ProteinLmBench,
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
        Registration::new("acc_contamination", &["AccContaminationEvaluator"], "accuracy apart for questions that a web search has found, and that it has not", |component| plain(component, OfRows::new(contamination::scores))),
        Registration::new("acc_score_str", &["AccScoreStr_Evaluator"], "share of predictions that contain the gold, in any case", |component| plain(component, ByRow::new("acc_score_str", exact_choice::contained).called("ACCStrScore"))),
        Registration::new("acc_with_details", &["AccwithDetailsEvaluator"], "acc by value instead of by text: 1 equals 1.0 and not '1'; every comparison is kept", |component| plain(component, AccWithDetails)),
        Registration::new("agieval", &["AGIEvalEvaluator"], "share of solutions whose last formula is written as the gold is", |component| plain(component, ByRow::new("agieval", agieval::grade))),
        Registration::new("agieval_mcq", &["AGIEvalEvaluator_mcq"], "share of predictions that equal the gold by value", |component| plain(component, ByRow::new("agieval_mcq", exact_choice::equal))),
        Registration::new("average_inference_ppl", &["AverageInferencePPLEvaluator"], "surprisal of all texts over all their tokens, in nats a token", |component| plain(component, OfRows::new(measured_text::by_token))),
        Registration::new("average_ppl", &["AveragePPLEvaluator"], "mean of what ppl_only measures, in nats a token", |component| plain(component, AveragePpl)),
        Registration::new("babilong", &["BabiLongEvaluator"], "share of predictions whose first sentence contains the gold", |component| plain(component, ByRow::new("babilong", containment::babilong).rounded())),
        Registration::new("bbeh", &["BBEHEvaluator"], "share of short answers that equal the gold but for quotes and blanks", |component| plain(component, ByRow::new("bbeh", short_answer::extra_hard))),
        Registration::new("bbeh_mcq", &["BBEHEvaluator_mcq"], "share of options that equal the gold but for parentheses", |component| plain(component, ByRow::new("bbeh_mcq", short_answer::extra_hard_mcq))),
        Registration::new("bbh", &["BBHEvaluator"], "share of short answers that equal the gold's, in any case", |component| plain(component, ByRow::new("bbh", short_answer::freeform))),
        Registration::new("bbh_mcq", &["BBHEvaluator_mcq", "CharmReasonEvaluator"], "share of predictions that equal the gold, with every comparison kept", |component| plain(component, ByRow::new("bbh_mcq", short_answer::mcq))),
        Registration::new("biodata_acc", &["BiodataAccEvaluator"], "share of boxed labels that equal the gold", |component| plain(component, ByRow::new("biodata_acc", biodata::accuracy).called("acc"))),
        Registration::new("biodata_auc", &["BiodataAucEvaluator"], "mean area under the ROC curve over labels", biodata::Auc::build),
        Registration::new("biodata_mcc", &["BiodataMCCEvaluator"], "Matthews' correlation of yes and no, in per cent", |component| plain(component, OfRows::new(biodata::matthews))),
        Registration::new("biodata_mixed_score", &["BiodataMixedScoreEvaluator"], "how near numbers are, and whether the small ones are found", |component| plain(component, OfRows::new(biodata::mixed))),
        Registration::new("biodata_pcc", &["BiodataPCCEvaluator"], "Pearson's correlation of the numbers in records, in per cent", |component| plain(component, OfRows::new(biodata::pearson_of_records).departing(biodata::pearson_departures))),
        Registration::new("biodata_r2", &["BiodataR2Evaluator"], "the square of Pearson's correlation, in per cent", |component| plain(component, OfRows::new(biodata::r_squared).departing(biodata::r_squared_departures))),
        Registration::new("biodata_spearman", &["BiodataSpearmanEvaluator"], "Spearman's correlation, in per cent", |component| plain(component, OfRows::new(biodata::spearman_of_numbers))),
        Registration::new("bpc", &["BPCEvaluator"], "bits for each character of a text", |component| plain(component, OfRows::new(measured_text::bits_per_character))),
        Registration::new("circular", &["CircularEvaluator"], "shares of questions that are right however their options are turned", |component| plain(component, Circular)),
        Registration::new("circular_option_likeness", &["CircularOptionSimAccEvaluator"], "the same for free answers, each of which means the option that it is most like", CircularRows::build_free),
        Registration::new("circular_rows", &["datasets.circular.CircularEvaluator", "datasets.CircularEvaluator"], "the same for rows that say in which order their options stand", CircularRows::build),
        Registration::new("crowspairs", &["CrowspairsEvaluator"], "accuracy over all predictions and over those that are an answer", |component| plain(component, Crowspairs)),
        Registration::new("elbench_choice", &["ELBenchChoiceEvaluator"], "share of predictions with the gold's set of letters", |component| plain(component, ByRow::new("elbench_choice", exact_choice::letter_set).called("accuracy"))),
        Registration::new("em", &["EMEvaluator"], "share of predictions that equal one of the golds, in normalised spelling", |component| plain(component, ExactMatch)),
        Registration::new("gaokao_five_out_of_seven", &["GaokaoBenchEvaluator_five_out_of_seven"], "share of gaps that have the right sentence", |component| plain(component, Gaokao::FiveOutOfSeven)),
        Registration::new("gaokao_multi_choice", &["GaokaoBenchEvaluator_multi_choice"], "points for several options in one answer, half for a part of them", |component| plain(component, Gaokao::MultiChoice)),
        Registration::new("gaokao_multi_question_choice", &["GaokaoBenchEvaluator_multi_question_choice"], "share of questions, several to a row, with the right option", |component| plain(component, Gaokao::MultiQuestionChoice)),
        Registration::new("gaokao_single_choice", &["GaokaoBenchEvaluator_single_choice"], "share of predictions that name the right option last", |component| plain(component, Gaokao::SingleChoice)),
        Registration::new("gaokao_uncompared", &["GaokaoBenchEvaluator_cloze", "GaokaoBenchEvaluator_subjective", "GaokaoBenchEvaluator_correction"], "always 0: answers in words are not compared, as in OpenCompass", |component| plain(component, Uncompared)),
        Registration::new("gpqa", &["GPQAEvaluator"], "share of predictions that equal the gold by value", |component| plain(component, ByRow::new("gpqa", exact_choice::equal).called("accuracy"))),
        Registration::new("gsm8k", &["Gsm8kEvaluator"], "share of predictions that are the gold as a number", |component| plain(component, ByRow::new("gsm8k", gsm8k::grade).called("accuracy"))),
        Registration::new("gue", &["GUE_Evaluator"], "Matthews' correlation of positive and negative, in per cent", |component| plain(component, OfRows::new(sci_reasoner::genome))),
        Registration::new("ifeval", &["IFEvaluator"], "shares of prompts and of instructions that are followed, strictly and loosely", |component| plain(component, IfEval)),
        Registration::new("korbench", &["korbenchEvaluator"], "share of answers in double brackets that are right by the rule of their question", |component| plain(component, ByRow::new("korbench", korbench::grade).called("accuracy"))),
        Registration::new("lambada", &["LambadaEvaluator"], "share of predictions that begin with the gold's word", |component| plain(component, ByRow::new("lambada", containment::lambada).called("accuracy"))),
        Registration::new("llm4mat", &["LLM4Mat_Evaluator"], "errors of numbers, or the area under the ROC curve of labels", |component| plain(component, OfRows::new(sci_reasoner::materials))),
        Registration::new("longbench_count", &["LongBenchCountEvaluator"], "share of the numbers in a prediction that are the gold", |component| plain(component, ByRow::new("longbench_count", counted_numbers::count))),
        Registration::new("longbench_f1", &["LongBenchF1Evaluator"], "F1 of words against the gold that fits best, in English or Chinese", TokenF1::build),
        Registration::new("longbench_retrieval", &["LongBenchRetrievalEvaluator"], "share of the numbers in a prediction that are the gold paragraph's", counted_numbers::retrieval),
        Registration::new("matbench_classification", &["MatbenchEvaluator_classification"], "accuracy, precision, recall and F1 of yes and no, from 0 to 1", |component| plain(component, OfRows::new(matbench::classification))),
        Registration::new("matbench_classification_glass", &["MatbenchEvaluator_classification_glass"], "the same of has and has not", |component| plain(component, OfRows::new(matbench::glass))),
        Registration::new("matbench_regression", &["MatbenchEvaluator_regression"], "mean absolute error of numbers", |component| plain(component, OfRows::new(matbench::regression))),
        Registration::new("math", &["MATHEvaluator"], "share of formulas that are written as the gold is, but for spellings that do not matter", LatexEquality::build),
        Registration::new("medbullets", &["MedbulletsEvaluator"], "share of predictions whose first standing letter is the gold", |component| plain(component, ByRow::new("medbullets", standing_letter::medbullets).called("accuracy"))),
        Registration::new("medmcqa", &["MedmcqaEvaluator"], "share of predictions whose first standing letter is the gold", |component| plain(component, ByRow::new("medmcqa", standing_letter::medmcqa).called("accuracy"))),
        Registration::new("medxpertqa", &["MedXpertQAEvaluator"], "share of predictions whose first standing letter is the gold", |component| plain(component, ByRow::new("medxpertqa", standing_letter::medxpertqa).called("accuracy"))),
        Registration::new("mgsm", &["MGSM_Evaluator"], "share of predictions that equal the gold", |component| plain(component, ByRow::new("mgsm", short_answer::mgsm).called("accuracy"))),
        Registration::new("mmlu_pro_base", &["MMLUProBaseEvaluator"], "share of first lines that are the gold's letter or words", |component| plain(component, ByRow::new("mmlu_pro_base", exact_choice::letter_or_words).called("accuracy"))),
        Registration::new("multi_if", &["MultiIFEvaluator"], "shares of prompts and of instructions that are followed, by turn", |component| plain(component, MultiIf)),
        Registration::new("musr", &["MusrEvaluator"], "share of predictions with the gold's number behind ANSWER:", exact_choice::musr_with_parameters),
        Registration::new("needlebench_atc", &["NeedleBenchATCEvaluator"], "share of names that equal the gold but for blanks", |component| plain(component, ByRow::new("needlebench_atc", needlebench::ancestor))),
        Registration::new("needlebench_multi", &["NeedleBenchMultiEvaluator"], "share of the keywords of several needles that are found", |component| plain(component, ByRow::new("needlebench_multi", needlebench::multi))),
        Registration::new("needlebench_origin", &["NeedleBenchOriginEvaluator"], "a needle's keyword, or a fifth of the likeness to its sentence", needlebench::origin),
        Registration::new("needlebench_origin_v2", &["needlebench_v2.origin.NeedleBenchOriginEvaluator"], "share of predictions with the needle's keyword", |component| plain(component, ByRow::new("needlebench_origin_v2", needlebench::origin_v2))),
        Registration::new("needlebench_parallel", &["NeedleBenchParallelEvaluator"], "share of needles that are found, for each depth and over all", |component| plain(component, Parallel)),
        Registration::new("nejmaibench", &["NejmaibenchEvaluator"], "share of predictions whose first standing letter is the gold", |component| plain(component, ByRow::new("nejmaibench", standing_letter::nejm).called("accuracy"))),
        Registration::new("nq", &["NQEvaluator"], "share of predictions that contain one of the golds, behind 'answer is'", |component| plain(component, ByRow::new("nq", containment::natural_questions))),
        Registration::new("nq_cn", &["NQEvaluatorCN"], "share of predictions that equal one of the golds, in Chinese", |component| plain(component, ByRow::new("nq_cn", containment::natural_questions_cn))),
        Registration::new("open_swi_mse", &["OpenSWIMSEEvaluator"], "root mean square error of lists of numbers", |component| plain(component, OfRows::new(open_swi::scores))),
        Registration::new("option_likeness", &["OptionSimAccEvaluator"], "share of free answers that mean the gold: the option named, contained, or most alike", OptionLikeness::build),
        Registration::new("peer", &["PEERRuleEvaluator"], "share of yes and no that are the gold's, by phrases", |component| plain(component, ByRow::new("peer", sci_reasoner::protein).called("accuracy"))),
        Registration::new("pi_llm", &["PILLMEvaluator"], "share of keys with their last value, plain and weighted by how often they changed", PiLlm::build),
        Registration::new("pmmeval_mgsm", &["PMMEvalMGSMEvaluator"], "share of predictions whose last number is the gold", |component| plain(component, ByRow::new("pmmeval_mgsm", pmmeval::mgsm).called("accuracy").rounded())),
        Registration::new("pmmeval_mhellaswag", &["PMMEvalMHellaswagEvaluator"], "share of choices in ten languages that are the gold's number", |component| plain(component, ByRow::new("pmmeval_mhellaswag", pmmeval::mhellaswag).called("accuracy").rounded())),
        Registration::new("pmmeval_mifeval", &["PMMEvalMIFEvalEvaluator"], "share of prompts in ten languages of which all instructions are followed", |component| plain(component, MultilingualIfEval)),
        Registration::new("pmmeval_mlogiqa", &["PMMEvalMLogiQAEvaluator"], "share of choices in ten languages that are the gold's number", |component| plain(component, ByRow::new("pmmeval_mlogiqa", pmmeval::mlogiqa).called("accuracy").rounded())),
        Registration::new("pmmeval_mmmlu", &["PMMEvalMMMLUEvaluator"], "share of choices in ten languages that are the gold", |component| plain(component, ByRow::new("pmmeval_mmmlu", pmmeval::mmmlu).called("accuracy").rounded())),
        Registration::new("pmmeval_xnli", &["PMMEvalXNLIEvaluator"], "share of choices in eleven languages that are the gold", |component| plain(component, ByRow::new("pmmeval_xnli", pmmeval::xnli).called("accuracy").rounded())),
        Registration::new("process_bench", &["ProcessBenchEvaluator"], "whether the first wrong step is found, and F1 over wrong and right solutions", |component| plain(component, OfRows::new(process_bench::scores))),
        Registration::new("proteinlmbench", &["ProteinLMBenchEvaluator"], "share of options that phrases name and that are the gold", |component| plain(component, ProteinLmBench)),
        Registration::new("ruler", &["RulerNiahEvaluator", "RulerVtEvaluator", "RulerCweEvaluator", "RulerFweEvaluator"], "share of the expected words that are found", |component| plain(component, ByRow::new("ruler", containment::share_of_words).rounded())),
        Registration::new("ruler_qa", &["RulerQaEvaluator"], "share of predictions that contain one of the golds, in any case", |component| plain(component, ByRow::new("ruler_qa", containment::any_word).rounded())),
        Registration::new("s3eval", &["S3EvalEvaluator"], "F1 of a table's lines, a list's items or words", |component| plain(component, ByRow::new("s3eval", s3eval::grade))),
        Registration::new("sci_reasoner_15_dude", &["SciReasoner15DudeEvaluator"], "figures of classification of pairs of molecules, also by target", |component| plain(component, DockedPairs)),
        Registration::new("sci_reasoner_15_go", &["SciReasoner15GOEvaluator"], "precision, recall and F1 of lists of terms", |component| plain(component, OfRows::new(sci_reasoner::terms))),
        Registration::new("sci_reasoner_15_material", &["SciReasoner15MaterialEvaluator"], "errors and correlations of a property of materials", Property::build),
        Registration::new("sci_reasoner_15_tm_score", &["SciReasoner15TMScoreEvaluator"], "errors and correlations of a number from 0 to 1", |component| plain(component, TmScore)),
        Registration::new("sciknoweval", &["SciKnowEvalEvaluator"], "share of predictions whose first standing label is the gold", |component| plain(component, ByRow::new("sciknoweval", standing_letter::sciknoweval).called("accuracy"))),
        Registration::new("supergpqa", &["SuperGPQAEvaluator"], "share of options, by letter or text, that are the gold, also by difficulty", |component| plain(component, OfRows::new(super_gpqa::scores))),
        Registration::new("triviaqa", &["TriviaQAEvaluator"], "share of predictions that contain one of the golds, behind their introduction", |component| plain(component, ByRow::new("triviaqa", containment::triviaqa))),
        Registration::new("zebralogic_grid", &["ZebraLogicGridEvaluator"], "shares of right cells and of right tables of a logic puzzle", |component| plain(component, OfRows::new(zebra_grid::scores))),
        Registration::new("zebralogic_mc", &["ZebraLogicMCEvaluator"], "share of letters that a solution settles on and that are the gold", |component| plain(component, ByRow::new("zebralogic_mc", exact_choice::zebra_logic))),
    ],
};

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
