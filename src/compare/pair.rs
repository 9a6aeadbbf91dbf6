//! What is said of two members of a comparison.

use serde::Serialize;

use super::{Difference, Flip};

/// Two members: the later, left, less the earlier, right.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pair {
    /// The place of the later member.
    pub left: usize,
    /// The place of the earlier one.
    pub right: usize,
    /// The difference of the metric, in the comparison's unit: points of a share.
    #[serde(flatten)]
    pub metric: Difference,
    /// Samples whose score is higher under the left member: of a share those that it alone has right.
    pub gained: usize,
    /// Samples whose score is higher under the right member.
    pub lost: usize,
    /// The difference of the margins, in the comparison's margin unit; null where there are none.
    pub margin: Option<Difference>,
    /// Samples that would show a difference of one point in 80 % of all cases; of shares.
    pub samples_for_one_point: Option<usize>,
    /// All that in a sentence.
    pub verdict: String,
    /// The samples that changed, if they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flips: Vec<Flip>,
}
