//! Needles in a haystack: magic numbers, words or UUIDs among essays, noise or other needles.

use fancy_regex::Regex;
use serde_json::Value;

use super::{
    super::class::{ClassForm, own},
    Sample, Task,
    word_lists::{Pairs, words},
};
use crate::{
    dataset::{
        DatasetError,
        loader::{
            arguments::{Arguments, unknown},
            file::{Encoding, json_lines},
            row::{Flaw, Made, formatted, strip},
        },
    },
    python::{PythonRandom, is_blank},
};

const MODULE: &str = "opencompass/datasets/ruler/ruler_niah.py";

const KINDS: &[&str] = &["numbers", "words", "uuids"];

/// At how many depths of an essay a needle may lie.
const DEPTHS: usize = 40;

pub(crate) const NEEDLES: ClassForm = own(
    &[
        "base_path",
        "file_path",
        "tokens_to_generate?",
        "max_seq_length?",
        "tokenizer_model?",
        "num_samples?",
        "random_seed?",
        "template?",
        "num_needle_k?",
        "num_needle_v?",
        "num_needle_q?",
        "type_haystack?",
        "type_needle_k?",
        "type_needle_v?",
        "remove_newline_tab?",
    ],
    |arguments| {
        let task = Task::new(arguments, MODULE)?;
        let hidden = Hidden::new(&task)?;
        let mut random = PythonRandom::from_seed(task.seed);
        let step = match &hidden.haystack {
            Haystack::Essay(_) => 500,
            _ if task.most_tokens < 4096 => 5,
            _ => 25,
        };
        let most = |count: usize| match &hidden.haystack {
            Haystack::Essay(words) if count > words.len() => Some(words.len()),
            _ => None,
        };
        let made = task
            .filling(step, most, |count| {
                let (text, answers) = hidden.sample(&mut random, count)?;
                task.tokens.count(&format!("{text}{}", answers.join(" ")))
            })
            .and_then(|count| {
                task.drawn(count, step, |_, count| hidden.sample(&mut random, count))
            });
        arguments.asked(made)
    },
)
.with_texts(&[MODULE]);

/// What needles are hidden in.
enum Haystack {
    /// The words of essays.
    Essay(Vec<String>),
    /// A sentence over and over.
    Repeated(String),
    /// Other needles.
    Needles,
}

/// What texts are made of.
struct Hidden<'a> {
    task: &'a Task<'a>,
    haystack: Haystack,
    needle: String,
    pairs: Option<Pairs>,
    key_kind: String,
    value_kind: String,
    keys: usize,
    values: usize,
    asked: usize,
}

impl<'a> Hidden<'a> {
    fn new(task: &'a Task<'a>) -> Result<Self, DatasetError> {
        let arguments = task.arguments;
        let kind = |name: &str, default: &str| -> Result<String, DatasetError> {
            let kind = arguments.text_or(name, default)?;
            if KINDS.contains(&kind) {
                Ok(kind.to_owned())
            } else {
                arguments.asked(unknown(name, kind, KINDS))
            }
        };
        let (key_kind, value_kind) =
            (kind("type_needle_k", "words")?, kind("type_needle_v", "numbers")?);
        let haystack = match arguments.text_or("type_haystack", "essay")? {
            "essay" => Haystack::Essay(essay(arguments)?),
            "repeat" => Haystack::Repeated(arguments.asked(task.wording("load", "haystack"))?),
            "needle" => Haystack::Needles,
            other => {
                let known = &["essay", "repeat", "needle"];
                return arguments.asked(unknown("type_haystack", other, known));
            }
        };
        let pairs = (key_kind == "words" || value_kind == "words")
            .then(|| -> Result<Pairs, DatasetError> {
                Ok(Pairs::new(words(arguments, "adjective")?, words(arguments, "noun")?))
            })
            .transpose()?;
        let asked = task.number("num_needle_q")?;
        Ok(Self {
            task,
            haystack,
            needle: arguments.asked(task.wording("load", "needle"))?,
            pairs,
            key_kind,
            value_kind,
            keys: task.number("num_needle_k")?.max(asked),
            values: task.number("num_needle_v")?,
            asked,
        })
    }

    /// A value of a kind.
    fn value(&self, random: &mut PythonRandom, kind: &str) -> String {
        match (kind, &self.pairs) {
            ("words", Some(pairs)) => pairs.at(random.choice(pairs.count())),
            ("uuids", _) => uuid(random.wide()),
            _ => random.within(1_000_000, 9_999_999).to_string(),
        }
    }

    fn told(&self, key: &str, value: &str) -> Made<String> {
        let fields = [("type_needle_v", &*self.value_kind), ("key", key), ("value", value)];
        formatted(&self.needle, &[], &fields)
    }

