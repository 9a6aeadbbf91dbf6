//! A token that begins a text, such as BOS, is missing on one side or stands there twice.

use super::{Cause, CauseKind, Evidence, commonest};
use crate::{diff::likelihood_difference::Quantity, report::grouped};

/// A mark has at most so many characters.
const MOST_MARK_CHARS: usize = 40;

/// Tokens that a tokenizer adds at the beginning.
const MOST_TOKENS: usize = 2;

/// An offset is the same everywhere if its standard deviation is at most so much of it.
const MOST_SPREAD: f64 = 0.25;

/// Less than this is no surprisal of a token that begins a text.
const LEAST_OFFSET_NATS: f64 = 0.5;

/// From fewer numbers nothing is concluded.
const LEAST_NUMBERS: usize = 3;

/// Looks at ids, then at texts, then at what is stated, then at numbers.
pub(super) fn cause(evidence: &Evidence<'_>) -> Option<Cause> {
    of_ids(evidence)
        .or_else(|| of_texts(evidence))
        .or_else(|| of_settings(evidence))
        .or_else(|| of_numbers(evidence))
}

/// What one side has more at the beginning: on which side, what, and whether the other begins with it, too.
type More<T> = (usize, T, bool);

fn of_ids(evidence: &Evidence<'_>) -> Option<Cause> {
    let (mut differing, mut found) = (0, Vec::<More<Vec<u32>>>::new());
    for (_, request) in evidence.requests() {
        let (Some(own), Some(other)) = (&request.left.ids, &request.right.ids) else { continue };
        differing += usize::from(own != other);
        for (side, longer, shorter) in [(0, own, other), (1, other, own)] {
            let more = longer.len().saturating_sub(shorter.len());
            if let Some((first, rest)) = longer.split_at_checked(more)
                && (1..=MOST_TOKENS).contains(&more)
                && rest == &shorter[..]
            {
                found.push((side, first.to_vec(), shorter.starts_with(first)));
            }
        }
    }
    let ((side, ids, is_doubled), explained) = commonest(found.into_iter())?;
    let ids: Vec<String> = ids.iter().map(u32::to_string).collect();
    let what = if is_doubled { "stands twice" } else { "is missing on the other side" };
    let sentence = format!(
        "A token at the beginning, such as BOS: id {} {what}; {} has it more in {} of {} prompts whose ids differ.",
        ids.join(", "),
        evidence.name(side),
        grouped(explained),
        grouped(differing)
    );
    Some(Cause { kind: CauseKind::Beginning, sentence, explained, of: differing })
}

fn of_texts(evidence: &Evidence<'_>) -> Option<Cause> {
    let differing = evidence.differing();
    let more = |longer: &str, shorter: &str| -> Option<(String, bool)> {
        let mark = longer.strip_suffix(shorter).filter(|mark| is_mark(mark))?;
        Some((mark.to_owned(), shorter.starts_with(mark.trim())))
    };
    let found = differing.iter().filter_map(|(_, own)| {
        let texts = [own.left.text.as_str(), own.right.text.as_str()];
        let side = usize::from(texts[1].len() > texts[0].len());
        let (mark, is_doubled) = more(texts[side], texts[1 - side])?;
        Some((side, mark, is_doubled))
    });
    let ((side, mark, is_doubled), explained): (More<String>, usize) = commonest(found)?;
    let what = if is_doubled { "stands twice" } else { "is missing on the other side" };
    let sentence = format!(
        "A token at the beginning, such as BOS: {mark:?} {what}; {} has it more in {} of {} prompts that differ.",
        evidence.name(side),
        grouped(explained),
        grouped(differing.len())
    );
    Some(Cause { kind: CauseKind::Beginning, sentence, explained, of: differing.len() })
}

/// Whether a text looks like special tokens: `<s>`, `<|begin_of_text|>`, `[gMASK]<sop>`.
fn is_mark(text: &str) -> bool {
    let text = text.trim();
    let is_closed = (text.starts_with('<') || text.starts_with('['))
        && (text.ends_with('>') || text.ends_with(']'));
    is_closed && text.chars().count() <= MOST_MARK_CHARS && !text.contains(char::is_whitespace)
}

