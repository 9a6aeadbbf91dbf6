//! From what a model wrote to the answer it gave.
//!
//! A generation says more than its answer: "The answer is (B), because …". A post-processor is the
//! rule that takes the answer out, and so half of the metric. The rules here are OpenCompass's, to
//! the character, because only then are scores comparable. A rule is a pure function of the text (and,
//! for a few, of the row that was asked about), so it can be changed after a run and applied again to
//! the stored generations.

// Rules are functions of one type, and only some of them can fail.
#![allow(clippy::unnecessary_wraps)]

mod after_introduction;
mod atlas;
mod bbeh;
mod bbh_freeform;
mod bbh_mcq;
mod boxed;
mod charm_reason;
mod clbench;
mod cot_output;
mod crowspairs;
mod ds1000;
mod error;
mod final_answer;
mod first_capital;
mod first_capital_multi;
mod first_line;
mod first_number;
mod first_option;
mod formula;
mod function;
mod general;
mod general_eval;
mod gsm8k;
mod gue;
mod humaneval;
mod jieba_words;
mod last_capital;
mod last_option;
mod latex_number;
mod llm4chem;
mod llm4mat;
mod math;
mod math_intern;
mod mathbench;
mod mgsm;
mod model_marks;
mod mol_instructions;
mod multiple_select;
mod needlebench;
mod option_number;
mod peer;
mod pmmeval;
mod python_literal;
mod reasoning;
mod regex;
mod scibench;
mod sequence;
mod smolinstruct;
mod strategyqa;
mod teval;
mod theoremqa;
mod xml_tag;

use serde_json::Value;

pub use self::error::PostprocessError;
use self::{
    after_introduction::as_text,
    cot_output::CotOutput,
    function::{any, options, or_empty, or_empty_if_false, plain, with, with_any},
    general_eval::GeneralEval,
    last_option::LastOption,
    llm4mat::Llm4Mat,
    option_number::OptionNumber,
    reasoning::{ThinkPred, WithoutReasoning},
    regex::Regex,
    xml_tag::XmlTag,
};
pub(crate) use self::{
    atlas::with_double_backslashes,
    bbeh::{freeform as bbeh_freeform, mcq as bbeh_mcq},
    bbh_freeform::process as bbh_freeform,
    boxed::boxed_answer,
    boxed::last_boxed,
    cot_output::{Verdict, asked_question, default_marker, default_question_column},
    ds1000::for_service as ds1000_for_service,
    final_answer::normalized_final_answer,
    first_option::FirstOption,
    general::normalized,
    jieba_words::{is_unspaced, words},
    math::process_v2 as boxed_or_final_answer,
    peer::process_yes_no as peer_yes_no,
    python_literal::evaluate as python_value,
    python_regex::{PythonRegex, escaped},
    theoremqa::without_units as theoremqa_without_units,
};
pub use crate::python::regex::PatternError;
use crate::{
    config::{Component, ConfigError},
    dataset::Sample,
    python::{blank, python_str, regex as python_regex},
    registry::{Registration, Registry},
};

/// A rule that takes the answer out of a generation.
///
/// ```
/// use surprisal::{config::{Component, Node}, dataset::Sample, postprocess};
///
/// let config = serde_json::json!({"type": "first_option", "options": "ABCD"});
/// let component = Component::parse(&Node::from_json(&config))?;
/// let rule = postprocess::build(&component)?;
/// assert_eq!(rule.process("The answer is (B).", &Sample::default())?, "B");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Postprocessor: Send + Sync {
    /// The answer in `text`, which was generated for `sample`; mostly a text, empty if there is none.
    fn process(&self, text: &str, sample: &Sample) -> Result<Value, PostprocessError>;

    /// The answer in a value that is neither a text nor a list of texts. Few rules take such.
    fn process_other(&self, value: &Value, _sample: &Sample) -> Result<Value, PostprocessError> {
        Err(PostprocessError::NotText(value.clone()))
    }

    /// Whether it can give this answer, for a rule that picks options such as letters; nothing for all
    /// others.
    fn gives(&self, _answer: &str) -> Option<bool> {
        None
    }
}

/// Applies a rule to a prediction, which is a text or, after sampling several, a list of texts.
pub fn apply(
    rule: &dyn Postprocessor,
    prediction: &Value,
    sample: &Sample,
) -> Result<Value, PostprocessError> {
    match prediction {
        Value::String(text) => rule.process(text, sample),
        Value::Array(several) => several.iter().map(|one| apply(rule, one, sample)).collect(),
        other => rule.process_other(other, sample),
    }
}

