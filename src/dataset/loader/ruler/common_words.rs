//! Which words of a long list are the most common ones.

use super::{
    super::class::{ClassForm, own},
    Task, numbered,
    word_lists::words,
};
use crate::{
    dataset::loader::row::{Flaw, Made, formatted},
    python::PythonRandom,
};

const MODULE: &str = "opencompass/datasets/ruler/ruler_cwe.py";

/// By how many words a list grows.
const STEP: usize = 10;

pub(crate) const COMMON_WORDS: ClassForm = own(
    &[
        "max_seq_length?",
        "tokenizer_model?",
        "template?",
        "tokens_to_generate?",
        "freq_cw?",
        "freq_ucw?",
        "num_cw?",
        "num_samples?",
        "random_seed?",
        "remove_newline_tab?",
    ],
    |arguments| {
        let task = Task::new(arguments, MODULE)?;
        let mut known = Vec::new();
        for list in ["noun", "adjective", "verb"] {
            known.extend(words(arguments, list)?);
        }
        known.sort_unstable();
        known.dedup();
        PythonRandom::from_seed(task.seed).shuffle(&mut known);
        let (often, seldom) = (task.number("freq_cw")?, task.number("freq_ucw")?);
        let lists = Lists { known, seed: task.seed, common: task.number("num_cw")? };
        let mut random = PythonRandom::from_seed(task.seed);
        let is_short = task.most_tokens < 4096;
        let mut sample = |count: usize| -> Made<(String, Vec<String>)> {
            let (example, asked) = if is_short {
                (lists.drawn(&mut random, 20, 3, 1)?, lists.drawn(&mut random, count, 6, 1)?)
            } else {
                let example = lists.drawn(&mut random, 40, 10, 3)?;
                (example, lists.drawn(&mut random, count, often, seldom)?)
            };
            let prompt = |context: &str| {
                formatted(&task.template, &[], &[("context", context), ("query", "")])
            };
            let solved = numbered(example.1.iter().map(String::as_str));
            let text = format!("{}{solved}\n{}", prompt(&example.0)?, prompt(&asked.0)?);
            Ok((text, asked.1))
        };
        let most = lists.known.len();
        let made = task
            .filling(
                STEP,
                |count| (count + STEP > most).then_some(most),
                |count| {
                    let (text, answer) = sample(count)?;
                    let answer = numbered(answer.iter().map(String::as_str));
                    task.tokens.count(&format!("{text} {answer}"))
                },
            )
            .and_then(|count| task.drawn(count, STEP, |_, count| sample(count)));
        arguments.asked(made)
    },
)
.with_texts(&[MODULE]);

/// What lists are drawn from.
struct Lists {
    known: Vec<String>,
    seed: u64,
    common: usize,
}

impl Lists {
    /// A list of so many different words, the common and the others repeated, and the common ones.
    fn drawn(
        &self,
        random: &mut PythonRandom,
        count: usize,
        often: usize,
        seldom: usize,
    ) -> Made<(String, Vec<String>)> {
        let places = random.sample(self.known.len(), count);
        let places = places
            .ok_or_else(|| Flaw(format!("{count} words, but there are {}", self.known.len())))?;
        let (common, others) = places.split_at(self.common.min(places.len()));
        let mut list = common.repeat(often);
        list.extend(others.repeat(seldom));
        PythonRandom::from_seed(self.seed).shuffle(&mut list);
        let word = |place: &usize| self.known.get(*place).map_or("", String::as_str);
        let common = common.iter().map(|place| word(place).to_owned()).collect();
        Ok((numbered(list.iter().map(word)), common))
    }
}
