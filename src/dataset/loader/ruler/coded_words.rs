//! Which three of many made-up words are the most frequent, their frequencies falling as a power.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    super::class::{ClassForm, Tables, own},
    Task,
};
use crate::{
    dataset::loader::row::{Flaw, Made, formatted},
    python::PythonRandom,
};

const MODULE: &str = "opencompass/datasets/ruler/ruler_fwe.py";

pub(crate) const CODED_WORDS: ClassForm = own(
    &[
        "max_seq_length?",
        "tokenizer_model?",
        "template?",
        "tokens_to_generate?",
        "alpha?",
        "coded_wordlen?",
        "num_samples?",
        "random_seed?",
        "remove_newline_tab?",
        "vocab_size?",
    ],
    |arguments| {
        let task = Task::new(arguments, MODULE)?;
        let number = |name: &str, default: f64| {
            arguments.fields.get(name).and_then(Value::as_f64).unwrap_or(default)
        };
        let vocabulary = arguments.whole("vocab_size", -1)?;
        let words = Words {
            task: &task,
            letters: task.number("coded_wordlen")?.max(1),
            different: usize::try_from(vocabulary).unwrap_or(task.most_tokens / 50),
            step: task.most_tokens / 32,
            power: number("alpha", 2.0),
        };
        if words.different < 4 || words.step == 0 || words.power <= 1.0 {
            return arguments.asked(Flaw::new(
                "max_seq_length leaves fewer than four words, or alpha is not above 1",
            ));
        }
        let mut random = PythonRandom::from_seed(task.seed);
        let made = words.longest(&mut random).and_then(|count| {
            // A list that is too long is cut there and never drawn again, so its length is not held against it.
            let rows = (0..task.samples)
                .map(|_| Ok(task.row(words.at_most(&mut random, count)?)))
                .collect::<Made<_>>();
            rows.map(Tables::Single)
        });
        arguments.asked(made)
    },
)
.with_texts(&[MODULE]);

/// What lists are made of.
struct Words<'a> {
    task: &'a Task<'a>,
    letters: usize,
    different: usize,
    step: usize,
    power: f64,
}

impl Words<'_> {
    /// A vocabulary in the order of frequency; the first is noise.
    fn vocabulary(&self, random: &mut PythonRandom) -> Vec<String> {
        let mut word = || -> String {
            let letters = random.choices(26, self.letters).into_iter();
            letters.map(|place| char::from(b'a' + place as u8)).collect()
        };
        let mut known: BTreeSet<String> = (0..self.different).map(|_| word()).collect();
        while known.len() < self.different {
            known.insert(word());
        }
        let mut known: Vec<String> = known.into_iter().collect();
        PythonRandom::from_seed(self.task.seed).shuffle(&mut known);
        if let Some(noise) = known.first_mut() {
            "...".clone_into(noise);
        }
        known
    }

    /// The prompt with so many words.
    fn prompt(&self, known: &[String], count: usize) -> Made<String> {
        let mut list: Vec<&str> = Vec::new();
        for (rank, word) in (1..).zip(known) {
            let share = count as f64 * f64::from(rank).powf(-self.power) / zeta(self.power);
            list.extend(std::iter::repeat_n(&**word, share as usize));
        }
        PythonRandom::from_seed(self.task.seed).shuffle(&mut list);
        formatted(&self.task.template, &[], &[("context", &list.join(" ")), ("query", "")])
    }

    fn tokens(&self, known: &[String], count: usize) -> Made<usize> {
        self.task.tokens.count(&self.prompt(known, count)?)
    }

    /// How many words the length can hold.
    fn longest(&self, random: &mut PythonRandom) -> Made<usize> {
        let known = self.vocabulary(random);
        let mut count = self.task.most_tokens / self.letters;
        while self.tokens(&known, count)? < self.task.most_tokens {
            count += self.step;
        }
        Ok(count.saturating_sub(self.step))
    }

    /// A sample of so many words, or of fewer that fit.
    fn at_most(&self, random: &mut PythonRandom, mut count: usize) -> Made<super::Sample> {
        let known = self.vocabulary(random);
        while self.tokens(&known, count)? > self.task.most_tokens {
            count = count.checked_sub(self.step).ok_or_else(|| {
                Flaw(format!("max_seq_length={} is too short", self.task.most_tokens))
            })?;
        }
        let asked = known.get(1..4).unwrap_or_default().to_vec();
        Ok((self.prompt(&known, count)?, asked))
    }
}

/// Riemann's zeta function above one: the first terms, and the rest by Euler and Maclaurin's formula.
fn zeta(power: f64) -> f64 {
    const FIRST: u32 = 10;
    // B(2k) / (2k)!
    const FACTORS: [f64; 8] = [
        1.0 / 12.0,
        -1.0 / 720.0,
        1.0 / 30_240.0,
        -1.0 / 1_209_600.0,
        1.0 / 47_900_160.0,
        -691.0 / 1_307_674_368_000.0,
        1.0 / 74_724_249_600.0,
        -3_617.0 / 10_670_622_842_880_000.0,
    ];
    let last = f64::from(FIRST);
    let mut sum: f64 = (1..FIRST).map(|term| f64::from(term).powf(-power)).sum();
    sum += last.powf(-power) / 2.0 + last.powf(1.0 - power) / (power - 1.0);
    let mut factor = power * last.powf(-power - 1.0);
    for (index, weight) in (0..).zip(FACTORS) {
        sum += weight * factor;
        let next = power + 2.0 * f64::from(index);
        factor *= (next + 1.0) * (next + 2.0) / (last * last);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::zeta;

    #[test]
    fn zeta_is_known_at_even_numbers() {
        let circle = std::f64::consts::PI.powi(2);
        assert!((zeta(2.0) - circle / 6.0).abs() < 1e-15);
        assert!((zeta(4.0) - circle * circle / 90.0).abs() < 1e-15);
        assert!((zeta(1.5) - 2.612_375_348_685_488).abs() < 1e-14);
    }
}
