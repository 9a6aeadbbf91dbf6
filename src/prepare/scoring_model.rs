//! A language model that a retriever asks how surprising texts are.

use std::{collections::HashMap, sync::Arc};

use candle_core::{DType, Device};
use indexmap::IndexMap;

use super::retrieval_models::{
    CheckpointModels, ModelFiles, TOKENIZER, encode_cut, not_kept, unusable,
};
use crate::{
    answer::{Answer, AnswerEvent, Answerer, ModelIdentity, ModelKey, Question, QuestionKey},
    engine::{Engine, EngineOptions, Fleet, NUMERICS, ScoreRequest},
    model::{Checkpoint, Tokenizer, vision::ImageIds},
    ops,
    retrieve::{RetrieveError, ScoredText},
};

/// What the checkpoint is called in messages.
const KIND: &str = "retriever's language model (ce_model_name)";

/// Answers that are gathered between two writes.
const BATCH_ANSWERS: usize = 512;

/// A checkpoint whose weights are read when the first question is new.
pub(super) struct ScoringModel {
    name: String,
    checkpoint: Checkpoint,
    files: ModelFiles,
}

/// A text as it is asked about.
struct Asked {
    ids: Arc<[u32]>,
    /// Tokens at the beginning that do not count.
    uncounted_tokens: usize,
    /// Of the surprisals behind them; none where there is no such token.
    key: Option<QuestionKey>,
}

impl ScoringModel {
    /// Opens the checkpoint.
    pub(super) fn open(name: &str, models: &CheckpointModels<'_>) -> Result<Self, RetrieveError> {
        models.progress().phase(&format!("opening {name}"), 1);
        let checkpoint = Checkpoint::open(name, models.progress()).map_err(unusable(KIND, name))?;
        let numerics = NUMERICS.to_string();
        let facts = ["scorer", numerics.as_str(), ops::instruction_set(), "f32"];
        let files = models.files(&checkpoint.files(), &facts).map_err(not_kept(name))?;
        Ok(Self { name: name.to_owned(), checkpoint, files })
    }

    /// As [`RetrievalModels`](crate::retrieve::RetrievalModels) says.
    pub(super) fn cross_entropies(
        &self,
        tokenizer: &Tokenizer,
        texts: &[ScoredText],
        models: &CheckpointModels<'_>,
    ) -> Result<Vec<f64>, RetrieveError> {
        let asked = self.asked(tokenizer, texts)?;
        let mut distinct: IndexMap<QuestionKey, Question> = IndexMap::new();
        for one in &asked {
            if let Some(key) = one.key {
                distinct.entry(key).or_insert_with(|| one.question());
            }
        }
        let wanted: Vec<QuestionKey> = distinct.keys().copied().collect();
        let mut known: HashMap<QuestionKey, Vec<f32>> = HashMap::with_capacity(wanted.len());
        let kept = models.kept(&wanted).map_err(not_kept(&self.name))?;
        for (key, kept) in wanted.iter().zip(kept) {
            known.extend(kept.map(|nlls| (*key, nlls)));
        }
        distinct.retain(|key, _| !known.contains_key(key));
        models.count(
            format!("scored with {} to choose examples", self.name),
            wanted.len(),
            known.len(),
        );
        if !distinct.is_empty() {
            self.ask(&distinct, &mut known, models)?;
        }
        let padding = tokenizer.eos_id();
        asked.iter().map(|one| self.cross_entropy(one, &known, padding)).collect()
    }

    fn asked(
        &self,
        tokenizer: &Tokenizer,
        texts: &[ScoredText],
    ) -> Result<Vec<Asked>, RetrieveError> {
        let failed = || unusable(TOKENIZER, &self.name);
        let identity = ModelIdentity {
            // Without a store it only tells questions apart.
            key: self.files.key.unwrap_or_else(|| ModelKey::of([])),
            eos_token_ids: Vec::new(),
            is_served: false,
            images: ImageIds::default(),
        };
        let mut lengths: HashMap<&str, usize> = HashMap::new();
        let mut asked = Vec::with_capacity(texts.len());
        for ScoredText { text, uncounted } in texts {
            let uncounted_tokens = match lengths.get(uncounted.as_str()) {
                Some(known) => *known,
                None => tokenizer.encode(uncounted, true).map_err(failed())?.len(),
            };
            lengths.insert(uncounted, uncounted_tokens);
            let ids = encode_cut(tokenizer, text).map_err(failed())?;
            let mut one = Asked { ids: ids.into(), uncounted_tokens, key: None };
            if one.first_target() < one.ids.len() {
                one.key = Some(one.question().key(&identity));
            }
            asked.push(one);
        }
        Ok(asked)
    }

