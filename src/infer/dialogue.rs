//! Inferencers that hold a dialogue: several questions to a sample, each after an answer.
//!
//! A dialogue is a function of the sample and of the replies so far, so nothing is kept between two
//! questions: [`Inferencer::next`] begins the dialogue again and tells it every reply. Where the
//! gold answers stand between the questions, all of them are asked at once, and nothing is left to
//! ask next. What kind of dialogue it is, is its [`Script`]'s business.

use std::sync::Arc;

use serde_json::Value as Json;

use super::{
    Continued, DialogueForm, Exchange, InferError, Inferencer, ModelDefaults, Outcome, Prepared,
    PreparedPrompt, Task, TurnNote, continuation::Continuation, examples::Examples, fit::fit,
};
use crate::{
    answer::{self, Answer},
    prompt::{DialogueMode, PromptError},
};

/// What one kind of dialogue does differently from another.
pub(super) trait Script: Send + Sync + std::fmt::Debug {
    /// Whether it needs a `prompt_template`.
    fn needs_template(&self) -> bool {
        true
    }

    /// What OpenCompass's summary calls it; see [`Inferencer::summary_mode`].
    fn summary_mode(&self) -> &'static str {
        "gen"
    }

    /// Whether its prompts hold in-context examples.
    fn shows_examples(&self) -> bool {
        true
    }

    /// What stands in place of the output column.
    fn mask(&self) -> Option<&str> {
        None
    }

    /// What is odd about a data set.
    fn notes(&self, _: &Task<'_>) -> Vec<String> {
        Vec::new()
    }

    /// Begins the dialogue of a sample.
    fn begin(
        &self,
        task: &Task<'_>,
        sample: usize,
        mode: DialogueMode,
    ) -> Result<Box<dyn Conversation>, PromptError>;
}

/// A dialogue under way.
pub(super) trait Conversation {
    /// What is asked next, until there is nothing.
    fn question(&self, task: &Task<'_>) -> Result<Option<Question>, PromptError>;

    /// Goes on to the next question.
    fn answered(&mut self, reply: &str);

    /// How it is kept.
    fn form(&self) -> DialogueForm;

    /// Most tokens of a reply, if the sample says it.
    fn max_out_len(&self) -> Option<usize> {
        None
    }
}

/// A turn before it is fitted into the context.
pub(super) struct Question {
    /// What the model reads.
    pub(super) text: String,
    /// The gold answer as it would be said.
    pub(super) gold: String,
    /// What is kept of it.
    pub(super) note: TurnNote,
}

/// Asks for the answers of every sample's dialogue.
#[derive(Debug)]
pub struct DialogueInferencer {
    pub(super) script: Arc<dyn Script>,
    pub(super) mode: DialogueMode,
    pub(super) continuation: Continuation,
}

impl DialogueInferencer {
    fn begin(&self, task: &Task<'_>, sample: usize) -> Result<Box<dyn Conversation>, InferError> {
        self.script
            .begin(task, sample, self.mode)
            .map_err(|source| InferError::Prompt { sample, source })
    }

    /// The next prompt of a conversation, and the gold answer to it.
    fn prompt(
        &self,
        task: &Task<'_>,
        sample: usize,
        conversation: &dyn Conversation,
    ) -> Result<Option<(PreparedPrompt, String)>, InferError> {
        let failed = |source| InferError::Prompt { sample, source };
        let Some(Question { text, gold, note }) = conversation.question(task).map_err(failed)?
        else {
            return Ok(None);
        };
        let max_new_tokens = conversation.max_out_len().unwrap_or(self.continuation.max_out_len());
        let room_tokens = task.room_tokens(max_new_tokens);
        // Examples are never dropped from a dialogue; what is too long is cut.
        let fitted =
            fit(task, &mut Examples::none(task, sample)?, room_tokens, |_| Ok(text.clone()))?;
        let prompt = self.continuation.prompt(task, fitted, max_new_tokens);
        Ok(Some((PreparedPrompt { turn: Some(note), ..prompt }, gold)))
    }
}

impl Inferencer for DialogueInferencer {
    fn mode(&self) -> &'static str {
        "gen"
    }

