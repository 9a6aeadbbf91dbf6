//! Which prompts are about the same question although they are written otherwise.
//!
//! Stretches of letters that few samples have say what a prompt is about: those of the question, and not those of the
//! instruction or of examples that many samples show. What one prompt asks another may show as an example; a question
//! stands at the end, so that stretches count less the further from there they are. Two prompts are taken for the same
//! question if each is the other's likest by far, and what is left if one is the end of the other.

use std::collections::{BTreeMap, BTreeSet};

use super::side::Request;

/// Letters of a stretch, blanks left out.
const STRETCH_CHARS: usize = 6;

/// So many letters before the end a stretch counts half.
const HALF_CHARS: f64 = 40.0;

/// A stretch that more samples of a side have says nothing of one of them.
const MOST_SAMPLES: usize = 12;

/// Of what tells one of two prompts from its own side, so much must be in the other.
const LEAST_SHARE: f64 = 0.3;

/// The same for prompts that have no rival any more because others are paired.
const LEAST_SHARE_OF_REST: f64 = 0.5;

/// The likest must be so much liker than the next.
const LEAST_LEAD: f64 = 1.25;

/// Marks of chat templates, which stand between a question and the end.
const MARKS: (&str, &str) = ("<|", "|>");

/// Pairs of places whose requests are each other's likest.
pub(super) fn likest(left: &[&Request], right: &[&Request]) -> Vec<[usize; 2]> {
    let mut found = Vec::<[usize; 2]>::new();
    let open = |found: &[[usize; 2]], side: usize, count: usize| -> Vec<usize> {
        let taken: BTreeSet<usize> = found.iter().map(|places| places[side]).collect();
        (0..count).filter(|place| !taken.contains(place)).collect()
    };
    let mut least_share = LEAST_SHARE;
    loop {
        let (own, other) = (open(&found, 0, left.len()), open(&found, 1, right.len()));
        let of = |side: &[&Request], places: &[usize]| -> Vec<String> {
            places.iter().filter_map(|place| side.get(*place)).map(|own| asked(own)).collect()
        };
        let more = by_stretches(&of(left, &own), &of(right, &other), least_share);
        if more.is_empty() {
            let ends = by_endings(left, right, &own, &other);
            if ends.is_empty() {
                break;
            }
            found.extend(ends);
            continue;
        }
        let places = |[first, second]: [usize; 2]| Some([*own.get(first)?, *other.get(second)?]);
        found.extend(more.into_iter().filter_map(places));
        // What is paired is nobody's rival any more.
        least_share = LEAST_SHARE_OF_REST;
    }
    found.sort_unstable();
    found
}

/// What is asked: without an answer that is known, and without marks of a chat template.
fn asked(request: &Request) -> String {
    let answer = request.answer().map_or(0, str::len);
    let context = request.text.get(..request.text.len() - answer).unwrap_or_default();
    let text = if context.trim().is_empty() { &request.text } else { context };
    let mut pieces = text.split(MARKS.0);
    let mut asked = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        asked += piece.split_once(MARKS.1).map_or(piece, |(_, behind)| behind);
    }
    asked
}

fn by_stretches(left: &[String], right: &[String], least_share: f64) -> Vec<[usize; 2]> {
    let (left, right) = (Stretches::of(left), Stretches::of(right));
    let mut scores: BTreeMap<[usize; 2], f64> = BTreeMap::new();
    for (stretch, own) in &left.samples {
        let Some(other) = right.samples.get(stretch) else { continue };
        if own.len() > MOST_SAMPLES || other.len() > MOST_SAMPLES {
            continue;
        }
        let rarity = 1.0 / (own.len() * other.len()) as f64;
        for (first, near) in own {
            for (second, nearer) in other {
                *scores.entry([*first, *second]).or_default() += rarity * near * nearer;
            }
        }
    }
    let of_left = best(&scores, 0);
    let of_right = best(&scores, 1);
    let is_like = |&[own, other]: &[usize; 2]| {
        let score = scores.get(&[own, other]).copied().unwrap_or(0.0);
        let most = left.weight(own).min(right.weight(other));
        of_right.get(&other) == Some(&own) && score > 0.0 && score >= least_share * most
    };
    of_left.iter().map(|(own, other)| [*own, *other]).filter(is_like).collect()
}

/// Pairs of which one text is the end of the other, and of no other one.
fn by_endings(
    left: &[&Request],
    right: &[&Request],
    own: &[usize],
    other: &[usize],
) -> Vec<[usize; 2]> {
    let letters = |side: &[&Request], places: &[usize]| -> Vec<(usize, String)> {
        let text = |place: &usize| {
            let text: String = side.get(*place)?.text.split_whitespace().collect();
            (!text.is_empty()).then_some((*place, text))
        };
        places.iter().filter_map(text).collect()
    };
    let (left, right) = (letters(left, own), letters(right, other));
    let is_end = |own: &str, other: &str| own.ends_with(other) || other.ends_with(own);
    let only = |text: &str, among: &[(usize, String)]| {
        let mut ends = among.iter().filter(|(_, other)| is_end(text, other));
        ends.next().filter(|_| ends.next().is_none()).map(|(place, other)| (*place, other.clone()))
    };
    let pair = |(own, text): &(usize, String)| {
        let (other, end) = only(text, &right)?;
        only(&end, &left).map(|_| [*own, other])
    };
    left.iter().filter_map(pair).collect()
}

