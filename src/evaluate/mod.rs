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
mod arc_prize;
mod auc_roc;
mod average_ppl;
mod biodata;
mod bleu;
mod bleu_words;
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
mod longbench;
mod lveval;
mod matbench;
mod math_intern;
mod math_numbers;
mod math_verify;
mod matthews;
mod measured_text;
mod medbench;
mod meteor;
mod mrcr;
mod name_conversion;
mod nearest_candidate;
mod needlebench;
mod number_distance;
mod of_rows;
mod olympiad_bench;
mod open_swi;
mod option_likeness;
mod pi_llm;
mod pmmeval;
mod porter_stem;
mod postprocessed;
mod process_bench;
mod repeats;
mod results;
mod rouge;
mod row;
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
mod zebra_grid;

use serde::Deserialize;
use serde_json::{Map, Value};

pub(crate) use self::scores::STATISTICS;
use self::{
    acc::Acc,
    acc_drop::AccDrop,
    acc_with_details::AccWithDetails,
    agent::Agent,
    auc_roc::AucRoc,
    average_ppl::AveragePpl,
    bleu::Bleu,
    by_row::ByRow,
    chinese_summary::{AverageRouge, JiebaRouge},
    choice_sets::ChoiceSets,
    circular::Circular,
    circular_rows::CircularRows,
    code::{
        BigCodeBench, CodeExecution, CruxEval, HumanEval, HumanEvalX, LcBench, LiveCodeBench, Mbpp,
        MultiplE, Plus, Programs, SciCode, Taco, TestOutput,
    },
    crowspairs::Crowspairs,
    data_set_parts::{LongBenchV2, Quality},
    em::ExactMatch,
    flores::Flores,
    game24::Game24,
    gaokao::{Gaokao, Uncompared},
    instructions::{IfEval, MultiIf, MultilingualIfEval},
    judge::{Asked, Cascade, CharmMemory, GaokaoMath, Judging, LlmJudge, LmJudge},
    keywords::Keywords,
    latex_equality::LatexEquality,
    lawbench::LawBench,
    math_numbers::LiveMathBench,
    math_verify::MathVerify,
    matthews::Matthews,
    medbench::{Entities, Labels, Sections, Texts},
    meteor::Meteor,
    name_conversion::{ElementMatch, NameMatch},
    needlebench::Parallel,
    number_distance::NumberDistance,
    of_rows::OfRows,
    olympiad_bench::OlympiadBench,
    option_likeness::OptionLikeness,
    pi_llm::PiLlm,
    postprocessed::Postprocessed,
    rouge::Rouge,
    sci_reasoner::{DockedPairs, Property, ProteinCounts, TmScore},
    squad::TydiQa,
    standing_letter::ProteinLmBench,
    t_eval::TEval,
    tabmwp::TabMwp,
    token_f1::TokenF1,
};
pub use self::{
    error::EvaluateError,
    repeats::{Place, RepeatedScores, Repeats, evaluate as evaluate_repeats, majority},
    results::Results,
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

    /// The scores with what else OpenCompass writes into a results file.
    fn results(&self, rows: &[Row<'_>]) -> Result<Results, EvaluateError> {
        Ok(Results { scores: self.evaluate(rows)?, beside: self.notes(rows)? })
    }

    /// How it asks a judge; nothing for those that ask nobody.
    fn judging(&self) -> Option<&Judging> {
        None
    }

    /// What the judge is to be asked about the rows, in their order. They can be scored once each of them that is
    /// named here has the judge's reply.
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

    /// Whether it cannot be worked out here if an answer is right; it counts as wrong then.
    fn is_undecided(&self, _row: &Row<'_>) -> bool {
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
        Registration::new("acc_drop", &["AccDropEvaluator"], "how much of the accuracy an attack takes away", |component| plain(component, AccDrop)),
        Registration::new("acc_score_str", &["AccScoreStr_Evaluator"], "share of predictions that contain the gold, in any case", |component| plain(component, ByRow::new("acc_score_str", exact_choice::contained).called("ACCStrScore"))),
        Registration::new("acc_with_details", &["AccwithDetailsEvaluator"], "acc by value instead of by text: 1 equals 1.0 and not '1'; every comparison is kept", |component| plain(component, AccWithDetails)),
        Registration::new("agieval", &["AGIEvalEvaluator"], "share of solutions whose last formula is written as the gold is", |component| plain(component, ByRow::new("agieval", agieval::grade))),
        Registration::new("agieval_mcq", &["AGIEvalEvaluator_mcq"], "share of predictions that equal the gold by value", |component| plain(component, ByRow::new("agieval_mcq", exact_choice::equal))),
        Registration::new("arc_prize", &["ARCPrizeEvaluator"], "share of grids of numbers that are right in every cell", |component| plain(component, ByRow::new("arc_prize", arc_prize::grade).called("accuracy").measured(|name, scores| Metric::of_numbers(name, Unit::Number, scores)))),
        Registration::new("atlas", &["ATLASLLMEvaluator"], "a judge says of each of several answers whether it is right", judge::atlas),
        Registration::new("auc_roc", &["AUCROCEvaluator"], "how well probabilities tell two classes apart, and the share of rows whose likeliest class is right", |component| plain(component, AucRoc)),
        Registration::new("average_inference_ppl", &["AverageInferencePPLEvaluator"], "surprisal of all texts over all their tokens, in nats a token", |component| plain(component, OfRows::new(measured_text::by_token))),
        Registration::new("average_ppl", &["AveragePPLEvaluator"], "mean of what ppl_only measures, in nats a token", |component| plain(component, AveragePpl)),
        Registration::new("average_rouge", &["AverageRougeScoreEvaluator"], "ROUGE-L of Chinese words over the gaps of a text", |component| plain(component, AverageRouge)),
        Registration::new("babilong", &["BabiLongEvaluator"], "share of predictions whose first sentence contains the gold", |component| plain(component, ByRow::new("babilong", containment::babilong).rounded())),
        Registration::new("bbeh", &["BBEHEvaluator"], "share of short answers that equal the gold but for quotes and blanks", |component| plain(component, ByRow::new("bbeh", short_answer::extra_hard))),
        Registration::new("bbeh_mcq", &["BBEHEvaluator_mcq"], "share of options that equal the gold but for parentheses", |component| plain(component, ByRow::new("bbeh_mcq", short_answer::extra_hard_mcq))),
        Registration::new("bbh", &["BBHEvaluator"], "share of short answers that equal the gold's, in any case", |component| plain(component, ByRow::new("bbh", short_answer::freeform))),
        Registration::new("bbh_mcq", &["BBHEvaluator_mcq", "CharmReasonEvaluator"], "share of predictions that equal the gold, with every comparison kept", |component| plain(component, ByRow::new("bbh_mcq", short_answer::mcq))),
        Registration::new("big_code_bench", &["BigCodeBenchEvaluator"], "share of answers whose code passes the unit tests of its task", BigCodeBench::build),
        Registration::new("biodata_acc", &["BiodataAccEvaluator"], "share of boxed labels that equal the gold", |component| plain(component, ByRow::new("biodata_acc", biodata::accuracy).called("acc"))),
        Registration::new("biodata_auc", &["BiodataAucEvaluator"], "mean area under the ROC curve over labels", biodata::Auc::build),
        Registration::new("biodata_mcc", &["BiodataMCCEvaluator"], "Matthews' correlation of yes and no, in per cent", |component| plain(component, OfRows::new(biodata::matthews))),
        Registration::new("biodata_mixed_score", &["BiodataMixedScoreEvaluator"], "how near numbers are, and whether the small ones are found", |component| plain(component, OfRows::new(biodata::mixed))),
        Registration::new("biodata_pcc", &["BiodataPCCEvaluator"], "Pearson's correlation of the numbers in records, in per cent", |component| plain(component, OfRows::new(biodata::pearson_of_records).departing(biodata::pearson_departures))),
        Registration::new("biodata_r2", &["BiodataR2Evaluator"], "the square of Pearson's correlation, in per cent", |component| plain(component, OfRows::new(biodata::r_squared).departing(biodata::r_squared_departures))),
        Registration::new("biodata_spearman", &["BiodataSpearmanEvaluator"], "Spearman's correlation, in per cent", |component| plain(component, OfRows::new(biodata::spearman_of_numbers))),
        Registration::new("bleu", &["BleuEvaluator"], "BLEU of the whole corpus with the words of 13a, as sacreBLEU has it", |component| plain(component, Bleu)),
        Registration::new("bpc", &["BPCEvaluator"], "bits for each character of a text", |component| plain(component, OfRows::new(measured_text::bits_per_character))),
        Registration::new("cascade", &["CascadeEvaluator"], "a rule first; a judge for what the rule finds wrong, or for everything", Cascade::build),
        Registration::new("charm_memory", &["CharmMemoryEvaluator"], "whether the gold is said, written as a judge would; no figure of its own", |component| plain(component, CharmMemory)),
        Registration::new("chosen_model", &["JudgeEvaluator"], "share of choices between two answers that are the gold", |component| plain(component, ByRow::new("chosen_model", chosen_model::grade).called("accuracy"))),
        Registration::new("circular", &["CircularEvaluator"], "shares of questions that are right however their options are turned", |component| plain(component, Circular)),
        Registration::new("circular_option_likeness", &["CircularOptionSimAccEvaluator"], "the same for free answers, each of which means the option that it is most like", CircularRows::build_free),
        Registration::new("circular_rows", &["datasets.circular.CircularEvaluator", "datasets.CircularEvaluator"], "the same for rows that say in which order their options stand", CircularRows::build),
        Registration::new("crowspairs", &["CrowspairsEvaluator"], "accuracy over all predictions and over those that are an answer", |component| plain(component, Crowspairs)),
        Registration::new("cruxeval_o", &["CRUXEvalOEvaluator"], "share of answers that are what a program gives, by an assertion in it", CruxEval::build),
        Registration::new("drop_openai", &["DropOpenAIEvaluator"], "share of predictions that contain one of the golds or are part of it", |component| plain(component, ByRow::new("drop_openai", squad::drop_openai).called("accuracy"))),
        Registration::new("ed_acc", &["EDAccEvaluator"], "share of predictions that are nearest to the right candidate, letter by letter", |component| plain(component, ByRow::new("ed_acc", nearest_candidate::grade).called("accuracy"))),
        Registration::new("elbench_choice", &["ELBenchChoiceEvaluator"], "share of predictions with the gold's set of letters", |component| plain(component, ByRow::new("elbench_choice", exact_choice::letter_set).called("accuracy"))),
        Registration::new("elbench_math", &["ELBenchMathEvaluator"], "share of boxes whose content is written as the gold's is, once normalised", |component| plain(component, ByRow::new("elbench_math", math_numbers::elbench_math).called("accuracy"))),
        Registration::new("em", &["EMEvaluator"], "share of predictions that equal one of the golds, in normalised spelling", |component| plain(component, ExactMatch)),
        Registration::new("f1_score", &["F1ScoreEvaluator"], "F1 of the options a to d over all answers together", |component| plain(component, ChoiceSets)),
        Registration::new("game24", &["Game24Evaluator"], "share of terms that use each number once and come to 24", |component| plain(component, Game24)),
        Registration::new("gaokao_five_out_of_seven", &["GaokaoBenchEvaluator_five_out_of_seven"], "share of gaps that have the right sentence", |component| plain(component, Gaokao::FiveOutOfSeven)),
        Registration::new("gaokao_math", &["GaoKaoMATHEvaluator"], "a judge boxes yes or no for each answer", GaokaoMath::boxed),
        Registration::new("gaokao_multi_choice", &["GaokaoBenchEvaluator_multi_choice"], "points for several options in one answer, half for a part of them", |component| plain(component, Gaokao::MultiChoice)),
        Registration::new("gaokao_multi_question_choice", &["GaokaoBenchEvaluator_multi_question_choice"], "share of questions, several to a row, with the right option", |component| plain(component, Gaokao::MultiQuestionChoice)),
        Registration::new("gaokao_single_choice", &["GaokaoBenchEvaluator_single_choice"], "share of predictions that name the right option last", |component| plain(component, Gaokao::SingleChoice)),
        Registration::new("gaokao_uncompared", &["GaokaoBenchEvaluator_cloze", "GaokaoBenchEvaluator_subjective", "GaokaoBenchEvaluator_correction"], "always 0: answers in words are not compared, as in OpenCompass", |component| plain(component, Uncompared)),
        Registration::new("gpqa", &["GPQAEvaluator"], "share of predictions that equal the gold by value", |component| plain(component, ByRow::new("gpqa", exact_choice::equal).called("accuracy"))),
        Registration::new("gsm8k", &["Gsm8kEvaluator"], "share of predictions that are the gold as a number", |component| plain(component, ByRow::new("gsm8k", gsm8k::grade).called("accuracy"))),
        Registration::new("gsm8k_agent", &["Gsm8kAgentEvaluator"], "shares of answers and of an agent's code that are the gold as a number", Agent::gsm8k),
        Registration::new("gue", &["GUE_Evaluator"], "Matthews' correlation of positive and negative, in per cent", |component| plain(component, OfRows::new(sci_reasoner::genome))),
        Registration::new("human_eval", &["HumanEvalEvaluator"], "pass@k of functions, run with the tests of their tasks", HumanEval::build),
        Registration::new("human_eval_multi", &["HumanevalMultiEvaluator"], "share of functions in many languages that pass their tests", MultiplE::continuation),
        Registration::new("human_eval_plus", &["HumanEvalPlusEvaluator"], "share of functions that agree with their tasks on the inputs of EvalPlus", Plus::build),
        Registration::new("human_eval_pro", &["HumanevalProEvaluator", "MBPPProEvaluator"], "share of blocks with two functions that pass their tests", MultiplE::block),
        Registration::new("human_eval_x", &["HumanevalXEvaluator", "PMMEvalHumanEvalXLEvaluator"], "share of functions in several languages that pass their tests", HumanEvalX::build),
        Registration::new("ifeval", &["IFEvaluator"], "shares of prompts and of instructions that are followed, strictly and loosely", |component| plain(component, IfEval)),
        Registration::new("infinitebench_endia", &["InfiniteBenchendiaEvaluator"], "share of predictions with the name among their words", |component| plain(component, ByRow::new("infinitebench_endia", infinitebench::name))),
        Registration::new("infinitebench_mathcalc", &["InfiniteBenchmathcalcEvaluator"], "how many intermediate results are right before the first wrong one", |component| plain(component, ByRow::new("infinitebench_mathcalc", infinitebench::intermediate_results).measured(Metric::of_hundreds))),
        Registration::new("infinitebench_retrievekv", &["InfiniteBenchretrievekvEvaluator"], "share of predictions with the value among their words", |component| plain(component, ByRow::new("infinitebench_retrievekv", infinitebench::value))),
        Registration::new("jieba_rouge", &["JiebaRougeEvaluator"], "ROUGE-1, -2 and -L of Chinese words", |component| plain(component, JiebaRouge)),
        Registration::new("judger_bench", &["JudgerBenchEvaluator"], "how a model judges: against people, or against a good judge", |component| plain(component, OfRows::new(judger_bench::scores).departing(judger_bench::departures))),
        Registration::new("kaoshi", &["KaoshiEvaluator"], "points of examination questions, by question_type", kaoshi::build),
        Registration::new("korbench", &["korbenchEvaluator"], "share of answers in double brackets that are right by the rule of their question", |component| plain(component, ByRow::new("korbench", korbench::grade).called("accuracy"))),
        Registration::new("lambada", &["LambadaEvaluator"], "share of predictions that begin with the gold's word", |component| plain(component, ByRow::new("lambada", containment::lambada).called("accuracy"))),
        Registration::new("lawbench_1_1", &["LawBenchEvaluator_1_1"], "ROUGE-L of the words of a statute", |component| lawbench::build(component, &LawBench::RECITATION)),
        Registration::new("lawbench_1_2", &["LawBenchEvaluator_1_2"], "share of predictions that name the right option alone", |component| lawbench::build(component, &LawBench::KNOWLEDGE)),
        Registration::new("lawbench_2_10", &["LawBenchEvaluator_2_10"], "F1 of the words that tell of events, letter by letter", |component| lawbench::build(component, &LawBench::TRIGGERS)),
        Registration::new("lawbench_2_2", &["LawBenchEvaluator_2_2"], "share of predictions that name the right point at issue alone", |component| lawbench::build(component, &LawBench::DISPUTE)),
        Registration::new("lawbench_2_3", &["LawBenchEvaluator_2_3"], "F1 of the labels of marriage cases", |component| lawbench::build(component, &LawBench::MARRIAGE)),
        Registration::new("lawbench_2_4", &["LawBenchEvaluator_2_4"], "share of predictions that name the right topic alone", |component| lawbench::build(component, &LawBench::TOPIC)),
        Registration::new("lawbench_2_5", &["LawBenchEvaluator_2_5"], "F1 of the letters of an answer found in a text", |component| lawbench::build(component, &LawBench::READING)),
        Registration::new("lawbench_2_6", &["LawBenchEvaluator_2_6"], "F1 of the named parts of a case, letter by letter", |component| lawbench::build(component, &LawBench::ENTITIES)),
        Registration::new("lawbench_2_7", &["LawBenchEvaluator_2_7"], "ROUGE-L of the words of a summary", |component| lawbench::build(component, &LawBench::SUMMARY)),
        Registration::new("lawbench_2_8", &["LawBenchEvaluator_2_8"], "share of predictions that name the right argument alone", |component| lawbench::build(component, &LawBench::ARGUMENT)),
        Registration::new("lawbench_2_9", &["LawBenchEvaluator_2_9"], "F1 of the events that are named", |component| lawbench::build(component, &LawBench::EVENTS)),
        Registration::new("lawbench_3_1", &["LawBenchEvaluator_3_1"], "F1 of the numbers of articles", |component| lawbench::build(component, &LawBench::ARTICLES)),
        Registration::new("lawbench_3_2", &["LawBenchEvaluator_3_2"], "ROUGE-L of the words of an answer with its statute", |component| lawbench::build(component, &LawBench::SUMMARY)),
        Registration::new("lawbench_3_3", &["LawBenchEvaluator_3_3"], "F1 of the accusations that are named", |component| lawbench::build(component, &LawBench::ACCUSATIONS)),
        Registration::new("lawbench_3_4", &["LawBenchEvaluator_3_4"], "closeness of the months in prison, on a logarithmic scale", |component| lawbench::build(component, &LawBench::MONTHS)),
        Registration::new("lawbench_3_5", &["LawBenchEvaluator_3_5"], "closeness of the months in prison, with the statute given", |component| lawbench::build(component, &LawBench::MONTHS)),
        Registration::new("lawbench_3_6", &["LawBenchEvaluator_3_6"], "share of predictions that name the right option of a case alone", |component| lawbench::build(component, &LawBench::CASE)),
        Registration::new("lawbench_3_7", &["LawBenchEvaluator_3_7"], "share of predictions with the right amount of money", |component| lawbench::build(component, &LawBench::AMOUNT)),
        Registration::new("lawbench_3_8", &["LawBenchEvaluator_3_8"], "ROUGE-L of the words of legal advice", |component| lawbench::build(component, &LawBench::SUMMARY)),
        Registration::new("lc_pass_k", &["LCPassKEvaluator"], "pass@k of answers with any number of blocks, run with the assertions of their tasks", LcBench::build),
        Registration::new("lcb_code_execution", &["LCBCodeExecutionEvaluator"], "share of answers that are what a program gives, which is run to see", |component| plain(component, CodeExecution)),
        Registration::new("lcb_code_generation", &["LCBCodeGenerationEvaluator"], "share of programs that are right on all inputs of their contest", LiveCodeBench::build),
        Registration::new("lcb_test_output", &["LCBTestOutputEvaluator"], "share of assertions that expect what is right, as Python reads them", |component| plain(component, TestOutput)),
        Registration::new("leval_em", &["LEvalEMEvaluator"], "share of predictions that contain the gold, normalised", |component| plain(component, ByRow::new("leval_em", squad::leval))),
        Registration::new("live_math_bench", &["LiveMathBenchEvaluator"], "share of final answers that are written as the gold is, without a judge", LiveMathBench::build),
        Registration::new("llm4mat", &["LLM4Mat_Evaluator"], "errors of numbers, or the area under the ROC curve of labels", |component| plain(component, OfRows::new(sci_reasoner::materials))),
        Registration::new("llm_judge", &["GenericLLMEvaluator"], "a judge reads each prediction beside the gold and says what it is worth", LlmJudge::boxed),
        Registration::new("lm_judge", &["LMEvaluator"], "a judge reads each prediction of an open question and marks it", LmJudge::boxed),
        Registration::new("longbench_classification", &["LongBenchClassificationEvaluator"], "the right class over the number of classes that are named", |component| plain(component, ByRow::new("longbench_classification", longbench::classification))),
        Registration::new("longbench_code_sim", &["LongBenchCodeSimEvaluator"], "likeness of the first line of code, in whole percent", |component| plain(component, ByRow::new("longbench_code_sim", longbench::code_similarity))),
        Registration::new("longbench_count", &["LongBenchCountEvaluator"], "share of the numbers in a prediction that are the gold", |component| plain(component, ByRow::new("longbench_count", counted_numbers::count))),
        Registration::new("longbench_f1", &["LongBenchF1Evaluator"], "F1 of words against the gold that fits best, in English or Chinese", TokenF1::build),
        Registration::new("longbench_retrieval", &["LongBenchRetrievalEvaluator"], "share of the numbers in a prediction that are the gold paragraph's", counted_numbers::retrieval),
        Registration::new("longbench_rouge", &["LongBenchRougeEvaluator"], "ROUGE-L against the gold that fits best, in English or Chinese", longbench::rouge),
        Registration::new("longbench_v2", &["LongBenchv2Evaluator"], "share of right options, over all rows, by difficulty and by length", |component| plain(component, LongBenchV2)),
        Registration::new("lveval_f1", &["LVEvalF1Evaluator"], "F1 of words against the first gold, in English or Chinese", lveval::word_f1),
        Registration::new("lveval_keyword_f1", &["LVEvalOPTF1Evaluator"], "the same for predictions with enough of the gold's keywords", lveval::keyword_f1),
        Registration::new("lveval_rouge", &["LVEvalOPTRougeEvaluator"], "ROUGE-L against the first gold without words that any answer has", lveval::keyword_rouge),
        Registration::new("mae", &["MAEEvaluator"], "mean distance of the last tagged number from the gold", |component| plain(component, NumberDistance::Mae)),
        Registration::new("mastermath", &["MastermathDatasetv1Evaluator"], "share of predictions that equal the gold", |component| plain(component, ByRow::new("mastermath", math_numbers::mastermath).called("accuracy"))),
        Registration::new("matbench_classification", &["MatbenchEvaluator_classification"], "accuracy, precision, recall and F1 of yes and no, from 0 to 1", |component| plain(component, OfRows::new(matbench::classification))),
        Registration::new("matbench_classification_glass", &["MatbenchEvaluator_classification_glass"], "the same of has and has not", |component| plain(component, OfRows::new(matbench::glass))),
        Registration::new("matbench_regression", &["MatbenchEvaluator_regression"], "mean absolute error of numbers", |component| plain(component, OfRows::new(matbench::regression))),
        Registration::new("math", &["MATHEvaluator"], "share of formulas that are written as the gold is, but for spellings that do not matter", LatexEquality::build),
        Registration::new("math401", &["Math401Evaluator"], "share of numbers within a thousandth of the gold", |component| plain(component, ByRow::new("math401", math_numbers::math401).called("accuracy"))),
        Registration::new("math_agent", &["MATHAgentEvaluator"], "shares of answers and of an agent's code that are written as the gold is", Agent::math),
        Registration::new("math_intern", &["MATHInternEvaluator"], "share of formulas that are written as the gold is, by the rules of InternLM", |component| plain(component, ByRow::new("math_intern", math_intern::grade).called("accuracy"))),
        Registration::new("math_verify", &["MATHVerifyEvaluator"], "share of formulas that say what the gold says, however they are written", |component| plain(component, MathVerify)),
        Registration::new("mbpp", &["MBPPEvaluator"], "share of programs that pass the assertions of their tasks", Mbpp::first),
        Registration::new("mbpp2", &["MBPPEvaluator2"], "the same, the program taken out of an answer in another way", Mbpp::second),
        Registration::new("mbpp_pass_k", &["MBPPPassKEvaluator"], "pass@k of programs, run with the assertions of their tasks", Mbpp::pass_at_k),
        Registration::new("mcc", &["MccEvaluator"], "Matthews' correlation of classes, a hundred times", |component| plain(component, Matthews)),
        Registration::new("medbench", &["MedBenchEvaluator"], "share of predictions whose capitals are the gold's options", |component| plain(component, ByRow::new("medbench", medbench::choice).called("Accuracy"))),
        Registration::new("medbench_cdee", &["MedBenchEvaluator_CHIP_CDEE"], "F1 of clinical events", |component| plain(component, Entities::Events)),
        Registration::new("medbench_cloze", &["MedBenchEvaluator_Cloze"], "share of predictions that contain all parts of the gold", |component| plain(component, ByRow::new("medbench_cloze", medbench::cloze).called("Accuracy"))),
        Registration::new("medbench_cmeee", &["MedBenchEvaluator_CMeEE"], "F1 of named things of medicine", |component| plain(component, Entities::Kinds)),
        Registration::new("medbench_cmeie", &["MedBenchEvaluator_CMeIE"], "F1 of relations between things of medicine", |component| plain(component, Entities::Relations)),
        Registration::new("medbench_ctc", &["MedBenchEvaluator_CHIP_CTC"], "mean over all labels of their F1", |component| plain(component, Labels)),
        Registration::new("medbench_mrg", &["MedBenchEvaluator_IMCS_V2_MRG", "MedBenchEvaluator_Doc_parsing"], "ROUGE-L of letters against the sections of a report", |component| plain(component, Sections)),
        Registration::new("medbench_nlg", &["MedBenchEvaluator_NLG"], "ROUGE-L of letters against a text", |component| plain(component, Texts)),
        Registration::new("medbench_tf", &["MedBenchEvaluator_TF"], "share of right verdicts, in which any word of denial is a no", |component| plain(component, ByRow::new("medbench_tf", medbench::yes_or_no).called("Accuracy"))),
        Registration::new("medbullets", &["MedbulletsEvaluator"], "share of predictions whose first standing letter is the gold", |component| plain(component, ByRow::new("medbullets", standing_letter::medbullets).called("accuracy"))),
        Registration::new("medmcqa", &["MedmcqaEvaluator"], "share of predictions whose first standing letter is the gold", |component| plain(component, ByRow::new("medmcqa", standing_letter::medmcqa).called("accuracy"))),
        Registration::new("medxpertqa", &["MedXpertQAEvaluator"], "share of predictions whose first standing letter is the gold", |component| plain(component, ByRow::new("medxpertqa", standing_letter::medxpertqa).called("accuracy"))),
        Registration::new("meteor", &["MeteorEvaluator"], "words in common as they are, by stem or by a meaning of the user's WordNet", Meteor::build),
        Registration::new("mgsm", &["MGSM_Evaluator"], "share of predictions that equal the gold", |component| plain(component, ByRow::new("mgsm", short_answer::mgsm).called("accuracy"))),
        Registration::new("mmlu_pro_base", &["MMLUProBaseEvaluator"], "share of first lines that are the gold's letter or words", |component| plain(component, ByRow::new("mmlu_pro_base", exact_choice::letter_or_words).called("accuracy"))),
        Registration::new("mrcr", &["MRCREvaluator"], "likeness to the text that was to be repeated, behind the letters to begin with", |component| plain(component, ByRow::new("mrcr", mrcr::grade))),
        Registration::new("multi_if", &["MultiIFEvaluator"], "shares of prompts and of instructions that are followed, by turn", |component| plain(component, MultiIf)),
        Registration::new("multipl_e", &["MultiplEEvaluator"], "share of functions in many languages that pass their tests, out of chat", MultiplE::chat),
        Registration::new("musr", &["MusrEvaluator"], "share of predictions with the gold's number behind ANSWER:", exact_choice::musr_with_parameters),
        Registration::new("nc_element_match", &["NCElementMatchEvaluator"], "share of formulas with the gold's elements, each as often", |component| plain(component, ElementMatch)),
        Registration::new("nc_exact_match", &["NCExactMatchEvaluator"], "share of names and formulas that equal the gold", |component| plain(component, NameMatch)),
        Registration::new("needlebench_atc", &["NeedleBenchATCEvaluator"], "share of names that equal the gold but for blanks", |component| plain(component, ByRow::new("needlebench_atc", needlebench::ancestor))),
        Registration::new("needlebench_multi", &["NeedleBenchMultiEvaluator"], "share of the keywords of several needles that are found", |component| plain(component, ByRow::new("needlebench_multi", needlebench::multi))),
        Registration::new("needlebench_origin", &["NeedleBenchOriginEvaluator"], "a needle's keyword, or a fifth of the likeness to its sentence", needlebench::origin),
        Registration::new("needlebench_origin_v2", &["needlebench_v2.origin.NeedleBenchOriginEvaluator"], "share of predictions with the needle's keyword", |component| plain(component, ByRow::new("needlebench_origin_v2", needlebench::origin_v2))),
        Registration::new("needlebench_parallel", &["NeedleBenchParallelEvaluator"], "share of needles that are found, for each depth and over all", |component| plain(component, Parallel)),
        Registration::new("nejmaibench", &["NejmaibenchEvaluator"], "share of predictions whose first standing letter is the gold", |component| plain(component, ByRow::new("nejmaibench", standing_letter::nejm).called("accuracy"))),
        Registration::new("nq", &["NQEvaluator"], "share of predictions that contain one of the golds, behind 'answer is'", |component| plain(component, ByRow::new("nq", containment::natural_questions))),
        Registration::new("nq_cn", &["NQEvaluatorCN"], "share of predictions that equal one of the golds, in Chinese", |component| plain(component, ByRow::new("nq_cn", containment::natural_questions_cn))),
        Registration::new("olympiad_bench", &["OlympiadBenchEvaluator"], "share of answers with the values of the gold, within its tolerance", OlympiadBench::build),
        Registration::new("open_swi_mse", &["OpenSWIMSEEvaluator"], "root mean square error of lists of numbers", |component| plain(component, OfRows::new(open_swi::scores))),
        Registration::new("openfindata_keywords", &["OpenFinDataKWEvaluator"], "share of predictions with all keywords of the gold", |component| plain(component, Keywords)),
        Registration::new("option_likeness", &["OptionSimAccEvaluator"], "share of free answers that mean the gold: the option named, contained, or most alike", OptionLikeness::build),
        Registration::new("peer", &["PEERRuleEvaluator"], "share of yes and no that are the gold's, by phrases", |component| plain(component, ByRow::new("peer", sci_reasoner::protein).called("accuracy"))),
        Registration::new("peer_counts", &["PEER_Evaluator"], "the same without a judge, with counts", ProteinCounts::build),
        Registration::new("pi_llm", &["PILLMEvaluator"], "share of keys with their last value, plain and weighted by how often they changed", PiLlm::build),
        Registration::new("pmmeval_flores", &["PMMEvalFloresEvaluator"], "BLEU of the lines of a translation that fit best", |component| plain(component, Flores)),
        Registration::new("pmmeval_mgsm", &["PMMEvalMGSMEvaluator"], "share of predictions whose last number is the gold", |component| plain(component, ByRow::new("pmmeval_mgsm", pmmeval::mgsm).called("accuracy").rounded())),
        Registration::new("pmmeval_mhellaswag", &["PMMEvalMHellaswagEvaluator"], "share of choices in ten languages that are the gold's number", |component| plain(component, ByRow::new("pmmeval_mhellaswag", pmmeval::mhellaswag).called("accuracy").rounded())),
        Registration::new("pmmeval_mifeval", &["PMMEvalMIFEvalEvaluator"], "share of prompts in ten languages of which all instructions are followed", |component| plain(component, MultilingualIfEval)),
        Registration::new("pmmeval_mlogiqa", &["PMMEvalMLogiQAEvaluator"], "share of choices in ten languages that are the gold's number", |component| plain(component, ByRow::new("pmmeval_mlogiqa", pmmeval::mlogiqa).called("accuracy").rounded())),
        Registration::new("pmmeval_mmmlu", &["PMMEvalMMMLUEvaluator"], "share of choices in ten languages that are the gold", |component| plain(component, ByRow::new("pmmeval_mmmlu", pmmeval::mmmlu).called("accuracy").rounded())),
        Registration::new("pmmeval_xnli", &["PMMEvalXNLIEvaluator"], "share of choices in eleven languages that are the gold", |component| plain(component, ByRow::new("pmmeval_xnli", pmmeval::xnli).called("accuracy").rounded())),
        Registration::new("process_bench", &["ProcessBenchEvaluator"], "whether the first wrong step is found, and F1 over wrong and right solutions", |component| plain(component, OfRows::new(process_bench::scores))),
        Registration::new("proteinlmbench", &["ProteinLMBenchEvaluator"], "share of options that phrases name and that are the gold", |component| plain(component, ProteinLmBench)),
        Registration::new("quality", &["QuALITYEvaluator"], "share of right options of easy rows and of all; of hard ones over the number of easy ones", |component| plain(component, Quality)),
        Registration::new("rmse", &["RMSEEvaluator"], "mean distance of the first tagged number from the gold's", |component| plain(component, NumberDistance::Rmse)),
        Registration::new("rouge", &["RougeEvaluator"], "ROUGE-1, -2, -L and -Lsum of English words, the middle of resampled means", |component| plain(component, Rouge)),
        Registration::new("ruler", &["RulerNiahEvaluator", "RulerVtEvaluator", "RulerCweEvaluator", "RulerFweEvaluator"], "share of the expected words that are found", |component| plain(component, ByRow::new("ruler", containment::share_of_words).rounded())),
        Registration::new("ruler_qa", &["RulerQaEvaluator"], "share of predictions that contain one of the golds, in any case", |component| plain(component, ByRow::new("ruler_qa", containment::any_word).rounded())),
        Registration::new("s3eval", &["S3EvalEvaluator"], "F1 of the rows of a table, the items of a list or the words of a text", |component| plain(component, ByRow::new("s3eval", table_answer::grade))),
        Registration::new("sci_code", &["SciCodeEvaluator"], "shares of problems of science and of their steps that pass their tests", SciCode::build),
        Registration::new("sci_reasoner_15_dude", &["SciReasoner15DudeEvaluator"], "figures of classification of pairs of molecules, also by target", |component| plain(component, DockedPairs)),
        Registration::new("sci_reasoner_15_go", &["SciReasoner15GOEvaluator"], "precision, recall and F1 of lists of terms", |component| plain(component, OfRows::new(sci_reasoner::terms))),
        Registration::new("sci_reasoner_15_material", &["SciReasoner15MaterialEvaluator"], "errors and correlations of a property of materials", Property::build),
        Registration::new("sci_reasoner_15_tm_score", &["SciReasoner15TMScoreEvaluator"], "errors and correlations of a number from 0 to 1", |component| plain(component, TmScore)),
        Registration::new("sciknoweval", &["SciKnowEvalEvaluator"], "share of predictions whose first standing label is the gold", |component| plain(component, ByRow::new("sciknoweval", standing_letter::sciknoweval).called("accuracy"))),
        Registration::new("squad", &["SquadEvaluator"], "F1 of the words of the first line", |component| plain(component, ByRow::new("squad", squad::squad).called("f1"))),
        Registration::new("squad20", &["SQuAD20Evaluator"], "share of first lines that are one of the golds, normalised", |component| plain(component, ByRow::new("squad20", squad::squad20))),
        Registration::new("supergpqa", &["SuperGPQAEvaluator"], "share of options, by letter or text, that are the gold, also by difficulty", |component| plain(component, OfRows::new(super_gpqa::scores))),
        Registration::new("t_eval", &["TEvalEvaluator"], "what an agent does: calls, plans and steps, by form, name and the meaning of texts", TEval::build),
        Registration::new("tabmwp", &["TabMWPEvaluator"], "share of choices and numbers about tables that are the gold", |component| plain(component, TabMwp)),
        Registration::new("taco", &["APPSEvaluator", "TACOEvaluator"], "pass@k of programs of contests, each run on all inputs", |component| plain(component, Taco)),
        Registration::new("theoremqa_v3", &["TheoremQAEvaluatorV3"], "share of verdicts, options and numbers that are the gold or near it", |component| plain(component, ByRow::new("theoremqa_v3", theoremqa::grade))),
        Registration::new("triviaqa", &["TriviaQAEvaluator"], "share of predictions that contain one of the golds, behind their introduction", |component| plain(component, ByRow::new("triviaqa", containment::triviaqa))),
        Registration::new("tydiqa", &["TydiQAEvaluator"], "exact match and F1 of words against the gold that fits best", |component| plain(component, TydiQa)),
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
