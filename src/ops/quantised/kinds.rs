//! The formats as types, so that code is compiled for each of them.

use candle_core::quantized::GgmlDType;

use super::format::Format;
use super::unit::Parts;

/// A format that is known when code is compiled.
pub(super) trait Kind {
    /// Which.
    const FORMAT: Format;
    /// Where the parts of its units begin.
    const PARTS: Parts = Parts::of(Self::FORMAT);
    /// Bits of its quants.
    const BITS: usize = Self::FORMAT.bits;
}

macro_rules! kinds {
    ($($kind:ident)*) => {$(
        #[doc = concat!("The format `", stringify!($kind), "`.")]
        pub(super) struct $kind;

        impl Kind for $kind {
            const FORMAT: Format = match Format::of(GgmlDType::$kind) {
                Some(format) => format,
                None => panic!("numbers that stand one by one"),
            };
        }
    )*};
}

// All but Q8K, whose steps are f32.
kinds!(Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q8_1 Q2K Q3K Q4K Q5K Q6K);

/// Calls a function of the kind of a format, where there is one, and says whether there is.
macro_rules! with_kind {
    ($format:expr, $kind:ident => $call:expr) => {
        with_kind!(@ $format, $kind, $call, Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q8_1 Q2K Q3K Q4K Q5K Q6K)
    };
    (@ $format:expr, $kind:ident, $call:expr, $($name:ident)*) => {
        match $format.dtype {
            $(candle_core::quantized::GgmlDType::$name => {
                type $kind = $crate::ops::quantised::kinds::$name;
                $call;
                true
            })*
            _ => false,
        }
    };
}

pub(super) use with_kind;