/// Makes a rule from its parameters in a config.
pub type Constructor = fn(&Component) -> Result<Box<dyn Postprocessor>, ConfigError>;

/// All rules. OpenCompass has two names for most: the one in its registry, and the function's.
// A rule is a line, however long.
#[rustfmt::skip]
pub const POSTPROCESSORS: Registry<Constructor> = Registry {
    kind: "post-processor",
    registrations: &[
        Registration::new("arxivrollbench_choice", &["arxivrollbench_choice_postprocess"], "the first letter A to D that stands alone", |component| any(component, after_introduction::choice, |_, value| as_text(value, after_introduction::choice))),
        Registration::new("arxivrollbench_selection", &["arxivrollbench_selection_postprocess"], "'Selection N' with the number that is selected", |component| any(component, after_introduction::selection, |_, value| as_text(value, after_introduction::selection))),
        Registration::new("atlas", &["atlas_pred_postprocess"], "the JSON of an answer, for a judge", |component| with_any(component, atlas::process, atlas::process_other)),
        Registration::new("bbeh_freeform", &["bbeh_freeform_postprocess"], "the first line behind 'The answer is', in lower case", |component| plain(component, bbeh::process_freeform)),
        Registration::new("bbeh_mcq", &["bbeh_mcq_postprocess"], "the option behind 'The answer is', in lower case", |component| plain(component, bbeh::process_mcq)),
        Registration::new("bbh_freeform", &["bbh-freeform", "bbh_freeform_postprocess"], "the short text after the last 'answer is'", |component| plain(component, bbh_freeform::process)),
        Registration::new("bbh_mcq", &["bbh-mcq", "bbh_mcq_postprocess"], "the option after the first 'answer is'", |component| plain(component, |text| Ok(bbh_mcq::process(text).into()))),
        Registration::new("boxed", &["extract_boxed_answer"], "the content of the last LaTeX box", |component| with::<boxed::Parameters>(component, boxed::process)),
        Registration::new("charm_reason", &["charm-reason", "charm_reason_postprocess"], "the option behind 'answer is'", |component| plain(component, charm_reason::process)),
        Registration::new("chinese_simpleqa", &["chinese_simpleqa_preprocess"], "what stands before a next question in Chinese", |component| plain(component, first_line::before_question)),
        Registration::new("clbench", &["clbench_pred_postprocess"], "the text without blanks at its end, cut to a length", |component| with_any(component, clbench::process, clbench::process_other)),
        Registration::new("cmrc", &["cmrc_postprocess", "drcd", "drcd_postprocess"], "what stands behind the Chinese for 'the answer is'", |component| plain(component, after_introduction::chinese)),
        Registration::new("cot_output", &[], "the rewritten question at the end of a chain of thought", CotOutput::build),
        Registration::new("crowspairs", &["crowspairs_postprocess"], "which of two sentences is taken, A or B", |component| plain(component, crowspairs::process)),
        Registration::new("cruxeval_o", &["cruxeval_o_postprocess"], "the first line before '# done'", |component| plain(component, first_line::before_done)),
        Registration::new("ds1000", &["ds1000_postprocess"], "the code out of its tags and fences", |component| plain(component, ds1000::process)),
        Registration::new("ds1000_completion", &["ds1000_completion_postprocess"], "the code up to the end tag", |component| plain(component, ds1000::process_completion)),
        Registration::new("ds1000_matplotlib", &["ds1000_matplotlib_postprocess"], "the code without the lines that show or save a figure", |component| plain(component, ds1000::process_matplotlib)),
        Registration::new("final_answer", &["normalize_final_answer"], "a mathematical answer without units and words", |component| plain(component, final_answer::process)),
        Registration::new("first_capital", &["first-capital", "first_capital_postprocess"], "the first capital letter", |component| options(component, |text| Ok(first_capital::process(text).into()))),
        Registration::new("first_capital_multi", &["first-capital-multi", "first_capital_postprocess_multi"], "the first unbroken run of the letters A to D", |component| options(component, |text| Ok(first_capital_multi::process(text).into()))),
        Registration::new("first_number", &["first_number_postprocess"], "the first number", |component| plain(component, first_number::process)),
        Registration::new("first_option", &["first-option", "first_option_postprocess"], "the option that a free answer settles on, by a list of phrasings", FirstOption::build),
        Registration::new("flores", &["flores_postprocess"], "the first line", |component| plain(component, first_line::of_stripped)),
        Registration::new("flores_chinese", &["flores-chinese", "flores_postprocess_chinese"], "the first line, cut into Chinese words", |component| plain(component, jieba_words::process_first_line)),
        Registration::new("game24", &["game24_postprocess"], "the left side of the equation on the last line", |component| plain(component, first_line::equation)),
        Registration::new("general", &["general_postprocess"], "the first clause without punctuation, articles and case", |component| plain(component, general::process)),
        Registration::new("general_cn", &["general_cn_postprocess"], "the text cut into Chinese words", |component| plain(component, jieba_words::process)),
        Registration::new("general_eval", &["general_eval_wrapper_postprocess"], "the value of a Python literal, for another rule", GeneralEval::build),
        Registration::new("gpqa", &["GPQA_Simple_Eval_postprocess"], "the letter A to D behind 'Answer:'", |component| plain(component, after_introduction::gpqa)),
        Registration::new("gsm100", &["gsm100_postprocess"], "the digits of the first number behind 'The answer is'", |component| plain(component, after_introduction::gsm100)),
        Registration::new("gsm100_dataset", &["gsm100_dataset_postprocess"], "a reference without commas", |component| plain(component, after_introduction::gsm100_reference)),
        Registration::new("gsm8k", &["gsm8k_postprocess"], "the last number of a worked solution", |component| plain(component, gsm8k::process)),
        Registration::new("gsm8k_dataset", &["gsm8k_dataset_postprocess"], "the number after '#### ' in a solution of the data set", |component| plain(component, gsm8k::process_reference)),
        Registration::new("gue", &["GUE_postprocessor"], "positive or negative", |component| or_empty(component, gue::process)),
        Registration::new("humaneval_internal_v1", &["humaneval_internal_v1_postprocess"], "the body of the first function, indented", |component| plain(component, humaneval::process_internal_v1)),
        Registration::new("humaneval_internal_v2", &["humaneval_internal_v2_postprocess"], "the function body that a text goes on with", |component| plain(component, humaneval::process_internal_v2)),
        Registration::new("humaneval_v1", &["humaneval_postprocess"], "the body of the first function, as OpenCompass 0.2.5 takes it out", |component| plain(component, humaneval::process_v1)),
        Registration::new("humaneval_v2", &["humaneval_postprocess_v2"], "the first fenced block of code", |component| plain(component, humaneval::process_v2)),
        Registration::new("humaneval_v3", &["humaneval_postprocess_v3"], "the last fenced block of code", |component| plain(component, humaneval::process_v3)),
        Registration::new("infinite_bench_first_number", &["InfiniteBench_first_number_postprocess"], "the first number as text, without its sign", |component| plain(component, after_introduction::first_unsigned_number)),
        Registration::new("last_capital", &["last-capital", "last_capital_postprocess"], "the last capital letter", |component| options(component, |text| Ok(last_capital::process(text).into()))),
        Registration::new("last_option", &["last-option", "last_option_postprocess"], "the option letter that is mentioned last", LastOption::build),
        Registration::new("lcsts", &["lcsts_postprocess"], "the first line without list marks and Chinese punctuation", |component| plain(component, first_line::lcsts)),
        Registration::new("llm4chem", &["LLM4Chem_postprocess"], "what stands in the tags of a chemical task", |component| with::<llm4chem::Parameters>(component, llm4chem::process)),
        Registration::new("llm4mat", &["LLM4Mat_postprocessor"], "the value of one property, given as JSON", Llm4Mat::build),
        Registration::new("longbench_line", &["triviaqa_postprocess", "trec_postprocess", "samsum_postprocess", "lsht_postprocess"], "the first line that is not empty", |component| plain(component, first_line::not_empty)),
        Registration::new("match_answer_pattern", &[], "what a pattern captures, as OpenCompass writes it", Regex::build_answer_pattern),
        Registration::new("material", &["material_postprocessor"], "what stands between material tags", |component| or_empty_if_false(component, sequence::material)),
        Registration::new("math", &["math_postprocess"], "the sentence with 'final answer', normalised", |component| plain(component, math::process)),
        Registration::new("math_intern", &["math_intern_postprocess"], "the answer behind one of several introductions, or in a box", |component| plain(component, math_intern::process)),
        Registration::new("math_judgement", &["math_judement_preprocess"], "what stands behind 'Answer:' on its line", |component| plain(component, math::process_judgement)),
        Registration::new("math_v2", &["math_postprocess_v2"], "the last LaTeX box, else the sentence with the answer, normalised", |component| plain(component, math::process_v2)),
        Registration::new("mathbench", &["mathbench_postprocess", "compassbench_objective_v1_3_postprocess"], "the number of an answer in English or Chinese", |component| with::<mathbench::Parameters>(component, mathbench::process)),
        Registration::new("mgsm", &["mgsm_postprocess"], "the last number behind the word for 'answer' in one of eleven languages", |component| with::<mgsm::Parameters>(component, mgsm::process)),
        Registration::new("mol_instructions_biotext", &["Mol_Instructions_postprocess_BioText"], "the text without thoughts and opening phrases", |component| with::<mol_instructions::Parameters>(component, mol_instructions::biotext)),
        Registration::new("mol_instructions_mol", &["Mol_Instructions_postprocess_Mol"], "a property, a description or a molecule", |component| with::<mol_instructions::Parameters>(component, mol_instructions::molecule)),
        Registration::new("mol_instructions_protein", &["Mol_Instructions_postprocess_Protein"], "the text without thoughts", |component| plain(component, mol_instructions::protein)),
        Registration::new("mol_instructions_protein_design", &["Mol_Instructions_postprocess_Protein_Design"], "the amino acids between protein tags", |component| plain(component, sequence::designed_protein)),
        Registration::new("multiple_select", &["multiple-select", "multiple_select_postprocess"], "every capital letter, once and sorted", |component| options(component, |text| Ok(multiple_select::process(text).into()))),
        Registration::new("needlebench", &["needlebench_postprocess", "needlebench_dataset", "needlebench_dataset_postprocess"], "the text as it is", |component| any(component, needlebench::process, |_, value| Some(value.clone()))),
        Registration::new("needlebench_atc", &["needlebench_atc_postprocess_v2"], "the name in the last LaTeX box", |component| plain(component, needlebench::process_ancestor)),
        Registration::new("olympiadbench", &["olympiadbench_postprocess_v2"], "the rest of the line behind 'So the final answer is'", |component| with::<after_introduction::OlympiadBench>(component, after_introduction::olympiadbench)),
        Registration::new("opi", &["opi_postprocess"], "the text without end tokens", |component| with::<mol_instructions::Parameters>(component, mol_instructions::opi)),
        Registration::new("option_number", &[], "the place of an option's letter: A is 0", OptionNumber::build),
        Registration::new("peer", &["PEER_postprocess"], "Yes or No, by phrases", |component| or_empty(component, peer::process_yes_no)),
        Registration::new("peer_default", &["PEER_postprocess_default"], "the text without end tokens and thoughts", |component| plain(component, peer::process)),
        Registration::new("peer_float_compare", &["PEER_postprocess_float_compare"], "whether the first number is above a threshold", |component| with_any(component, peer::process_number, peer::number_of_other)),
        Registration::new("pmmeval_flores", &["pmmeval_flores_postprocess"], "the text and the name of its language", |component| with::<pmmeval::FullName>(component, pmmeval::with_full_name)),
        Registration::new("pmmeval_language", &["pmmeval_mhellaswag", "pmmeval_mhellaswag_postprocess", "pmmeval_mifeval", "pmmeval_mifeval_postprocess", "pmmeval_mlogiqa", "pmmeval_mlogiqa_postprocess", "pmmeval_mmmlu", "pmmeval_mmmlu_postprocess", "pmmeval_xnli", "pmmeval_xnli_postprocess"], "the text and the code of its language", |component| with::<pmmeval::Code>(component, pmmeval::with_code)),
        Registration::new("record", &["ReCoRD", "ReCoRD_postprocess"], "the first line without 'Answer: '", |component| plain(component, first_line::record)),
        Registration::new("regex", &[], "what a pattern captures", Regex::build),
        Registration::new("retrosynthesis", &["Retrosynthesis_postprocess"], "the last molecule between SMILES tags", |component| or_empty(component, sequence::retrosynthesis)),
        Registration::new("rna", &["RNA_postprocessor"], "the bases between rna tags", |component| or_empty_if_false(component, sequence::rna)),
        Registration::new("scibench", &["scibench_postprocess"], "the box or last number behind 'answer is'", |component| plain(component, scibench::process)),
        Registration::new("seedbench_multiple_select", &["my_multiple_select_postprocess"], "every capital letter, once and sorted, with commas", |component| plain(component, |text| Ok(multiple_select::process_with_commas(text).into()))),
        Registration::new("smolinstruct_acc", &["smolinstruct-acc", "smolinstruct_acc_postprocess"], "yes or no, anywhere in the text", |component| plain(component, smolinstruct::process)),
        Registration::new("smolinstruct_acc_0shot", &["smolinstruct-acc-0shot", "smolinstruct_acc_0shot_postprocess"], "yes or no, by phrases", |component| plain(component, smolinstruct::process_without_examples)),
        Registration::new("srbench", &["mydataset_postprocess"], "a formula in the signs of a programming language", |component| plain(component, formula::process)),
        Registration::new("strategyqa", &["strategyqa_pred_postprocess"], "yes or no behind the last 'answer is'", |component| plain(component, strategyqa::process)),
        Registration::new("strategyqa_dataset", &["strategyqa_dataset_postprocess"], "yes for True, no for all else", |component| any(component, strategyqa::process_reference, |_, value| Some(strategyqa::reference_of_other(value)))),
        Registration::new("teval", &["teval_postprocess"], "what was said before the turn ended, out of its fence", |component| any(component, teval::process, |_, value| Some(python_str(value).into()))),
        Registration::new("theoremqa", &["TheoremQA", "TheoremQA_postprocess"], "the word behind 'answer is'", |component| plain(component, theoremqa::process)),
        Registration::new("theoremqa_v2", &["TheoremQA_postprocess_v2"], "the last words of the last line", |component| plain(component, theoremqa::process_v2)),
        Registration::new("theoremqa_v3", &["TheoremQA_postprocess_v3"], "the number, option or verdict of an answer", |component| plain(component, theoremqa::process_v3)),
        Registration::new("theoremqa_v4", &["TheoremQA_postprocess_v4"], "the same without LaTeX brackets", |component| plain(component, theoremqa::process_v4)),
        Registration::new("think_pred", &["think_pred_postprocess"], "the answer after a model's thoughts", ThinkPred::build),
        Registration::new("upg", &["UPG_postprocess"], "the amino acids of the last protein between tags", |component| or_empty(component, sequence::unconditional_protein)),
        Registration::new("without_reasoning", &["extract-non-reasoning-content", "extract_non_reasoning_content"], "the text without what stands between two thinking tokens", WithoutReasoning::build),
        Registration::new("xml_tag", &["specific-xml-tag", "xml_tag_postprocessor"], "what stands between two tags, such as <conclude>", XmlTag::build),
        Registration::new("xsum", &["Xsum", "Xsum_postprocess"], "the first line without blanks", |component| plain(component, first_line::stripped)),
    ],
};

