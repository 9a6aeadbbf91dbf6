//! A data set under a model while it is being asked about: its samples, their questions, and the answers so far.

use std::collections::HashSet;

use rayon::prelude::*;

use crate::{
    answer::{Answer, QuestionKey},
    infer::{Inferencer, Outcome, Prepared, PreparedPrompt, Record, Task},
    kept_run::kept_sample,
    model::{
        media::{ShownMedium, Sight},
        vision::is_image_id,
    },
    origin::{Ingredients, Origin, OriginNumbers, SampleOrigins},
    prepare::Unit,
    prompt::Markup,
    store::SampleRow,
};

/// Samples whose origins are held at once before they are numbered.
const TRACED_TOGETHER: usize = 1024;

/// One data set under a model, while it is being answered.
pub(super) struct Assignment<'a> {
    task: Task<'a>,
    pub(super) inferencer: Box<dyn Inferencer>,
    pub(super) samples: Vec<AskedSample>,
}

/// A sample that is being asked about.
pub(super) struct AskedSample {
    pub(super) prepared: Prepared,
    /// The questions of its prompts, as far as they were asked, and whether they are answered.
    pub(super) questions: Vec<QuestionKey>,
    /// The answers to them; surprisals are in the store and not kept here.
    pub(super) answers: Vec<Option<Answer>>,
    /// Why there is no answer to it.
    failure: Option<String>,
    pub(super) is_finished: bool,
    /// Whether the bar has counted it.
    pub(super) is_counted: bool,
    /// Whether another shard asks it.
    is_left_out: bool,
}

/// Whose prompt a question is.
#[derive(Clone, Copy, Debug)]
pub(super) struct PromptPlace {
    pub(super) assignment: usize,
    pub(super) sample: usize,
    pub(super) prompt: usize,
}

