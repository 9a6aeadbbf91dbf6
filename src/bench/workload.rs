//! What the engine is asked while it is measured.

use std::str::FromStr;

use rand_mt::Mt64;

use crate::{
    answer::Question,
    engine::{GenerateRequest, ScoreRequest},
    model::spec::DecoderSpec,
    plan::{PlanError, RunPlan},
    prepare::Unit,
};

/// Seed of the tokens of made-up questions.
const SEED: u64 = 20_240_501;

/// Requests of both kinds, in the order in which a run would make them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Workload {
    /// What it is called in reports.
    pub name: String,
    /// What is scored.
    pub scores: Vec<ScoreRequest>,
    /// What is continued.
    pub generations: Vec<GenerateRequest>,
    /// Whether generations go on past end-of-sequence tokens, so that their length is fixed.
    pub ignore_eos: bool,
    /// How many times as many questions the whole benchmark has, where it is known.
    pub whole_benchmark: Option<f64>,
}

impl Workload {
    /// How many requests there are.
    pub fn requests(&self) -> usize {
        self.scores.len() + self.generations.len()
    }

    /// All prompts of a model that are known before the run; later turns of dialogues are not.
    pub(super) fn of_units(plan: &RunPlan, units: &[Unit]) -> Self {
        let names: Vec<&str> = plan.datasets.iter().map(|dataset| dataset.abbr.as_str()).collect();
        let name = match names.as_slice() {
            [] => String::new(),
            [only] => (*only).to_owned(),
            [first, others @ ..] => format!("{first} and {} more", others.len()),
        };
        let mut workload = Self { name, ..Self::default() };
        for unit in units {
            let prompts = unit.samples.iter().flat_map(|sample| &sample.prompts);
            for question in prompts.map(|prompt| unit.inferencer.question(prompt)) {
                match question {
                    Question::Score(request) => workload.scores.push(request),
                    Question::Generate(request) => workload.generations.push(request),
                    // An inferencer asks about ids; the run turns that into a served model's question.
                    Question::Served(_) => {}
                }
            }
        }
        workload
    }
}

/// Made-up questions in the shape of a known benchmark: lengths in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyntheticWorkload {
    name: &'static str,
    /// Questions, if nobody asks for another number.
    questions: usize,
    /// Questions of the benchmark itself.
    benchmark_questions: usize,
    /// Questions that are asked with the same examples.
    questions_per_subject: usize,
    /// The examples.
    shared_tokens: usize,
    /// The question itself.
    question_tokens: usize,
    candidates: usize,
    candidate_tokens: usize,
    /// What is generated; 0 when candidates are scored.
    new_tokens: usize,
}

/// Every kind, sorted by name: GSM8K's test split, `HellaSwag`'s validation split, and MMLU's 57 subjects of
/// 246 questions on average.
const WORKLOADS: &[SyntheticWorkload] = &[
    SyntheticWorkload {
        name: "gen",
        questions: 64,
        benchmark_questions: 1319,
        questions_per_subject: 1319,
        shared_tokens: 400,
        question_tokens: 60,
        candidates: 1,
        candidate_tokens: 0,
        new_tokens: 64,
    },
    SyntheticWorkload {
        name: "hellaswag10",
        questions: 100,
        benchmark_questions: 10_042,
        questions_per_subject: 10_042,
        shared_tokens: 1000,
        question_tokens: 40,
        candidates: 4,
        candidate_tokens: 25,
        new_tokens: 0,
    },
    SyntheticWorkload {
        name: "mmlu5",
        questions: 246,
        benchmark_questions: 14_042,
        questions_per_subject: 246,
        shared_tokens: 620,
        question_tokens: 96,
        candidates: 4,
        candidate_tokens: 1,
        new_tokens: 0,
    },
];

/// Which tokens of made-up texts are scored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScoredTokens {
    /// Those of the candidates.
    Answers,
    /// All, as a run does that compares whole texts.
    #[default]
    All,
}

/// No way to score tokens has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {0:?}; expected all or answers")]
pub struct UnknownScoredTokens(String);

impl FromStr for ScoredTokens {
    type Err = UnknownScoredTokens;

