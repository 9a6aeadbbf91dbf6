//! Scores that fall with distance (`ALiBi`, Press et al. 2021).

use half::bf16;

/// A slope for every query head, by which scores fall with distance.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionSlopes {
    /// The slopes.
    pub per_head: Vec<f32>,
    /// What is added to a score.
    pub rounding: SlopeRounding,
}

/// What a slope adds to a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlopeRounding {
    /// Slope × (key position − query position).
    Exact,
    /// Slope × key position, times the rule's scale. Position and product are rounded to bf16, which
    /// makes steps of positions beyond 256; slopes are given rounded.
    Bf16,
}

impl PositionSlopes {
    /// How a row of `head` at position `query` weighs keys.
    pub(super) fn of_row(&self, head: usize, query: usize, scale: f64) -> PositionSlope {
        let slope = self.per_head[head];
        match self.rounding {
            SlopeRounding::Exact => PositionSlope::Exact { slope, query: query as f32 },
            SlopeRounding::Bf16 => PositionSlope::Bf16 { slope, scale: scale as f32 },
        }
    }
}

/// What one row's keys get by their positions.
#[derive(Clone, Copy, Debug)]
pub(super) enum PositionSlope {
    Exact { slope: f32, query: f32 },
    Bf16 { slope: f32, scale: f32 },
}

impl PositionSlope {
    /// What is added to the score of the key at position `key`.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "vectorises with the features of its caller")]
    pub(super) fn bias(self, key: f32) -> f32 {
        let rounded = |number: f32| bf16::from_f32(number).to_f32();
        match self {
            Self::Exact { slope, query } => slope * (key - query),
            Self::Bf16 { slope, scale } => rounded(slope * rounded(key)) * scale,
        }
    }
}
