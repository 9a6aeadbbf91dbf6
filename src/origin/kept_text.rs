//! Origins of a text as a store keeps them: a few words of ASCII, which texts that begin alike share.
//!
//! `12.0 5.3 ` says that twelve bytes are of origin 0 and five of origin 3. Each text of the sample has a line, and
//! `=` is the line before: candidates often differ in nothing but their letters. Origins are numbered over a whole
//! data set, in the order in which they come, so that samples with the same examples have the same words.

use std::fmt::Write as _;

use indexmap::IndexSet;

use super::{Origin, OriginStretch, SampleOrigins};

/// The line of a text that is the one before it.
const SAME: &str = "=";

/// The origins of a data set under a model.
#[derive(Debug, Default)]
pub(crate) struct OriginNumbers {
    found: IndexSet<Origin>,
}

impl OriginNumbers {
    /// They, in their order.
    pub(crate) fn into_origins(self) -> Vec<Origin> {
        self.found.into_iter().collect()
    }

    /// What is kept of the texts of a sample: nothing if nothing is known of any.
    pub(crate) fn kept(&mut self, sample: SampleOrigins) -> String {
        let SampleOrigins { origins, texts } = sample;
        let mut kept = String::new();
        if texts.iter().all(Vec::is_empty) {
            return kept;
        }
        let numbers: Vec<usize> =
            origins.into_iter().map(|origin| self.found.insert_full(origin).0).collect();
        let mut before = None;
        for stretches in &texts {
            if before == Some(stretches) {
                kept.push_str(SAME);
            } else {
                for OriginStretch { bytes, origin } in stretches {
                    let _ = write!(kept, "{bytes}.{} ", numbers[*origin]);
                }
            }
            kept.push('\n');
            before = Some(stretches);
        }
        kept
    }
}

/// What was kept of the texts of a sample, read: nothing of a text where nothing is known, and where it is not what
/// [`OriginNumbers::kept`] writes for so many origins.
pub(crate) fn kept_stretches(kept: &str, origins: usize) -> Vec<Vec<OriginStretch>> {
    let stretch = |word: &str| {
        let (bytes, origin) = word.split_once('.')?;
        let own = OriginStretch { bytes: bytes.parse().ok()?, origin: origin.parse().ok()? };
        (own.origin < origins).then_some(own)
    };
    let mut texts: Vec<Vec<OriginStretch>> = Vec::new();
    for line in kept.lines() {
        let own = match (line, texts.last()) {
            (SAME, Some(before)) => before.clone(),
            _ => line
                .split_ascii_whitespace()
                .map(stretch)
                .collect::<Option<_>>()
                .unwrap_or_default(),
        };
        texts.push(own);
    }
    texts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::origin::PieceKind;

    fn origin(column: &str) -> Origin {
        Origin { column: Some(column.to_owned()), kind: PieceKind::Field, ..Origin::default() }
    }

    proptest! {
        #[test]
        fn what_is_kept_is_read_as_it_was(
            texts in prop::collection::vec(prop::collection::vec((0_usize..2000, 0_usize..3), 0..9), 1..5),
        ) {
            let texts: Vec<Vec<OriginStretch>> = texts
                .into_iter()
                .map(|own| own.into_iter().map(|(bytes, origin)| OriginStretch { bytes, origin }).collect())
                .collect();
            let own = ["c", "a", "b"].map(origin).to_vec();
            let mut numbers = OriginNumbers::default();
            // Another sample had some of them before, in another order.
            let before = SampleOrigins {
                origins: ["b", "d"].map(origin).to_vec(),
                texts: vec![vec![OriginStretch { bytes: 1, origin: 1 }]],
            };
            numbers.kept(before);
            let kept = numbers.kept(SampleOrigins { origins: own.clone(), texts: texts.clone() });
            let all = numbers.into_origins();
            let is_known = texts.iter().any(|own| !own.is_empty());
            prop_assert_eq!(kept.lines().count(), if is_known { texts.len() } else { 0 });
            for (read, text) in kept_stretches(&kept, all.len()).iter().zip(&texts) {
                let told = |stretch: &OriginStretch, all: &[Origin]| (stretch.bytes, all[stretch.origin].clone());
                let read: Vec<_> = read.iter().map(|stretch| told(stretch, &all)).collect();
                let expected: Vec<_> = text.iter().map(|stretch| told(stretch, &own)).collect();
                prop_assert_eq!(read, expected);
            }
        }
    }

    #[test]
    fn what_is_not_understood_says_nothing() {
        let known = vec![OriginStretch { bytes: 3, origin: 0 }];
        assert_eq!(
            kept_stretches("3.0 4.1 \n3.0 x \n3.0 \n=\n", 1),
            [vec![], vec![], known.clone(), known]
        );
        assert_eq!(kept_stretches("=\n", 1), [vec![]]);
        assert!(kept_stretches("", 1).is_empty());
    }
}
