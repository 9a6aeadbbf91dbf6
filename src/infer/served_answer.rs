//! Where the answers of candidates stand that were scored behind a server.
//!
//! [`answer_place`](super::answer_place) finds it before anything is asked, from the ids. Here it is found afterwards, in
//! the same way, from what the server says that its tokens spell: an answer begins with the first token that not all
//! candidates share, or, where the template says where it begins, with the token that holds that place.

use super::Candidate;
use crate::answer::ServedTokens;

/// Marks the answers of a sample's candidates, if their server has told where its tokens stand.
pub(super) fn mark(candidates: &mut [Candidate]) {
    let tokens: Option<Vec<_>> = candidates.iter().map(|own| own.served.clone()).collect();
    let Some(tokens) = tokens.filter(|own| own.iter().all(|own| !own.starts.is_empty())) else {
        return;
    };
    let parting = parting(&tokens.iter().map(AsRef::as_ref).collect::<Vec<_>>());
    // In text, the token that holds the first character that differs, the earliest of all candidates.
    let at = candidates.first().map_or(0, |own| own.prompt.len().saturating_sub(own.answer_bytes));
    let start = tokens.iter().filter_map(|own| own.starts.get(own.at_byte(at)).copied()).min();
    for (own, tokens) in candidates.iter_mut().zip(&tokens) {
        if own.is_separated {
            // White space before an answer belongs to it.
            let context = own.prompt.len().saturating_sub(own.answer_bytes);
            let context = own.prompt.get(..context).map_or(context, |text| text.trim_end().len());
            own.answer_tokens = tokens.at_byte(context)..tokens.len();
            continue;
        }
        own.answer_tokens = parting..tokens.len();
        let start = own.prompt.floor_char_boundary(start.unwrap_or(at).min(at));
        own.answer_bytes = own.prompt.len() - start;
    }
}

/// The index of the first token that not all have; each keeps its last one.
fn parting(tokens: &[&ServedTokens]) -> usize {
    let Some((first, others)) = tokens.split_first() else { return 0 };
    let shared = |other: &&ServedTokens| {
        first.texts.iter().zip(&other.texts).take_while(|(own, other)| own == other).count()
    };
    let shortest = tokens.iter().map(|own| own.len()).min().unwrap_or(0);
    others.iter().map(shared).min().unwrap_or(0).min(shortest.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::answer::ServedScore;

    fn candidate(texts: &[&str], answer_bytes: usize, is_separated: bool) -> Candidate {
        let mut own: Candidate = serde_json::from_value(json!({
            "label": null, "prompt": texts.concat(), "answer_tokens": {"start": 0, "end": 0},
            "uncut_tokens": 0, "bytes": 0, "chars": 0, "answer_bytes": answer_bytes,
            "is_separated": is_separated,
        }))
        .unwrap();
        let starts = texts.iter().scan(0, |at, text| {
            let start = *at;
            *at += text.len();
            Some(start)
        });
        let tokens = ServedTokens {
            starts: starts.collect(),
            texts: texts.iter().map(|&text| text.to_owned()).collect(),
        };
        let nlls = vec![1.0; texts.len() - 1];
        own.hear_served(ServedScore { tokens, nlls, likeliest: Vec::new() });
        own
    }

    #[test]
    fn answers_begin_where_candidates_part_or_the_template_says() {
        let mut parted = [
            candidate(&["Q", " is", " cat"], 2, false),
            candidate(&["Q", " is", " cow", "s"], 3, false),
        ];
        mark(&mut parted);
        assert_eq!(parted.each_ref().map(|own| own.answer_tokens.clone()), [2..3, 2..4]);
        assert_eq!(parted.each_ref().map(Candidate::answer), [" cat", " cows"]);
        let nats = parted.each_ref().map(|own| own.answer_nll_nats().to_string());
        assert_eq!(nats, ["1", "2"]);
        // One that another begins with keeps its last token.
        let mut begun = [candidate(&["Q", "1"], 1, false), candidate(&["Q", "1", "0"], 2, false)];
        mark(&mut begun);
        assert_eq!(begun.each_ref().map(|own| own.answer_tokens.clone()), [1..2, 1..3]);
        // White space before an answer belongs to it, in the tokens.
        let mut told =
            [candidate(&["Q:", " ", "a", "b"], 2, true), candidate(&["Q:", " ", "c"], 1, true)];
        mark(&mut told);
        assert_eq!(told.each_ref().map(|own| own.answer_tokens.clone()), [1..4, 1..3]);
        assert_eq!(told.each_ref().map(Candidate::answer), ["ab", "c"]);
    }
}