/// Every id that was asked about or generated. There are millions of few kinds, so they are marked, not hashed.
pub(super) fn different_ids(assignments: &[Assignment<'_>]) -> HashSet<u32> {
    let mut is_there: Vec<bool> = Vec::new();
    let ids = assignments.iter().flat_map(Assignment::ids);
    for id in ids.filter(|id| !is_image_id(*id)) {
        let place = id as usize;
        if place >= is_there.len() {
            is_there.resize(place + 1, false);
        }
        is_there[place] = true;
    }
    (0..).zip(is_there).filter_map(|(id, is_there)| is_there.then_some(id)).collect()
}

impl<'a> Assignment<'a> {
    /// A data set of which nothing is asked yet.
    pub(super) fn new(unit: Unit, task: Task<'a>) -> Self {
        let Unit { inferencer, samples, .. } = unit;
        let sample = |prepared| AskedSample {
            prepared,
            questions: Vec::new(),
            answers: Vec::new(),
            failure: None,
            is_finished: false,
            is_counted: false,
            is_left_out: false,
        };
        Self { task, inferencer, samples: samples.into_iter().map(sample).collect() }
    }

    /// How many samples there are.
    pub(super) fn len(&self) -> usize {
        self.samples.len()
    }

    /// Leaves samples to other shards, by their rows in the test split.
    pub(super) fn leave_out(&mut self, is_anothers: &dyn Fn(usize) -> bool) {
        for sample in self.samples.iter_mut().filter(|own| is_anothers(own.prepared.sample)) {
            sample.failure = Some("another shard asks it".to_owned());
            sample.is_finished = true;
            sample.is_left_out = true;
        }
    }

    /// How many samples are asked here.
    pub(super) fn own_samples(&self) -> usize {
        self.samples.iter().filter(|sample| !sample.is_left_out).count()
    }

    /// How many of these have no answer.
    pub(super) fn failed_samples(&self) -> usize {
        let has_failed = |sample: &&AskedSample| {
            let is_known = matches!(sample.prepared.known, Some(Outcome::Failed { .. }));
            !sample.is_left_out && (is_known || sample.failure.is_some())
        };
        self.samples.iter().filter(has_failed).count()
    }

    /// Samples with a prompt that had to be cut.
    pub(super) fn cut_samples(&self) -> usize {
        let is_cut =
            |sample: &&AskedSample| !sample.is_left_out && sample.prepared.truncated_tokens() > 0;
        self.samples.iter().filter(is_cut).count()
    }

    /// The questions of each sample, in their order.
    pub(super) fn questions(&self) -> impl Iterator<Item = &[QuestionKey]> {
        self.samples.iter().map(|sample| sample.questions.as_slice())
    }

    /// Every id that was asked about or generated, as often as it was.
    fn ids(&self) -> impl Iterator<Item = u32> {
        self.samples.iter().flat_map(|sample| {
            let prompts = sample.prepared.prompts.iter().flat_map(|prompt| prompt.ids.iter());
            let answers = sample.answers.iter().flatten().flat_map(|answer| match answer {
                Answer::Generation(generation) => generation.ids.as_slice(),
                _ => &[],
            });
            prompts.chain(answers).copied()
        })
    }

    /// Where the texts of the samples come from, as they keep it, and what that numbers. It is found here, where the
    /// templates and the examples are at hand: a store has neither.
    pub(super) fn origins(&self, markup: &Markup) -> (Vec<String>, Vec<Origin>) {
        let mut numbers = OriginNumbers::default();
        let mut kept = Vec::with_capacity(self.samples.len());
        let traced = |sample: &AskedSample| {
            let Task { assembly, output_column, train, test, examples, .. } = &self.task;
            let number = sample.prepared.sample;
            let ingredients = Ingredients {
                assembly,
                markup,
                sample: &test[number],
                examples: examples[number].iter().filter_map(|index| train.get(*index)).collect(),
                output_column: *output_column,
                mask: self.inferencer.mask().unwrap_or(""),
            };
            SampleOrigins::of(ingredients, &sample.prepared)
        };
        for samples in self.samples.chunks(TRACED_TOGETHER) {
            let found: Vec<SampleOrigins> = samples.par_iter().map(traced).collect();
            kept.extend(found.into_iter().map(|own| numbers.kept(own)));
        }
        (kept, numbers.into_origins())
    }

    /// The samples as rows of the store, in their order, each with its origins.
    pub(super) fn rows(&self, origins: Vec<String>) -> impl Iterator<Item = SampleRow> {
        let images: Vec<_> = self.samples.par_iter().map(|own| self.images(own)).collect();
        let told = origins.into_iter().zip(images);
        self.samples.iter().zip(told).map(|(sample, (origins, images))| {
            let AskedSample { prepared, questions, failure, .. } = sample;
            let failed = failure.clone().map(|error| Outcome::Failed { error });
            let outcome = failed
                .or_else(|| prepared.known.clone())
                .unwrap_or_else(|| self.inferencer.outcome(prepared));
            let questions = if failure.is_some() { Vec::new() } else { questions.clone() };
            let record = Record {
                id: prepared.run * self.task.test.len() + prepared.sample,
                gold: self.task.gold(prepared.sample).cloned(),
                dropped_examples: prepared.dropped_examples,
                truncated_tokens: prepared.truncated_tokens(),
                images,
                outcome,
            };
            kept_sample::row(&self.task.test[prepared.sample], record, origins, questions)
        })
    }

    /// The images of each prompt of a sample; nothing if there are none. One whose tokens are not known is shown by its name.
    fn images(&self, sample: &AskedSample) -> Vec<Vec<ShownMedium>> {
        let prompts = &sample.prepared.prompts;
        if !prompts.iter().any(|prompt| Sight::is_marked(&prompt.text)) {
            return Vec::new();
        }
        let of_prompt =
            |prompt: &PreparedPrompt| self.task.tokenizer.images(&prompt.text).unwrap_or_default();
        prompts.iter().map(of_prompt).collect()
    }

    /// After all questions of a sample are answered, finds out what to ask next; whether the sample is
    /// finished by that.
    pub(super) fn go_on(&mut self, sample: usize) -> bool {
        let own = &mut self.samples[sample];
        if own.is_finished || own.answers.iter().any(Option::is_none) {
            return false;
        }
        let may_go_on = own.prepared.known.is_none() && own.failure.is_none();
        if own.answers.len() == own.prepared.prompts.len() && may_go_on {
            let answers: Vec<Answer> = own.answers.iter().flatten().cloned().collect();
            match self.inferencer.next(&self.task, &own.prepared, &answers) {
                Ok(Some(mut prompt)) => {
                    prompt.draw.run = own.prepared.run;
                    own.prepared.prompts.push(prompt);
                    return false;
                }
                Ok(None) => (),
                Err(error) => own.failure = Some(error.to_string()),
            }
        }
        own.is_finished = own.failure.is_some() || own.answers.len() == own.prepared.prompts.len();
        own.is_finished
    }

    pub(super) fn hear(&mut self, place: PromptPlace, answer: Answer) {
        let own = &mut self.samples[place.sample];
        if let Answer::Failed(error) = &answer {
            let turn = match own.prepared.dialogue {
                Some(_) => format!("turn {}: ", place.prompt + 1),
                None => String::new(),
            };
            own.failure.get_or_insert(format!("{turn}{error}"));
        }
        own.answers[place.prompt] = Some(answer);
    }
}
