//! The slopes of linear biases (Press et al. 2021).
//!
//! With n heads, n a power of two, head i (from 1) has slope 2^(−8i/n). Families differ in what they
//! do with other numbers of heads.

use half::bf16;

use super::spec::{AlibiSlopes, AlibiSpec, SlopeRounding};
use crate::ops::attention::PositionSlopes;

/// Exponent of the last head's slope.
const LAST_EXPONENT: f64 = 8.0;

/// The slopes of `heads` heads.
pub(super) fn position_slopes(spec: AlibiSpec, heads: usize) -> PositionSlopes {
    let mut per_head = slopes(spec.slopes, heads);
    if spec.rounding == SlopeRounding::Bf16 {
        for slope in &mut per_head {
            *slope = bf16::from_f32(*slope).to_f32();
        }
    }
    PositionSlopes { per_head, rounding: spec.rounding }
}

fn slopes(slopes: AlibiSlopes, heads: usize) -> Vec<f32> {
    let higher = heads.next_power_of_two();
    let lower = if higher == heads { heads } else { higher / 2 };
    let slope = |head: usize, of: usize| (-LAST_EXPONENT * head as f64 / of as f64).exp2();
    let slopes: Vec<f64> = match slopes {
        AlibiSlopes::LowerPower => {
            let own = (1..=lower).map(|head| slope(head, lower));
            own.chain((1..).step_by(2).map(|head| slope(head, 2 * lower))).take(heads).collect()
        }
        AlibiSlopes::HigherPower if higher == heads => {
            (1..=heads).map(|head| slope(head, heads)).collect()
        }
        AlibiSlopes::HigherPower => {
            let all = |first: usize| (first..=higher).step_by(2).map(|head| slope(head, higher));
            all(2).chain(all(1)).take(heads).collect()
        }
    };
    slopes.into_iter().map(|slope| slope as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_powers_of_two_whatever_the_number_of_heads() {
        let exponents = |slopes, heads| -> Vec<f32> {
            super::slopes(slopes, heads).into_iter().map(|slope| -slope.log2()).collect()
        };
        for slopes in [AlibiSlopes::LowerPower, AlibiSlopes::HigherPower] {
            assert_eq!(exponents(slopes, 4), [2.0, 4.0, 6.0, 8.0]);
        }
        assert_eq!(exponents(AlibiSlopes::LowerPower, 6), [2.0, 4.0, 6.0, 8.0, 1.0, 3.0]);
        assert_eq!(exponents(AlibiSlopes::HigherPower, 6), [2.0, 4.0, 6.0, 8.0, 1.0, 3.0]);
        assert_eq!(exponents(AlibiSlopes::LowerPower, 3), [4.0, 8.0, 2.0]);
        assert_eq!(exponents(AlibiSlopes::HigherPower, 3), [4.0, 8.0, 2.0]);
        assert_eq!(exponents(AlibiSlopes::LowerPower, 5), [2.0, 4.0, 6.0, 8.0, 1.0]);
    }
}