    fn summary_mode(&self) -> &'static str {
        self.script.summary_mode()
    }

    fn needs_template(&self) -> bool {
        self.script.needs_template()
    }

    fn with_defaults(&self, defaults: ModelDefaults) -> Box<dyn Inferencer> {
        Box::new(Self {
            script: self.script.clone(),
            mode: self.mode,
            continuation: self.continuation.with_defaults(defaults),
        })
    }

    fn mask(&self) -> Option<&str> {
        self.script.mask()
    }

    fn max_new_tokens(&self) -> usize {
        self.continuation.max_out_len()
    }

    fn shows_examples(&self) -> bool {
        self.script.shows_examples()
    }

    fn is_greedy(&self) -> bool {
        self.continuation.is_greedy()
    }

    fn not_served(&self) -> Option<&'static str> {
        None
    }

    fn check(&self, task: &Task<'_>) -> Result<Vec<String>, InferError> {
        Continuation::check(task, self.continuation.max_out_len())?;
        let has_budget =
            task.tokenizer.thinking().is_some_and(|thinking| thinking.budget_tokens.is_some());
        let note = has_budget.then(|| {
            "reasoning_budget has no effect in a dialogue: thinking and answer share max_out_len".to_owned()
        });
        Ok(self.script.notes(task).into_iter().chain(note).collect())
    }

    fn prepare(&self, task: &Task<'_>, sample: usize) -> Result<Prepared, InferError> {
        let mut conversation = self.begin(task, sample)?;
        if let Some(max_out_len) = conversation.max_out_len() {
            Continuation::check(task, max_out_len)?;
        }
        let mut prompts = Vec::new();
        while let Some((prompt, gold)) = self.prompt(task, sample, &*conversation)? {
            prompts.push(prompt);
            conversation.answered(&gold);
        }
        let known = if self.mode == DialogueMode::Every { 1 } else { prompts.len() };
        Ok(Prepared {
            sample,
            run: 0,
            foreseen: prompts.split_off(known.min(prompts.len())),
            prompts,
            in_context_examples: String::new(),
            dropped_examples: 0,
            askings: Vec::new(),
            dialogue: Some(conversation.form()),
            known: None,
        })
    }

    fn question(&self, prompt: &PreparedPrompt) -> answer::Question {
        self.continuation.question(prompt)
    }

    fn next(
        &self,
        task: &Task<'_>,
        asked: &Prepared,
        answers: &[Answer],
    ) -> Result<Option<PreparedPrompt>, InferError> {
        let mut conversation = self.begin(task, asked.sample)?;
        for (answer, prompt) in answers.iter().zip(&asked.prompts) {
            let text = match answer {
                Answer::Generation(generation) => &generation.text,
                Answer::ServedText(own) => &own.text,
                _ => return Ok(None),
            };
            match &prompt.thinking {
                // What was thought is no part of the dialogue.
                Some(form) => conversation.answered(&form.parted(text).1),
                None => conversation.answered(text),
            }
        }
        let prompt = self.prompt(task, asked.sample, &*conversation)?;
        Ok(prompt.map(|(prompt, _)| prompt))
    }

    fn outcome(&self, prepared: &Prepared) -> Outcome {
        let exchanges = prepared.prompts.iter().map(|prompt| {
            let (origin_prompt, gold) = match &prompt.turn {
                Some(TurnNote { origin_prompt, gold }) => (origin_prompt.clone(), gold.clone()),
                None => (Json::String(prompt.origin_prompt.to_string()), None),
            };
            Exchange {
                prompt: prompt.text.to_string(),
                origin_prompt,
                gold,
                thinking: prompt.thinking.clone(),
                continuation: Continued::default(),
            }
        });
        let form = prepared.dialogue.unwrap_or(DialogueForm::Last);
        Outcome::Dialogue { form, exchanges: exchanges.collect() }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::{
        answer::Answered,
        config::{Component, Node},
        dataset::Sample,
        engine::{FinishReason, Generation},
        infer::{self, Tokenize, Wanted},
        prompt::{self, Markup, PromptAssembly},
    };

    /// A token per byte.
    struct Bytes;

    impl Tokenize for Bytes {
        fn encode(&self, text: &str) -> Result<Vec<u32>, String> {
            Ok(text.bytes().map(u32::from).collect())
        }

        fn encode_within(&self, text: &str, max_tokens: usize) -> Result<Vec<u32>, String> {
            Ok(text.bytes().take(max_tokens).map(u32::from).collect())
        }
    }

    fn component(config: &Json) -> Component {
        Component::parse(&Node::from_json(config)).unwrap()
    }

    fn inferencer(kind: &str, mode: &str) -> Box<dyn Inferencer> {
        let config = json!({"type": kind, "infer_mode": mode, "max_out_len": 4});
        infer::build(&component(&config)).unwrap()
    }

    /// For one sample.
    static NO_EXAMPLES: [Vec<usize>; 1] = [Vec::new()];

    /// A task of one sample.
    fn task<'a>(
        assembly: &'a PromptAssembly,
        test: &'a [Sample],
        input_columns: &'a [String],
        max_seq_len_tokens: usize,
    ) -> Task<'a> {
        Task {
            train: &[],
            test,
            input_columns,
            output_column: Some("answer"),
            assembly,
            examples: &NO_EXAMPLES,
            markup: &Markup::Lines,
            tokenizer: &Bytes,
            max_seq_len_tokens,
            stop_words: &[],
            wanted: Wanted::Nothing,
            found_labels: OnceLock::new(),
        }
    }

    fn sample(questions: &[String], golds: &[String]) -> Sample {
        let columns = [("question", json!(questions)), ("answer", json!(golds))];
        Sample::new(columns.map(|(name, value)| (name.to_owned(), value)).to_vec())
    }

    fn reply(text: &str) -> Answer {
        let (text, finish) = (text.to_owned(), FinishReason::Eos);
        Answer::Generation(Generation { ids: Vec::new(), text, finish })
    }

    #[test]
    fn a_turn_without_an_answer_ends_its_dialogue() {
        let texts = ["a", "b", "c"].map(str::to_owned);
        let (assembly, columns) = (PromptAssembly::without_templates(), ["question".to_owned()]);
        let test = [sample(&texts, &texts)];
        let task = task(&assembly, &test, &columns, 60);
        let chat = inferencer("ChatInferencer", "every");
        let mut asked = chat.prepare(&task, 0).unwrap();
        assert_eq!((asked.prompts.len(), asked.foreseen.len()), (1, 2));
        let mut answers = vec![reply("x")];
        asked.prompts.extend(chat.next(&task, &asked, &answers).unwrap());
        assert_eq!(&*asked.prompts[1].text, "a\nx\nb");
        answers.push(Answer::Failed("no memory".to_owned()));
        assert!(chat.next(&task, &asked, &answers).unwrap().is_none());
        let error = "turn 2: no memory".to_owned();
        let answered = answers.into_iter().map(|answer| Answered { ids: [].into(), answer });
        let outcome = chat.outcome(&asked).with_answers(answered.collect());
        assert_eq!(outcome, Outcome::Failed { error });
    }

    /// What is sent, turn by turn, to a model that gives these replies.
    fn sent(inferencer: &dyn Inferencer, task: &Task<'_>, replies: &[String]) -> Vec<Vec<u32>> {
        let mut prepared = inferencer.prepare(task, 0).unwrap();
        let mut answers = Vec::new();
        for text in replies {
            answers.push(reply(text));
            if answers.len() == prepared.prompts.len() {
                prepared.prompts.extend(inferencer.next(task, &prepared, &answers).unwrap());
            }
        }
        prepared.prompts.into_iter().map(|prompt| prompt.ids.to_vec()).collect()
    }

    proptest! {
        /// Who answers with the golds reads in mode `every` what `every_with_gt` shows at once.
        #[test]
        fn golds_as_replies_are_the_gold_dialogue(
            turns in prop::collection::vec(("[a-z ]{0,9}", "[a-z ]{0,9}"), 1..5),
            room in 5_usize..60,
            kind in prop::sample::select(vec!["ChatInferencer", "MultiTurnGenInferencer"]),
        ) {
            let (questions, golds): (Vec<String>, Vec<String>) = turns.into_iter().unzip();
            let template = json!({"type": "MultiTurnPromptTemplate", "template": {"round": [
                {"role": "HUMAN", "prompt": "Q {question}"}, {"role": "BOT", "prompt": "{answer}"}]}});
            let assembly = if kind == "ChatInferencer" {
                PromptAssembly::without_templates()
            } else {
                let template = prompt::build(&component(&template)).unwrap();
                PromptAssembly::new(None, Some(template), "", "").unwrap()
            };
            let (test, columns) = ([sample(&questions, &golds)], ["question".to_owned()]);
            let task = task(&assembly, &test, &columns, room);
            let at_once = inferencer(kind, "every_with_gt").prepare(&task, 0).unwrap().prompts;
            let at_once: Vec<Vec<u32>> = at_once.into_iter().map(|prompt| prompt.ids.to_vec()).collect();
            prop_assert_eq!(at_once.len(), golds.len());
            prop_assert_eq!(sent(&*inferencer(kind, "every"), &task, &golds), at_once.clone());
            let last = inferencer(kind, "last");
            prop_assert_eq!(sent(&*last, &task, &golds[..1]), at_once[at_once.len() - 1..].to_vec());
        }
    }
}
