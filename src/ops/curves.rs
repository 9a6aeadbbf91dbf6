//! exp, tanh and erf as arithmetic that vectorises.
//!
//! The standard library's are calls, one number at a time; these are straight lines of
//! multiplications and additions, so loops over them become vector code inside [`vectorised!`].
//! Not-a-number goes through all of them.
//!
//! [`vectorised!`]: super::simd::vectorised

/// Below this, exp(x) counts as zero: a little further down it is no normal number any more.
pub(super) const LEAST_EXPONENT: f32 = -86.9;
/// Above this, exp(x) is too large for a float.
const GREATEST_EXPONENT: f32 = 88.722;
/// 1.5 × 2²³: added to a small number and taken away again, it rounds to the nearest whole number,
/// which then stands in the sum's low bits.
pub(super) const ROUNDING: f32 = 12_582_912.0;
/// ln 2 in two parts, the second with its sign turned; the first is so short that its product with a
/// whole number is exact.
pub(super) const LN_2: [f32; 2] = [0.693_359_4, 2.121_944_4e-4];
/// What r² is multiplied with in eʳ = 1 + r + r² · …, the highest power first.
pub(super) const EXP_POLYNOMIAL: [f32; 6] =
    [1.987_569_2e-4, 1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5];

/// eˣ to about 2 units in the last place; zero below 10⁻³⁷·⁷, +∞ where it overflows.
///
/// x = k ln 2 + r; eʳ by the polynomial of Cephes' `expf`, then scaled by 2ᵏ in two steps.
#[inline(always)]
#[expect(clippy::inline_always, reason = "vectorises with the features of its caller")]
pub(super) fn exp(x: f32) -> f32 {
    let shifted = x * std::f32::consts::LOG2_E + ROUNDING;
    let whole = shifted - ROUNDING;
    let r = (x - whole * LN_2[0]) + whole * LN_2[1];
    let mut p = EXP_POLYNOMIAL[0];
    for factor in &EXP_POLYNOMIAL[1..] {
        p = p * r + factor;
    }
    let power = p * (r * r) + r + 1.0;
    // 2¹²⁷ · 2 would already be infinite: half of the scale goes into a second factor.
    let exponent = shifted.to_bits().wrapping_sub(ROUNDING.to_bits()).wrapping_sub(1);
    let scale = f32::from_bits(exponent.wrapping_add(127) << 23);
    let value = power * scale * 2.0;
    if x < LEAST_EXPONENT {
        0.0
    } else if x > GREATEST_EXPONENT {
        f32::INFINITY
    } else {
        value
    }
}

/// tanh x to a few units in the last place (the rational approximation of Eigen).
#[inline(always)]
#[expect(clippy::inline_always, reason = "vectorises with the features of its caller")]
pub(super) fn tanh(x: f32) -> f32 {
    let x = clamp(x, 7.905_311);
    let square = x * x;
    let mut p = -2.760_768_5e-16_f32;
    p = p * square + 2.000_188e-13;
    p = p * square - 8.604_672e-11;
    p = p * square + 5.122_297e-8;
    p = p * square + 1.485_722_4e-5;
    p = p * square + 6.372_619_3e-4;
    p = p * square + 4.893_524_6e-3;
    let mut q = 1.198_258_4e-6_f32;
    q = q * square + 1.185_347_1e-4;
    q = q * square + 2.268_434_6e-3;
    q = q * square + 4.893_525e-3;
    x * p / q
}

/// erf x to a few units in the last place (the rational approximation of Eigen).
#[inline(always)]
#[expect(clippy::inline_always, reason = "vectorises with the features of its caller")]
pub(super) fn erf(x: f32) -> f32 {
    let x = clamp(x, 4.0);
    let square = x * x;
    let mut p = -2.726_142_3e-10_f32;
    p = p * square + 2.770_681_5e-8;
    p = p * square - 2.101_024e-6;
    p = p * square - 5.692_506_5e-5;
    p = p * square - 7.349_906_3e-4;
    p = p * square - 2.954_6e-3;
    p = p * square - 1.609_603_3e-2;
    let mut q = -1.456_607_2e-5_f32;
    q = q * square - 2.133_740_6e-4;
    q = q * square - 1.682_827e-3;
    q = q * square - 7.373_329_4e-3;
    q = q * square - 1.426_473_9e-2;
    x * p / q
}

/// x within ±limit; not-a-number stays.
#[inline(always)]
#[expect(clippy::inline_always, reason = "vectorises with the features of its caller")]
fn clamp(x: f32, limit: f32) -> f32 {
    if x > limit {
        limit
    } else if x < -limit {
        -limit
    } else {
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_are_accurate() {
        for i in -880_000..=880_000 {
            let x = i as f32 * 1e-4;
            let wanted = f64::from(x).exp();
            let found = f64::from(exp(x));
            if x > -86.8 {
                assert!((found / wanted - 1.0).abs() < 3e-7, "exp {x}: {found} {wanted}");
            }
            assert!((f64::from(tanh(x)) - f64::from(x).tanh()).abs() < 5e-7, "tanh {x}");
        }
        // From tables of the error function.
        for (x, wanted) in [
            (0.0, 0.0),
            (0.1, 0.112_462_916),
            (0.5, 0.520_499_878),
            (1.0, 0.842_700_793),
            (1.5, 0.966_105_146),
            (2.0, 0.995_322_265),
            (3.0, 0.999_977_91),
            (9.0, 1.0),
        ] {
            assert!((f64::from(erf(x)) - wanted).abs() < 3e-7, "erf {x}: {}", erf(x));
            assert!((f64::from(erf(-x)) + wanted).abs() < 3e-7, "erf −{x}");
        }
    }

    #[test]
    fn the_ends_are_exact_and_what_is_no_number_stays_none() {
        assert_eq!(exp(f32::NEG_INFINITY).to_bits(), 0);
        assert_eq!(exp(-100.0).to_bits(), 0);
        assert!(exp(f32::INFINITY).is_infinite() && exp(89.0).is_infinite());
        assert!(exp(88.7).is_finite());
        assert!((exp(0.0) - 1.0).abs() < f32::EPSILON);
        for curve in [exp, tanh, erf] {
            assert!(curve(f32::NAN).is_nan());
        }
    }
}