    /// A text with so much hay, and the values it asks for.
    fn sample(&self, random: &mut PythonRandom, count: usize) -> Made<Sample> {
        let (mut keys, mut values, mut needles) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..self.keys {
            let key = self.value(random, &self.key_kind);
            let mut own = Vec::new();
            for _ in 0..self.values {
                let value = self.value(random, &self.value_kind);
                needles.push(self.told(&key, &value)?);
                own.push(value);
            }
            keys.push(key);
            values.push(own);
        }
        PythonRandom::from_seed(self.task.seed).shuffle(&mut needles);
        let context = self.context(random, count, &needles)?;
        let places = random.sample(self.keys, self.asked);
        let places = places.filter(|places| !places.is_empty());
        let places = places.ok_or_else(|| Flaw("num_needle_q is at least 1".into()))?;
        let queries: Vec<&str> =
            places.iter().filter_map(|place| keys.get(*place)).map(String::as_str).collect();
        let answers: Vec<String> =
            places.iter().filter_map(|place| values.get(*place)).flatten().cloned().collect();
        let query = match queries.split_last() {
            Some((last, before)) if !before.is_empty() => {
                format!("{}, and {last}", before.join(", "))
            }
            _ => queries.concat(),
        };
        let (mut template, mut kind) = (self.task.template.clone(), &*self.value_kind);
        if self.asked * self.values == 1 {
            for (several, one) in
                [("Some", "A"), ("are all", "is"), ("are", "is"), ("answers", "answer")]
            {
                template = template.replace(several, one);
            }
            kind = kind.strip_suffix('s').unwrap_or(kind);
        }
        let fields = [("type_needle_v", kind), ("context", &*context), ("query", &*query)];
        Ok((formatted(&template, &[], &fields)?, answers))
    }

    /// The hay with the needles in it.
    fn context(&self, random: &mut PythonRandom, count: usize, needles: &[String]) -> Made<String> {
        let few = || Flaw(format!("{} needles do not fit", needles.len()));
        let mut sentences = match &self.haystack {
            Haystack::Essay(words) => {
                let text = words.get(..count.min(words.len())).unwrap_or_default().join(" ");
                return in_essay(random, &text, needles).ok_or_else(few);
            }
            Haystack::Repeated(sentence) => vec![sentence.clone(); count],
            Haystack::Needles => {
                let other = |_| {
                    let key = self.value(random, &self.key_kind);
                    let value = self.value(random, &self.value_kind);
                    self.told(&key, &value)
                };
                (0..count).map(other).collect::<Made<_>>()?
            }
        };
        let mut places = random.sample(count, needles.len()).ok_or_else(few)?;
        places.sort_unstable_by(|left, right| right.cmp(left));
        for (place, needle) in places.into_iter().zip(needles) {
            sentences.insert(place, needle.clone());
        }
        Ok(sentences.join("\n"))
    }
}

/// The words of all essays of a file.
fn essay(arguments: &Arguments<'_>) -> Result<Vec<String>, DatasetError> {
    let file = format!("{}/{}", arguments.text("base_path")?, arguments.text("file_path")?);
    let mut essays = String::new();
    for line in json_lines(&arguments.place(&file)?, Encoding::Strict)? {
        let text = line.make(|line| match line.get("text") {
            None => Ok(String::new()),
            Some(Value::String(text)) => Ok(strip(text).to_owned()),
            Some(_) => Flaw::new("`text` is expected to be text"),
        })?;
        essays.push_str(&text);
        essays.push(' ');
    }
    let blanks = Regex::new(r"\s+").map_err(|error| Flaw(error.to_string()));
    let blanks = arguments.asked(blanks)?;
    Ok(blanks.replace_all(&essays, " ").split(' ').map(str::to_owned).collect())
}

/// An essay with needles between its sentences, at depths of forty that are drawn.
fn in_essay(random: &mut PythonRandom, text: &str, needles: &[String]) -> Option<String> {
    let sentences: Vec<&str> = text
        .split(". ")
        .filter(|sentence| !sentence.is_empty())
        .map(|sentence| sentence.trim_matches(is_blank))
        .collect();
    let percent = |depth: usize| {
        // What NumPy rounds to the even neighbour where it lies between two.
        (100.0 / (DEPTHS - 1) as f64 * depth as f64).round_ties_even()
    };
    let drawn = random.sample(DEPTHS, needles.len())?;
    let mut places: Vec<usize> = drawn
        .into_iter()
        .map(|depth| (sentences.len() as f64 * (percent(depth) / 100.0)) as usize)
        .collect();
    places.sort_unstable();
    places.push(sentences.len());
    let (mut parts, mut last) = (Vec::new(), 0);
    for (index, place) in places.into_iter().enumerate() {
        parts.push(sentences.get(last..place).unwrap_or_default().join(" "));
        parts.extend(needles.get(index).cloned());
        last = place;
    }
    Some(parts.join(" "))
}

/// A UUID of version 4 with these bits.
fn uuid(bits: u128) -> String {
    let bits = bits & !(0xc000 << 48) | 0x8000 << 48;
    let bits = bits & !(0xf000 << 64) | 4 << 76;
    let digits = format!("{bits:032x}");
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-")
}

#[cfg(test)]
mod tests {
    #[test]
    fn uuids_have_their_version() {
        let made = super::uuid(0x1234_5678_9abc_def0_1234_5678_9abc_def0);
        assert_eq!(made, "12345678-9abc-4ef0-9234-56789abcdef0");
    }
}
