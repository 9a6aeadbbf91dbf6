//! The tokens of a text that also has images.
//!
//! A model reads the rows of images between tokens, and predicts none of them. So they are no part of what is scored, counted or kept.

use std::sync::Arc;

use crate::{engine::Score, model::vision::is_image_id};

/// How many rows of images are among these ids.
pub(super) fn image_rows(ids: &[u32]) -> usize {
    ids.iter().filter(|id| is_image_id(**id)).count()
}

/// The ids of tokens alone.
pub(super) fn of_text(ids: Arc<[u32]>) -> Arc<[u32]> {
    if image_rows(&ids) == 0 {
        return ids;
    }
    ids.iter().copied().filter(|id| !is_image_id(*id)).collect()
}

/// The ids of tokens alone, and what is known of those that were scored.
pub(super) fn scored(ids: Arc<[u32]>, score: Score) -> (Arc<[u32]>, Score) {
    if image_rows(&ids) == 0 {
        return (ids, score);
    }
    let targets = ids.get(ids.len().saturating_sub(score.nlls.len())..).unwrap_or_default();
    let of_tokens = targets.iter().zip(score.nlls.iter().zip(&score.likeliest));
    let of_tokens = of_tokens.filter(|(id, _)| !is_image_id(**id));
    let (nlls, likeliest) = of_tokens.map(|(_, (nats, likeliest))| (*nats, *likeliest)).unzip();
    (of_text(ids), Score { nlls, likeliest })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::vision::FIRST_IMAGE_ID;

    #[test]
    fn rows_of_images_are_neither_counted_nor_kept() {
        let ids: Arc<[u32]> = [1, FIRST_IMAGE_ID, FIRST_IMAGE_ID + 1, 2, 3].into();
        let score =
            Score { nlls: vec![0.0, 0.0, 1.5, 2.5], likeliest: vec![true, true, false, true] };
        let (text, own) = scored(ids.clone(), score.clone());
        assert_eq!(&*text, [1, 2, 3]);
        assert_eq!(own, Score { nlls: vec![1.5, 2.5], likeliest: vec![false, true] });
        // Only the last tokens were scored.
        let last = Score { nlls: vec![2.5], likeliest: vec![true] };
        assert_eq!(scored(ids, last.clone()).1, last);
        let plain: Arc<[u32]> = [1, 2, 3, 4, 5].into();
        assert_eq!(scored(plain.clone(), score.clone()), (plain, score));
    }
}
