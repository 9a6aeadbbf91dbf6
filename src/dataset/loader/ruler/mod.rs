//! RULER: synthetic tasks that fill a context of a given length, on tokens of `gpt-4`.
//!
//! Every task first finds how much of its filling the length can hold, by trying, and then draws its samples; one that came
//! out too long is drawn again with less. All draws are Python's from one seed, those of the trials included, so what
//! is tried and in which order belongs to the data set. Prompts stand in OpenCompass's modules, and words in the
//! package `wonderwords`; both are read where `SURPRISAL_OPENCOMPASS` points.

mod coded_words;
mod common_words;
mod documents;
mod needles;
mod variables;
mod word_lists;

pub(super) use self::{
    coded_words::CODED_WORDS, common_words::COMMON_WORDS, documents::DOCUMENTS, needles::NEEDLES,
    variables::VARIABLES,
};
use super::{
    arguments::Arguments,
    borrowed::texts,
    class::Tables,
    gpt_tokens::GptTokens,
    row::{Flaw, Made, Row, row, strip},
};
use crate::{config::ModuleTexts, dataset::DatasetError, python::is_blank};

/// How often a sample is drawn again before it is given up; the original goes on for ever.
const MOST_DRAWS: usize = 10_000;

/// What every task is given.
struct Task<'a> {
    arguments: &'a Arguments<'a>,
    tokens: GptTokens,
    texts: ModuleTexts,
    template: String,
    most_tokens: usize,
    answer_tokens: usize,
    samples: usize,
    seed: u64,
    is_one_line: bool,
}

/// A prompt and what it asks for.
type Sample = (String, Vec<String>);

impl<'a> Task<'a> {
    /// The task of a module, with the defaults of its function.
    fn new(arguments: &'a Arguments<'a>, module: &str) -> Result<Self, DatasetError> {
        let texts = texts(arguments, module)?;
        let default = |name: &str| texts.default_of("load", name).unwrap_or_default();
        let number = |name: &str| -> Result<usize, DatasetError> {
            let number = arguments.whole(name, default(name).as_i64().unwrap_or(0))?;
            Ok(usize::try_from(number).unwrap_or(0))
        };
        let template = default("template");
        let template = arguments.text_or("template", template.as_str().unwrap_or_default())?;
        if template.is_empty() {
            return arguments.asked(Flaw::new(format!("{module} has no template")));
        }
        Ok(Self {
            arguments,
            tokens: GptTokens::of(arguments, "gpt-4")?,
            template: template.to_owned(),
            most_tokens: number("max_seq_length")?,
            answer_tokens: number("tokens_to_generate")?,
            samples: number("num_samples")?,
            seed: number("random_seed")? as u64,
            is_one_line: arguments.flag("remove_newline_tab", false),
            texts,
        })
    }

    /// A number of the entry, or the default of the task's function.
    fn number(&self, name: &str) -> Result<usize, DatasetError> {
        let default = self.texts.default_of("load", name).and_then(|value| value.as_i64());
        let number = self.arguments.whole(name, default.unwrap_or(0))?;
        let number = usize::try_from(number);
        self.arguments.asked(number.map_err(|_| Flaw(format!("{name} cannot be negative"))))
    }

    /// A text that the task's function writes.
    fn wording(&self, function: &str, name: &str) -> Made<String> {
        let values = self.texts.values_within(function, name);
        let text = values.iter().find_map(|value| value.as_str());
        let missing = || Flaw(format!("its module writes no `{name}`; opencompass 0.5.4 does"));
        text.map(str::to_owned).ok_or_else(missing)
    }

    /// How much filling the length can hold: more by one step as long as there is room. `try_out` makes a sample of so much and
    /// says how many tokens it is with its answer.
    fn filling(
        &self,
        step: usize,
        most: impl Fn(usize) -> Option<usize>,
        mut try_out: impl FnMut(usize) -> Made<usize>,
    ) -> Made<usize> {
        let (mut filling, mut tokens) = (step, 0);
        while tokens + self.answer_tokens < self.most_tokens {
            tokens = try_out(filling)?;
            if tokens + self.answer_tokens > self.most_tokens {
                return Ok(filling - step);
            }
            if let Some(most) = most(filling) {
                return Ok(most);
            }
            filling += step;
        }
        Ok(filling)
    }

    /// All samples: each is drawn with so much filling, or less where it is too long.
    fn drawn(
        &self,
        filling: usize,
        step: usize,
        mut draw: impl FnMut(usize, usize) -> Made<Sample>,
    ) -> Made<Tables> {
        let mut rows = Vec::new();
        for index in 0..self.samples {
            let (mut used, mut why) = (filling, String::new());
            let made = (0..MOST_DRAWS).find_map(|_| {
                let sample = draw(index, used).and_then(|sample| {
                    let tokens = self.tokens.count(&sample.0)? + self.answer_tokens;
                    let is_long = tokens > self.most_tokens;
                    let what =
                        || format!("{tokens} tokens, max_seq_length is {}", self.most_tokens);
                    if is_long { Flaw::new(what()) } else { Ok(sample) }
                });
                sample
                    .map_err(|flaw| {
                        why = flaw.0;
                        if used > step {
                            used -= step;
                        }
                    })
                    .ok()
            });
            match made {
                Some(sample) => rows.push(self.row(sample)),
                None => {
                    return Flaw::new(format!(
                        "sample {index} cannot be drawn, where the original would try for ever: {why}"
                    ));
                }
            }
        }
        Ok(Tables::Single(rows))
    }

    fn row(&self, (prompt, answer): Sample) -> Row {
        let prompt = if self.is_one_line {
            let words = strip(&prompt).split(is_blank).filter(|word| !word.is_empty());
            words.collect::<Vec<_>>().join(" ")
        } else {
            prompt
        };
        row([("prompt", prompt.into()), ("answer", answer.into())])
    }
}

/// Words behind their numbers: `1. word 2. word`.
fn numbered<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let words = (1..).zip(words).map(|(number, word)| format!("{number}. {word}"));
    words.collect::<Vec<_>>().join(" ")
}
