//! What a pixel of a resized image is weighed by.

use std::f64::consts::PI;

/// A filter of Pillow's `Image.resize`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// The pixel below the middle.
    Nearest,
    /// sinc(x)·sinc(x/3).
    Lanczos,
    /// 1 − |x|.
    Bilinear,
    /// Two cubics, with a = −½.
    Bicubic,
    /// All pixels below alike.
    Box,
    /// sinc(x)·(0.54 + 0.46·cos(πx)).
    Hamming,
}

impl Filter {
    /// By the number that Pillow, and so the field `resample` of a processor, has for it.
    pub fn by_number(number: u64) -> Option<Self> {
        let filters =
            [Self::Nearest, Self::Lanczos, Self::Bilinear, Self::Bicubic, Self::Box, Self::Hamming];
        filters.get(usize::try_from(number).ok()?).copied()
    }

    /// How far from the middle there are weights, in pixels of the smaller image; 0 if there are none at all.
    pub(super) fn reach(self) -> f64 {
        match self {
            Self::Nearest => 0.0,
            Self::Box => 0.5,
            Self::Bilinear | Self::Hamming => 1.0,
            Self::Bicubic => 2.0,
            Self::Lanczos => 3.0,
        }
    }

    /// The weight so far from the middle, before weights are made to sum to 1. The operations are in the order of Pillow's.
    pub(super) fn weight(self, x: f64) -> f64 {
        match self {
            Self::Box => f64::from(x > -0.5 && x <= 0.5),
            Self::Bilinear => (1.0 - x.abs()).max(0.0),
            Self::Hamming => {
                let x = x.abs();
                if x == 0.0 {
                    1.0
                } else if x >= 1.0 {
                    0.0
                } else {
                    let x = x * PI;
                    x.sin() / x * (0.54 + 0.46 * x.cos())
                }
            }
            Self::Bicubic => {
                const A: f64 = -0.5;
                let x = x.abs();
                if x < 1.0 {
                    ((A + 2.0) * x - (A + 3.0)) * x * x + 1.0
                } else if x < 2.0 {
                    (((x - 5.0) * x + 8.0) * x - 4.0) * A
                } else {
                    0.0
                }
            }
            Self::Lanczos if (-3.0..3.0).contains(&x) => sinc(x) * sinc(x / 3.0),
            Self::Nearest | Self::Lanczos => 0.0,
        }
    }
}

fn sinc(x: f64) -> f64 {
    if x == 0.0 {
        return 1.0;
    }
    let x = x * PI;
    x.sin() / x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_pillow() {
        assert_eq!(Filter::by_number(0), Some(Filter::Nearest));
        assert_eq!(Filter::by_number(3), Some(Filter::Bicubic));
        assert_eq!(Filter::by_number(6), None);
    }

    #[test]
    fn nothing_is_weighed_beyond_the_reach() {
        for number in 1..6 {
            let filter = Filter::by_number(number).unwrap();
            assert!((filter.weight(0.0) - 1.0).abs() < 1e-12, "{filter:?}");
            assert!(filter.weight(filter.reach() + 0.01).abs() < 1e-12, "{filter:?}");
            assert!(filter.weight(-filter.reach() - 0.01).abs() < 1e-12, "{filter:?}");
        }
    }
}