    /// Asks what is not known yet.
    fn ask(
        &self,
        unknown: &IndexMap<QuestionKey, Question>,
        known: &mut HashMap<QuestionKey, Vec<f32>>,
        models: &CheckpointModels<'_>,
    ) -> Result<(), RetrieveError> {
        let progress = models.progress();
        let title =
            format!("scoring {} texts with {} to choose examples", unknown.len(), self.name);
        progress.phase(&title, unknown.len());
        let model =
            self.checkpoint.load(&Device::Cpu, DType::F32).map_err(unusable(KIND, &self.name))?;
        self.files.check().map_err(not_kept(&self.name))?;
        let fleet = Fleet::new(vec![Engine::new(model, EngineOptions::default())]);
        let keys: Vec<QuestionKey> = unknown.keys().copied().collect();
        let questions: Vec<Question> = unknown.values().cloned().collect();
        for (keys, questions) in keys.chunks(BATCH_ANSWERS).zip(questions.chunks(BATCH_ANSWERS)) {
            let mut answers = Vec::with_capacity(keys.len());
            let mut failure = None;
            fleet.answer(questions, &mut |event| {
                if let AnswerEvent::Answered(index, answer) = event {
                    progress.step();
                    match answer {
                        Answer::Score(score) => answers.push((keys[index], score.nlls)),
                        Answer::Failed(what) => failure = Some(what),
                        Answer::Generation(_) | Answer::ServedScore(_) | Answer::ServedText(_) => {}
                    }
                }
            });
            let rows: Vec<(QuestionKey, &[f32])> =
                answers.iter().map(|(key, nlls)| (*key, nlls.as_slice())).collect();
            models.keep(&rows).map_err(not_kept(&self.name))?;
            known.extend(answers);
            if let Some(what) = failure {
                return Err(RetrieveError::NoAnswer { name: self.name.clone(), what });
            }
        }
        Ok(())
    }

    /// The mean over the tokens that count; `padding` ends sequences, and OpenCompass takes it for padding wherever it
    /// stands.
    fn cross_entropy(
        &self,
        asked: &Asked,
        known: &HashMap<QuestionKey, Vec<f32>>,
        padding: Option<u32>,
    ) -> Result<f64, RetrieveError> {
        let counts = |id: &u32| Some(*id) != padding;
        let counted_tokens = asked.ids.iter().filter(|id| counts(id)).count();
        if counted_tokens <= asked.uncounted_tokens {
            return Err(RetrieveError::NoAnswer {
                name: self.name.clone(),
                what: format!(
                    "a prompt of {counted_tokens} tokens has none behind its examples, which have {}; lower ice_num",
                    asked.uncounted_tokens
                ),
            });
        }
        let nlls = asked.key.and_then(|key| known.get(&key)).map(Vec::as_slice).unwrap_or_default();
        let targets = asked.ids.iter().skip(asked.first_target()).zip(nlls);
        let sum: f64 = targets.filter(|(id, _)| counts(id)).map(|(_, nll)| f64::from(*nll)).sum();
        Ok(sum / (counted_tokens - asked.uncounted_tokens) as f64)
    }
}

impl Asked {
    /// The first token whose surprisal counts: OpenCompass masks as many surprisals as there are uncounted tokens,
    /// and the first surprisal is the second token's.
    fn first_target(&self) -> usize {
        self.uncounted_tokens + 1
    }

    fn question(&self) -> Question {
        let first_target = self.first_target();
        Question::Score(ScoreRequest { ids: self.ids.clone(), first_target })
    }
}