/// Equal texts, ids of one side, and what the other side says of the token that begins a text.
fn of_settings(evidence: &Evidence<'_>) -> Option<Cause> {
    let moved = evidence.moved();
    let contradicting = |side: usize| -> Option<(usize, usize, bool)> {
        let stated = [evidence.left, evidence.right][side].settings.clone();
        let ((text, id), adds) = (stated.bos?, stated.adds_bos?);
        let is_explained = |own: &&super::Moved<'_>| {
            let requests = [own.request.left, own.request.right];
            let ids = requests[1 - side].ids.as_ref();
            let begins = ids.and_then(|ids| ids.first()).map(|first| *first == id);
            let writes_it = requests[side].text.starts_with(&text);
            begins == Some(!adds) && !writes_it
        };
        Some((side, moved.iter().filter(is_explained).count(), adds))
    };
    let found = [0, 1].into_iter().filter_map(contradicting);
    let (side, explained, adds) = found.max_by_key(|(_, explained, _)| *explained)?;
    let (has, lacks) = if adds { (side, 1 - side) } else { (1 - side, side) };
    let sentence = format!(
        "A token at the beginning, BOS: {} puts it before its texts and {} does not, as its settings say; prompts are equal, and \
         so it is in {} of {} whose log-likelihoods differ.",
        evidence.name(has),
        evidence.name(lacks),
        grouped(explained),
        grouped(moved.len())
    );
    let cause = Cause { kind: CauseKind::Beginning, sentence, explained, of: moved.len() };
    (cause.explained > 0).then_some(cause)
}

/// Equal texts, unknown ids, and sums that differ by the same amount everywhere.
fn of_numbers(evidence: &Evidence<'_>) -> Option<Cause> {
    let quantity = evidence.quantity?;
    let all = evidence.of_equal_texts();
    if all.len() < LEAST_NUMBERS || all.iter().any(|own| own.request.has_same_ids().is_some()) {
        return None;
    }
    let of_tokens = |more: i32| -> Option<Offset> {
        let offsets: Option<Vec<f64>> = all
            .iter()
            .map(|own| match quantity {
                Quantity::PerToken => {
                    // Means of as many tokens, or of one more or less.
                    let tokens = own.request.left.tokens()? as f64;
                    let right = own.own + own.difference;
                    Some(right * (tokens + f64::from(more)) - own.own * tokens)
                }
                _ => Some(own.difference),
            })
            .collect();
        Offset::of(&offsets?, more)
    };
    let counts: &[i32] = if quantity == Quantity::PerToken { &[0, 1, -1] } else { &[0] };
    let offsets = counts.iter().filter_map(|more| of_tokens(*more));
    let best = offsets.min_by(|own, other| own.deviation.total_cmp(&other.deviation))?;
    let is_same = best.deviation <= MOST_SPREAD * best.mean.abs();
    if !is_same || best.mean.abs() < LEAST_OFFSET_NATS {
        return None;
    }
    // The side with the lower sum has read one token more, unless counts say which.
    let told = |own: &super::Moved<'_>| {
        let counts = [own.request.left.tokens()?, own.request.right.tokens()?];
        let [own, other] = counts.map(i64::try_from);
        Some(other.ok()? - own.ok()?)
    };
    let told = commonest(all.iter().filter_map(told)).map(|(more, _)| more);
    let more = match (told, best.more_tokens) {
        (Some(0) | None, 0) => String::new(),
        (Some(more), _) if more != 0 => tokens_in_words(evidence, more),
        (_, more) => tokens_in_words(evidence, i64::from(more)),
    };
    let moved = evidence.moved().len();
    let sentence = format!(
        "A token at the beginning, such as BOS, that one side lacks or has twice: prompts are equal, and log-likelihoods \
         differ by nearly the same amount everywhere, {:+.3} nats (standard deviation {:.3}) in {} of {}{more}.",
        best.mean,
        best.deviation,
        grouped(moved),
        grouped(all.len())
    );
    Some(Cause { kind: CauseKind::Beginning, sentence, explained: moved, of: moved })
}

fn tokens_in_words(evidence: &Evidence<'_>, more: i64) -> String {
    let side = usize::from(more > 0);
    let count = more.unsigned_abs();
    let plural = if count == 1 { "" } else { "s" };
    format!(", as if {} had {count} token{plural} more", evidence.name(side))
}

/// By how much sums differ.
struct Offset {
    mean: f64,
    deviation: f64,
    /// Tokens that the right side is taken to have more.
    more_tokens: i32,
}

impl Offset {
    fn of(values: &[f64], more_tokens: i32) -> Option<Self> {
        if values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let square = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
        Some(Self { mean, deviation: square.sqrt(), more_tokens })
    }
}