/// For each place of a side the one of the other side that leads by far.
fn best(scores: &BTreeMap<[usize; 2], f64>, side: usize) -> BTreeMap<usize, usize> {
    let mut leading: BTreeMap<usize, (usize, f64, f64)> = BTreeMap::new();
    for (places, score) in scores {
        let (own, other) = (places[side], places[1 - side]);
        let lead = leading.entry(own).or_insert((other, 0.0, 0.0));
        if *score > lead.1 {
            *lead = (other, *score, lead.1);
        } else if *score > lead.2 {
            lead.2 = *score;
        }
    }
    let leads = leading.into_iter().filter(|(_, (_, first, next))| *first >= LEAST_LEAD * next);
    leads.map(|(own, (other, ..))| (own, other)).collect()
}

/// Which samples of a side have which stretches.
struct Stretches {
    /// The samples of each stretch, and how much it counts there.
    samples: BTreeMap<u64, Vec<(usize, f64)>>,
    /// For each sample what its score with itself would be.
    weights: Vec<f64>,
}

impl Stretches {
    fn of(texts: &[String]) -> Self {
        let mut samples: BTreeMap<u64, Vec<(usize, f64)>> = BTreeMap::new();
        for (place, text) in texts.iter().enumerate() {
            for (stretch, before_end) in stretches(text) {
                let near = 1.0 / (1.0 + before_end as f64 / HALF_CHARS);
                samples.entry(stretch).or_default().push((place, near));
            }
        }
        let mut weights = vec![0.0; texts.len()];
        for own in samples.values().filter(|own| own.len() <= MOST_SAMPLES) {
            let rarity = 1.0 / (own.len() * own.len()) as f64;
            for (place, near) in own {
                if let Some(weight) = weights.get_mut(*place) {
                    *weight += rarity * near * near;
                }
            }
        }
        Self { samples, weights }
    }

    fn weight(&self, place: usize) -> f64 {
        self.weights.get(place).copied().unwrap_or(0.0)
    }
}

/// The stretches of a text by their hashes (FNV-1a), each with the letters behind its last occurrence.
fn stretches(text: &str) -> BTreeMap<u64, usize> {
    let letters: Vec<char> = text.chars().filter(|own| !own.is_whitespace()).collect();
    let hash = |own: &[char]| {
        own.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, letter| {
            (hash ^ u64::from(u32::from(*letter))).wrapping_mul(0x0000_0100_0000_01b3)
        })
    };
    let windows = letters.windows(STRETCH_CHARS).enumerate();
    let behind = |start: usize| letters.len() - start - STRETCH_CHARS;
    // Later ones replace those before.
    windows.map(|(start, own)| (hash(own), behind(start))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likest_of(left: &[&str], right: &[&str]) -> Vec<[usize; 2]> {
        let request = |text: &&str| Request { text: (*text).to_owned(), ..Request::default() };
        let sides = [left, right].map(|side| side.iter().map(request).collect::<Vec<_>>());
        let [left, right] = &sides;
        likest(&left.iter().collect::<Vec<_>>(), &right.iter().collect::<Vec<_>>())
    }

    #[test]
    fn a_question_is_known_under_another_wording_and_examples_do_not_count() {
        let questions =
            ["What colour is a raven?", "How deep is the lake of Brum?", "Who wrote Lantern?"];
        let left: Vec<String> = questions
            .iter()
            .map(|own| format!("Example: one. Answer: 1\n\nQ: {own}\nA:"))
            .collect();
        let right: Vec<String> = questions
            .iter()
            .rev()
            .map(|own| format!("<|user|>Question: {own} Answer briefly.<|assistant|>"))
            .collect();
        let left: Vec<&str> = left.iter().map(String::as_str).collect();
        let right: Vec<&str> = right.iter().map(String::as_str).collect();
        assert_eq!(likest_of(&left, &right), [[0, 2], [1, 1], [2, 0]]);
        assert_eq!(
            likest_of(&left[..1], &["entirely other words stand here"]),
            Vec::<[usize; 2]>::new()
        );
    }

    #[test]
    fn a_question_that_others_show_as_an_example_is_known_by_its_place() {
        let questions =
            ["The soup needs salt.", "Mara kept bees on the roof of the school.", "one"];
        let shown = |asked: usize| {
            let others = questions.iter().enumerate().filter(|(place, _)| *place != asked);
            let others: Vec<&str> = others.map(|(_, own)| *own).collect();
            format!("{}\n\n{}", others.join("\n\n"), questions[asked])
        };
        let right: Vec<String> = (0..3).map(shown).collect();
        let right: Vec<&str> = right.iter().map(String::as_str).collect();
        assert_eq!(likest_of(&questions, &right), [[0, 0], [1, 1], [2, 2]]);
    }
}