/// What a rule gives.
type Processed = Result<Value, PostprocessError>;

/// Where OpenCompass keeps the rules for one service. They have names of other rules and read other
/// answers.
const OF_A_SERVICE: &str = "models.claude_api.postprocessors";

/// The rule that a config names.
pub fn build(component: &Component) -> Result<Box<dyn Postprocessor>, ConfigError> {
    if component.path.contains(OF_A_SERVICE) {
        let message = format!("the post-processor '{}' is not known", component.path);
        return Err(ConfigError::at(&component.origin, message).with_hint(
            "leave it out for a model that runs here: it is for the replies of a service",
        ));
    }
    POSTPROCESSORS.get(component)?(component)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::config::Node;

    fn built(config: &Value) -> Result<Box<dyn Postprocessor>, ConfigError> {
        build(&Component::parse(&Node::from_json(config))?)
    }

    #[test]
    fn a_dotted_path_of_opencompass_finds_its_rule() {
        let path = "opencompass.utils.text_postprocessors.first_capital_postprocess";
        let rule = built(&json!({"type": path})).unwrap();
        let answer = apply(&*rule, &json!(["so B", "no"]), &Sample::default()).unwrap();
        assert_eq!(answer, json!(["B", ""]));
    }

    #[test]
    fn unknown_names_and_parameters_are_refused() {
        let error = built(&json!({"type": "first_options"})).err().unwrap().to_string();
        assert!(error.contains("did you mean 'first_option'?"), "{error}");
        assert!(built(&json!({"type": "general", "options": "AB"})).is_err());
    }
}
