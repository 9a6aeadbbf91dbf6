//! What the server is asked: prompts of a given length, made up, or those of a config.

use rand_mt::Mt64;

use crate::{
    answer::{Question, ServedContinuation, ServedWanted},
    infer::Prepared,
    plan::RunPlan,
    prepare::Unit,
};

use super::ServedBenchError;

/// A prompt, and how it is to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BenchPrompt {
    pub(super) text: String,
    pub(super) wanted: ServedContinuation,
}

/// Words that are one token, with the blank before them, of nearly every tokenizer.
const WORDS: [&str; 64] = [
    "time", "year", "people", "way", "day", "man", "thing", "woman", "life", "child", "world",
    "school", "state", "family", "student", "group", "country", "problem", "hand", "part", "place",
    "case", "week", "company", "system", "program", "question", "work", "night", "point", "home",
    "water", "room", "mother", "area", "money", "story", "fact", "month", "lot", "right", "study",
    "book", "eye", "job", "word", "business", "issue", "side", "kind", "head", "house", "service",
    "friend", "father", "power", "hour", "game", "line", "end", "member", "law", "car", "city",
];

/// Made-up prompts of about so many tokens. Each begins otherwise, so that no server has read the beginning before.
pub(super) fn made_up(
    count: usize,
    prompt_tokens: usize,
    output_tokens: usize,
    random: &mut Mt64,
) -> Vec<BenchPrompt> {
    let wanted = ServedContinuation {
        max_new_tokens: output_tokens,
        min_new_tokens: 0,
        stop: Vec::new(),
        draw: 0,
    };
    let mut word = || WORDS[(random.next_u64() % WORDS.len() as u64) as usize];
    let mut text = || (0..prompt_tokens).map(|_| word()).collect::<Vec<_>>().join(" ");
    (0..count).map(|_| BenchPrompt { text: text(), wanted: wanted.clone() }).collect()
}

/// The prompts of a config's data sets, which are to ask for continuations.
pub(super) fn of_units(
    plan: &RunPlan,
    units: &[Unit],
) -> Result<Vec<BenchPrompt>, ServedBenchError> {
    let mut prompts = Vec::new();
    for (dataset, unit) in plan.datasets.iter().zip(units) {
        // Later turns of a dialogue have gold answers before them, because the model's own are not known beforehand.
        for prompt in unit.samples.iter().flat_map(Prepared::all_prompts) {
            let Question::Served(question) = prompt.served(&unit.inferencer.question(prompt))
            else {
                continue;
            };
            let ServedWanted::Continuation(wanted) = question.wanted else {
                return Err(ServedBenchError::Scored { dataset: dataset.abbr.clone() });
            };
            prompts.push(BenchPrompt { text: question.text.to_string(), wanted });
        }
    }
    if prompts.is_empty() {
        return Err(ServedBenchError::NoPrompt);
    }
    Ok(prompts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_have_their_length_and_differ_from_the_first_words_on() {
        let prompts = made_up(50, 40, 8, &mut Mt64::new(3));
        let beginnings: std::collections::BTreeSet<&str> =
            prompts.iter().map(|own| own.text.split_at(30).0).collect();
        assert_eq!(beginnings.len(), 50);
        assert!(prompts.iter().all(|own| own.text.split(' ').count() == 40));
        assert!(prompts.iter().all(|own| own.wanted.max_new_tokens == 8));
        assert_eq!(prompts, made_up(50, 40, 8, &mut Mt64::new(3)));
        assert_ne!(prompts, made_up(50, 40, 8, &mut Mt64::new(4)));
    }
}
