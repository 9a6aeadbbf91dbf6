//! The most likely next token.

/// Index of the largest logit that is not `banned`; of equals the lowest.
///
/// `None` if a logit is not a number or none is left.
pub fn greedy(logits: &[f32], banned: &[u32]) -> Option<u32> {
    let mut best: Option<(u32, f32)> = None;
    for (id, &logit) in (0u32..).zip(logits) {
        if logit.is_nan() {
            return None;
        }
        if best.is_none_or(|(_, highest)| logit > highest) && !banned.contains(&id) {
            best = Some((id, logit));
        }
    }
    best.map(|(id, _)| id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_to_the_lowest_id_and_banned_ids_never_win() {
        assert_eq!(greedy(&[1.0, 3.0, 3.0], &[]), Some(1));
        assert_eq!(greedy(&[1.0, 3.0, 3.0], &[1]), Some(2));
        assert_eq!(greedy(&[1.0, f32::NAN], &[]), None);
        assert_eq!(greedy(&[1.0], &[0]), None);
        assert_eq!(greedy(&[f32::NEG_INFINITY, f32::NEG_INFINITY], &[]), Some(0));
    }
}
