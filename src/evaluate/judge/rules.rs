//! Rules that make scores of a judge's replies: `dict_postprocessor` of an evaluator.

use serde_json::{Map, Value};

use super::{
    Judged,
    categories::Categories,
    letters::Letters,
    marks::{self, Mark},
};
use crate::{
    config::{Component, ConfigError},
    evaluate::{EvaluateError, Results},
    registry::{Registration, Registry},
};

/// Reads what a judge wrote.
pub trait JudgeRule: Send + Sync {
    /// Scores all replies, each for itself and all together.
    fn results(&self, judged: &[Judged<'_>]) -> Result<Results, EvaluateError>;

    /// Whether the details are the replies themselves, which OpenCompass writes as a dict by index.
    fn notes_replies(&self) -> bool {
        true
    }
}

/// Makes a rule from its parameters in a config.
pub(crate) type Constructor = fn(&Component) -> Result<Box<dyn JudgeRule>, ConfigError>;

/// All rules.
// A rule is a line, however long.
#[rustfmt::skip]
pub const JUDGE_RULES: Registry<Constructor> = Registry {
    kind: "rule for replies of a judge",
    registrations: &[
        Registration::new("aa_lcr", &["aa_lcr_llmjudge_postprocess"], "CORRECT or INCORRECT as a word, also for each category of documents", |component| plain(component, Mark::AaLcr)),
        Registration::new("academic", &["generic_llmjudge_academic_postprocess"], "the first A or B of a reply, without F1", Letters::academic),
        Registration::new("clbench", &["clbench_llmjudge_postprocess"], "the overall score of a reply, 1 or 0", |component| plain(component, Mark::ClBench)),
        Registration::new("eese", &["eese_score_postprocess_dict"], "the first number of a reply, of ten points", |component| plain(component, Mark::Eese)),
        Registration::new("elbench_highlevel_edu", &["elbench_highlevel_edu_postprocess"], "the last [[n]] from 1 to 10 of a reply", |component| plain(component, Mark::ElBenchScale)),
        Registration::new("letters", &["generic_llmjudge_postprocess"], "the first A or B of a reply, or tags of one's own: right or wrong", Letters::tagged),
        Registration::new("livereasonbench", &["livereasonbench_postprocess"], "the first A, B or C of a reply: right, wrong, not attempted; the share of what was attempted", Letters::of_attempted),
        Registration::new("medbullets", &["medbullets_llmjudge_postprocess"], "the first A or B of a reply, also for each kind of question", |component| plain(component, Categories::MEDBULLETS)),
        Registration::new("medmcqa", &["medmcqa_llmjudge_postprocess"], "the first A or B of a reply, also for each subject, topic and kind of question", |component| plain(component, Categories::MEDMCQA)),
        Registration::new("medxpertqa", &["MedXpertQA_llmjudge_postprocess"], "the first A or B of a reply, also for each task, body system and kind of question", |component| plain(component, Categories::MEDXPERTQA)),
        Registration::new("peer", &["peer_llm_judge_postprocess"], "whether a reply has the word TRUE; no figure of its own", |component| plain(component, Mark::Peer)),
        Registration::new("simpleqa", &["simpleqa_postprocess"], "the first A, B or C of a reply: right, wrong, not attempted", Letters::simple_qa),
        Registration::new("supergpqa", &["supergpqa_llmjudge_postprocess"], "the first A or B of a reply, also for each discipline, field and subfield", |component| plain(component, Categories::SUPERGPQA)),
    ],
};

/// The rule that a config names; without one, replies are kept as they are.
pub(super) fn build(component: Option<&Component>) -> Result<Box<dyn JudgeRule>, ConfigError> {
    let Some(component) = component else { return Ok(Box::new(AsTheyAre)) };
    let built = JUDGE_RULES.get(component).and_then(|construct| construct(component));
    built.map_err(|error| error.under("dict_postprocessor"))
}

fn plain(
    component: &Component,
    rule: impl JudgeRule + 'static,
) -> Result<Box<dyn JudgeRule>, ConfigError> {
    component.read::<super::super::registry::NoParameters>()?;
    Ok(Box::new(rule))
}

/// No rule: the results are the replies.
struct AsTheyAre;

impl JudgeRule for AsTheyAre {
    fn results(&self, judged: &[Judged<'_>]) -> Result<Results, EvaluateError> {
        Ok(Results {
            beside: by_index(judged),
            ..Results::of(marks::no_figure(judged.len(), None))
        })
    }
}

/// The replies as a dict by index.
pub(super) fn by_index(judged: &[Judged<'_>]) -> Map<String, Value> {
    let entry =
        |(index, one): (usize, &Judged<'_>)| (index.to_string(), Value::Object(one.entry.clone()));
    judged.iter().enumerate().map(entry).collect()
}

/// The replies as details.
pub(super) fn replies(judged: &[Judged<'_>]) -> Vec<Map<String, Value>> {
    judged.iter().map(|one| one.entry.clone()).collect()
}