    fn from_str(name: &str) -> Result<Self, UnknownScoredTokens> {
        match name {
            "all" => Ok(Self::All),
            "answers" => Ok(Self::Answers),
            _ => Err(UnknownScoredTokens(name.to_owned())),
        }
    }
}

impl SyntheticWorkload {
    /// What it is called.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The questions, as many as `limit` says, of tokens that the model knows. Where the model's
    /// context is too short, the examples are shortened first and all else after them.
    pub fn for_model(
        &self,
        spec: &DecoderSpec,
        limit: Option<usize>,
        scored: ScoredTokens,
    ) -> Workload {
        let context_tokens = spec.context_tokens;
        let own_tokens = self.question_tokens + self.candidate_tokens + self.new_tokens;
        let shared_tokens = self.shared_tokens.min(context_tokens.saturating_sub(own_tokens));
        let question_tokens = self
            .question_tokens
            .min(context_tokens.saturating_sub(self.candidate_tokens + self.new_tokens))
            .max(1);
        let mut random = Mt64::new(SEED);
        let vocabulary_size = spec.vocabulary_size.max(1) as u64;
        let mut tokens = |count: usize| -> Vec<u32> {
            (0..count).map(|_| (random.next_u64() % vocabulary_size) as u32).collect()
        };
        let questions = limit.unwrap_or(self.questions);
        let mut workload = Workload {
            name: self.name.to_owned(),
            ignore_eos: true,
            whole_benchmark: Some(self.benchmark_questions as f64 / questions.max(1) as f64),
            ..Workload::default()
        };
        let mut shared = Vec::new();
        for question in 0..questions {
            if question % self.questions_per_subject == 0 {
                shared = tokens(shared_tokens);
            }
            let prompt = [shared.as_slice(), &tokens(question_tokens)].concat();
            for _ in 0..self.candidates {
                if self.new_tokens > 0 {
                    workload.generations.push(GenerateRequest {
                        ids: prompt.as_slice().into(),
                        max_new_tokens: self.new_tokens,
                        min_new_tokens: 0,
                        stop: Vec::new(),
                        shown: Vec::new(),
                        sampling: None,
                    });
                } else {
                    let ids = [prompt.as_slice(), &tokens(self.candidate_tokens)].concat().into();
                    let first_target = match scored {
                        ScoredTokens::Answers => prompt.len(),
                        ScoredTokens::All => 0,
                    };
                    workload.scores.push(ScoreRequest { ids, first_target });
                }
            }
        }
        workload
    }
}

impl FromStr for SyntheticWorkload {
    type Err = PlanError;

    fn from_str(name: &str) -> Result<Self, PlanError> {
        WORKLOADS.iter().find(|workload| workload.name == name).copied().ok_or_else(|| {
            PlanError::NoSuch {
                what: "workload",
                pattern: name.to_owned(),
                names: WORKLOADS.iter().map(Self::name).collect::<Vec<_>>().join(", "),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::families;

    fn spec(context_tokens: usize) -> DecoderSpec {
        let config = serde_json::json!({
            "model_type": "llama", "hidden_size": 32, "intermediate_size": 64, "vocab_size": 50,
            "num_hidden_layers": 1, "num_attention_heads": 4,
            "max_position_embeddings": context_tokens,
        });
        families::describe(std::path::Path::new("config.json"), config).unwrap().spec
    }

    #[test]
    fn questions_fit_the_model_and_are_the_same_every_time() {
        assert!(WORKLOADS.is_sorted_by_key(|workload| workload.name));
        for workload in WORKLOADS {
            for context_tokens in [20, 70, 300, 2048] {
                let spec = spec(context_tokens);
                let made = workload.for_model(&spec, Some(3), ScoredTokens::All);
                assert_eq!(made, workload.for_model(&spec, Some(3), ScoredTokens::All));
                assert_eq!(
                    made.scores.len() + made.generations.len(),
                    3 * workload.candidates,
                    "{}",
                    workload.name
                );
                let ids = made.scores.iter().map(|request| &request.ids);
                for ids in ids.chain(made.generations.iter().map(|request| &request.ids)) {
                    assert!(ids.iter().all(|id| *id < 50));
                    assert!(context_tokens < 70 || ids.len() <= context_tokens);
                }
            }
        }
    }
}
