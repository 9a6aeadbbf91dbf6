//! Rules that make scores of a judge's replies: `dict_postprocessor` of an evaluator.

use serde_json::{Map, Value};

use super::{
    Judged,
    alignbench::AlignBench,
    atlas::Verdicts,
    categories::Categories,
    duel::Duel,
    follow_bench::FollowBench,
    hello_bench::HelloBench,
    letters::Letters,
    marks::{self, Mark},
    matches::Matches,
    numbers::Number,
    rubric::Rubric,
    subjective::Subjective,
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
        Registration::new("advanced_if", &["advancedif_rubric_postprocess"], "whether a reply says YES to each point of a list, and to all of them", |component| plain(component, Rubric::AdvancedIf)),
        Registration::new("alignbench", &["alignbench_postprocess"], "the marks of a dict, that for the whole answer by capability", AlignBench::build),
        Registration::new("alpaca_eval", &["alpacaeval_postprocess"], "m or M: which of two models is better; by capability", |component| plain(component, Duel::AlpacaEval)),
        Registration::new("alpaca_eval_matches", &["alpacaeval_bradleyterry_postprocess"], "m or M as matches, for a Bradley-Terry model; no figure of its own", |component| plain(component, Matches::of(Duel::AlpacaEval))),
        Registration::new("arena_hard", &["arenahard_postprocess"], "[[A>B]] and the like against one model, a clear verdict counting thrice", |component| plain(component, Duel::ArenaHard)),
        Registration::new("arena_hard_matches", &["arenahard_bradleyterry_postprocess"], "[[A>B]] and the like as matches; no figure of its own", |component| plain(component, Matches::of(Duel::ArenaHard))),
        Registration::new("atlas", &["atlas_judge_postprocess"], "verdicts in JSON on several answers, all of which have to be A", Verdicts::build),
        Registration::new("chem_exam", &["chem_exam_score_llmjudge_postprocess"], "the last number in tags or a box: the share of an exam's points", |component| plain(component, Number::ChemExam)),
        Registration::new("chinese_simpleqa", &["csimpleqa_postprocess"], "the first A, B or C of a reply: right, wrong, not attempted, as shares from 0 to 1", Letters::chinese_simple_qa),
        Registration::new("clbench", &["clbench_llmjudge_postprocess"], "the overall score of a reply, 1 or 0", |component| plain(component, Mark::ClBench)),
        Registration::new("compass_arena", &["compassarena_postprocess"], "A, B or C for a tie: which of two models is better; by capability", Duel::compass_arena),
        Registration::new("compass_arena_bench_matches", &["compassarena_subjectiveeval_bradleyterry_postprocess"], "[[A>B]] and the like as matches; no figure of its own", |component| plain(component, Matches::of(Duel::ArenaBench))),
        Registration::new("compass_arena_bench_pairs", &["compassarena_subjectiveeval_pairwise_postprocess"], "[[A>B]] and the like, from -1 to 1; by category and difficulty", |component| plain(component, Duel::ArenaBench)),
        Registration::new("compass_arena_bench_points", &["compassarena_subjectiveeval_pointwise_postprocess"], "[[n分]], five of which are a hundred; by category and difficulty", |component| plain(component, Subjective::ArenaBench)),
        Registration::new("compass_arena_matches", &["compassarena_bradleyterry_postprocess"], "A, B or C for a tie as matches; no figure of its own", Matches::compass_arena),
        Registration::new("eese", &["eese_score_postprocess_dict"], "the first number of a reply, of ten points", |component| plain(component, Mark::Eese)),
        Registration::new("elbench_highlevel_edu", &["elbench_highlevel_edu_postprocess"], "the last [[n]] from 1 to 10 of a reply", |component| plain(component, Mark::ElBenchScale)),
        Registration::new("elbench_safety", &["elbench_safety_postprocess"], "[[n]] or score: n, 0 or 1; by task", |component| plain(component, Subjective::ElBenchSafety)),
        Registration::new("fofo", &["fofo_postprocess"], "format_correctness of 0 or 1; by domain and general format", |component| plain(component, Subjective::Fofo)),
        Registration::new("follow_bench", &["followbench_postprocess"], "YES or NO for each constraint; by how many there are", |component| plain(component, FollowBench)),
        Registration::new("hello_bench", &["hellobench_postprocess"], "shares for the points of a list, weighted", HelloBench::build),
        Registration::new("inverse_ifeval", &["inverse_ifeval_judge_postprocess"], "answer_score of 0 or 1; by language and kind of instruction", |component| plain(component, Rubric::InverseIfEval)),
        Registration::new("letters", &["generic_llmjudge_postprocess"], "the first A or B of a reply, or tags of one's own: right or wrong", Letters::tagged),
        Registration::new("livereasonbench", &["livereasonbench_postprocess"], "the first A, B or C of a reply: right, wrong, not attempted; the share of what was attempted", Letters::of_attempted),
        Registration::new("medbullets", &["medbullets_llmjudge_postprocess"], "the first A or B of a reply, also for each kind of question", |component| plain(component, Categories::MEDBULLETS)),
        Registration::new("medmcqa", &["medmcqa_llmjudge_postprocess"], "the first A or B of a reply, also for each subject, topic and kind of question", |component| plain(component, Categories::MEDMCQA)),
        Registration::new("medxpertqa", &["MedXpertQA_llmjudge_postprocess"], "the first A or B of a reply, also for each task, body system and kind of question", |component| plain(component, Categories::MEDXPERTQA)),
        Registration::new("mt_bench", &["mtbench_postprocess"], "Rating: [[n]]; by capability", |component| plain(component, Subjective::MtBench)),
        Registration::new("mt_bench_101", &["mtbench101_postprocess"], "[n], the least of each dialogue; by task", |component| plain(component, Subjective::MtBench101)),
        Registration::new("numerical", &["numerical_llmjudge_postprocess"], "the first number of a reply, and how far it is from the gold", |component| plain(component, Number::Value)),
        Registration::new("peer", &["peer_llm_judge_postprocess"], "whether a reply has the word TRUE; no figure of its own", |component| plain(component, Mark::Peer)),
        Registration::new("simpleqa", &["simpleqa_postprocess"], "the first A, B or C of a reply: right, wrong, not attempted", Letters::simple_qa),
        Registration::new("supergpqa", &["supergpqa_llmjudge_postprocess"], "the first A or B of a reply, also for each discipline, field and subfield", |component| plain(component, Categories::SUPERGPQA)),
        Registration::new("wild_bench", &["wildbench_postprocess"], "\"choice\": \"A++\" and the like, from -1 to 1; by kind of task", |component| plain(component, Duel::WildBench)),
        Registration::new("wild_bench_matches", &["wildbench_bradleyterry_postprocess"], "\"choice\": \"A++\" and the like as matches; no figure of its own", |component| plain(component, Matches::of(Duel::WildBench))),
        Registration::new("writing_bench", &["writingbench_postprocess"], "\"score\": n for each criterion; by domain", |component| plain(component, Subjective::WritingBench)),
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
