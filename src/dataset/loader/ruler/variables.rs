//! Chains of assigned variables among sentences that say nothing: which of them have a value.

use std::collections::BTreeSet;

use super::{
    super::class::{ClassForm, own},
    Sample, Task,
};
use crate::{
    dataset::loader::row::{Flaw, Made, formatted, strip},
    python::{NumpyRandom, PythonRandom, python_repr},
};

const MODULE: &str = "opencompass/datasets/ruler/ruler_vt.py";

/// By how many lines of noise a text grows.
const STEP: usize = 10;

/// The letters of a variable.
const LETTERS: usize = 5;

pub(crate) const VARIABLES: ClassForm = own(
    &[
        "max_seq_length?",
        "tokenizer_model?",
        "template?",
        "tokens_to_generate?",
        "num_chains?",
        "num_hops?",
        "num_samples?",
        "random_seed?",
        "remove_newline_tab?",
    ],
    |arguments| {
        let task = Task::new(arguments, MODULE)?;
        let noise = arguments.asked(task.wording("_generate_input_output", "noise"))?;
        let chains = Chains {
            task: &task,
            noise,
            count: task.number("num_chains")?,
            hops: task.number("num_hops")?,
        };
        if chains.count == 0 {
            return arguments.asked(Flaw::new("num_chains is at least 1"));
        }
        let seed = u32::try_from(task.seed);
        let seed = arguments.asked(seed.map_err(|_| Flaw("random_seed is below 2^32".into())))?;
        let mut random = (PythonRandom::from_seed(task.seed), NumpyRandom::from_seed(seed));
        let made = task
            .filling(
                STEP,
                |_| None,
                |lines| {
                    let (text, answer) = chains.sample(&mut random, lines)?;
                    let answer = python_repr(&answer.into());
                    task.tokens.count(&format!("{text} {answer}"))
                },
            )
            // A text that is too long is drawn again with as many lines.
            .and_then(|lines| task.drawn(lines, STEP, |_, _| chains.sample(&mut random, lines)));
        arguments.asked(made)
    },
)
.with_texts(&[MODULE]);

/// What texts are made of.
struct Chains<'a> {
    task: &'a Task<'a>,
    noise: String,
    count: usize,
    hops: usize,
}

impl Chains<'_> {
    /// The variables of each chain, and its assignments.
    fn drawn(
        &self,
        random: &mut (PythonRandom, NumpyRandom),
    ) -> Made<(Vec<String>, Vec<Vec<String>>)> {
        let wanted = (self.hops + 1) * self.count;
        let mut variable = || -> String {
            let letters = random.0.choices(26, LETTERS).into_iter();
            letters.map(|place| char::from(b'A' + place as u8)).collect()
        };
        let mut variables: Vec<String> = (0..wanted).map(|_| variable()).collect();
        while variables.iter().collect::<BTreeSet<_>>().len() < wanted {
            variables.push(variable());
        }
        let chains = variables
            .chunks(self.hops + 1)
            .map(|chain| {
                let value = random.1.within(10_000, 99_999);
                if chain.len() <= self.hops {
                    return Flaw::new("two variables are the same, and a chain is too short");
                }
                let first = chain.first().map_or("", String::as_str);
                let mut told = vec![format!("VAR {first} = {value}")];
                told.extend(
                    chain.windows(2).map(|pair| format!("VAR {} = VAR {} ", pair[1], pair[0])),
                );
                Ok(told)
            })
            .collect::<Made<_>>()?;
        variables.truncate(self.hops + 1);
        Ok((variables, chains))
    }

    /// A text with so many lines of noise, and the variables of its first chain.
    fn sample(&self, random: &mut (PythonRandom, NumpyRandom), lines: usize) -> Made<Sample> {
        let (variables, mut chains) = self.drawn(random)?;
        let mut sentences = vec![self.noise.clone(); lines];
        let links = chains.first().map_or(0, Vec::len);
        if sentences.len() <= links {
            let parts = sentences.iter().flat_map(|noise| noise.split('.'));
            let dotted = |part: &str| {
                if strip(part).is_empty() { part.to_owned() } else { format!("{part}.") }
            };
            sentences = parts.map(dotted).collect();
            if sentences.len() <= links {
                let most = sentences.len().saturating_sub(1);
                for chain in &mut chains {
                    chain.truncate(most);
                }
            }
        }
        for chain in &chains {
            let places = random.0.sample(sentences.len(), chain.len());
            let mut places =
                places.ok_or_else(|| Flaw("there are not enough sentences of noise".into()))?;
            places.sort_unstable();
            for (before, (place, link)) in places.into_iter().zip(chain).enumerate() {
                sentences.insert(place + before, link.clone());
            }
        }
        let context = sentences.join(" ").replace(". \n", ".\n");
        let first = chains.first().and_then(|chain| chain.first());
        let value = first.and_then(|link| link.rsplit('=').next());
        let value = value.ok_or_else(|| Flaw("a chain has no link".into()))?;
        let count = (self.hops + 1).to_string();
        let fields = [("context", &*context), ("query", strip(value)), ("num_v", &count)];
        Ok((formatted(&self.task.template, &[], &fields)?, variables))
    }
}
