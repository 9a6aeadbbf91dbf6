//! A run on many machines: each process asks a share of it, and a merge makes the run of what all have answered.
//!
//! Shares are of samples, so that candidates, repeats, turns and later stages of one stay together, and are found from
//! token ids alone ([`partition`]): every process finds the same ones. Nothing is sent between machines. A shard makes all
//! rows and prompts ready, asks its share into a database of its own ([`ask`]), and says in a record what it has read and
//! written ([`record`]). A merge is the run itself, made ready once more, in which nothing is asked of a model and every
//! answer is one of the shards' ([`merge`]): so it writes the same files, and whatever has changed since shows.

mod ask;
mod found;
mod merge;
mod partition;
mod record;
mod share;
mod sharing;

use std::{fmt, str::FromStr};

pub use ask::{ShardOptions, ShardOutcome, ask_shard};
pub use found::{FoundShard, WaitingFor};
pub use merge::{MergeOptions, merge};
pub use record::{FailedQuestion, RecordedModel, ShardEnd, ShardRecord};
pub(super) use sharing::Sharing;
pub use sharing::StopSign;

/// Most shards of a run.
const MOST_SHARDS: usize = 100_000;

/// Which shard of how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shard {
    count: usize,
    number: usize,
}

impl Shard {
    /// Shard `number` of `count`, counted from 1; nothing if there is no such one.
    pub fn new(number: usize, count: usize) -> Option<Self> {
        let is_one = (1..=count).contains(&number) && count <= MOST_SHARDS;
        is_one.then_some(Self { count, number })
    }

    /// Which one, from 1.
    pub fn number(self) -> usize {
        self.number
    }

    /// Of how many.
    pub fn count(self) -> usize {
        self.count
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/');
        let numbers =
            parts.and_then(|(number, count)| Some((number.parse().ok()?, count.parse().ok()?)));
        numbers.and_then(|(number, count)| Self::new(number, count)).ok_or_else(|| {
            format!(
                "expected a shard and how many there are, as 3/16, from 1 to at most {MOST_SHARDS}"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Shard;

    #[test]
    fn shards_are_counted_from_one() {
        assert_eq!("3/16".parse::<Shard>().map(|own| own.to_string()), Ok("3/16".to_owned()));
        for wrong in ["", "3", "0/3", "4/3", "1/0", "-1/3", "1/3/5", "a/b", "1/100001"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
