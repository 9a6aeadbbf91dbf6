//! How long a server is waited for, and how often it is asked again.

use std::time::Duration;

/// The longest that a server is waited for when it asks to be.
const LONGEST_ASKED: Duration = Duration::from_mins(5);

/// When a request that failed is sent again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patience {
    /// How often after the first time.
    pub retries: usize,
    /// The wait before the second try; each after it is twice as long.
    pub first_wait: Duration,
    /// The longest of these waits.
    pub longest_wait: Duration,
    /// How long an answer may take, from the connection to its last byte.
    pub timeout: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            retries: 5,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_mins(1),
            timeout: Duration::from_mins(10),
        }
    }
}

impl Patience {
    /// The wait before another try of request `index` after `tries`, of which the server may have said how long it is to
    /// be; nothing if it is given up. Waits of different requests differ, so that they do not all come back at once.
    pub(super) fn wait(
        &self,
        index: usize,
        tries: usize,
        asked: Option<Duration>,
    ) -> Option<Duration> {
        if tries > self.retries {
            return None;
        }
        if let Some(asked) = asked {
            return (asked <= LONGEST_ASKED).then_some(asked);
        }
        let doublings = u32::try_from(tries.saturating_sub(1)).unwrap_or(u32::MAX).min(30);
        let wait = self.first_wait.saturating_mul(1 << doublings).min(self.longest_wait);
        Some(wait.mul_f64(0.5 + 0.5 * share(index, tries)))
    }
}

/// A number from 0 to 1 that depends on both and looks like chance (the finalizer of `SplitMix64`).
fn share(index: usize, tries: usize) -> f64 {
    let mut mixed = (index as u64) << 8 ^ tries as u64;
    for factor in [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb] {
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(factor);
    }
    (mixed >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_and_end() {
        let patience = Patience { retries: 3, ..Patience::default() };
        for tries in 1..=3 {
            let whole = Duration::from_millis(500 << (tries - 1));
            for index in 0..50 {
                let wait = patience.wait(index, tries, None).unwrap();
                assert!(wait >= whole / 2 && wait <= whole, "{wait:?}");
            }
        }
        assert_ne!(patience.wait(0, 1, None), patience.wait(1, 1, None));
        assert_eq!(patience.wait(0, 4, None), None);
        assert_eq!(patience.wait(0, 1, Some(Duration::from_secs(7))), Some(Duration::from_secs(7)));
        assert_eq!(patience.wait(0, 1, Some(Duration::from_hours(1))), None);
    }
}
