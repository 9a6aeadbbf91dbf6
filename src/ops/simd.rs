//! Which vector instructions the processor has, found out when the program runs.
//!
//! One binary serves every computer: nothing is compiled for the machine it was built on. It can be held
//! to less than the processor has, so that one machine shows what others do.
//! [`vectorised!`] compiles a plain function several times and picks a copy by the processor; loops
//! over arrays in it become vector code. Multiplications and additions are never contracted there,
//! so every copy gives the same bits. On aarch64 one copy is enough: NEON is always compiled for there.

#[cfg(target_arch = "aarch64")]
use std::arch::is_aarch64_feature_detected;
use std::sync::OnceLock;

/// What is used, once something was computed or it was said.
static USED: OnceLock<InstructionSet> = OnceLock::new();

/// The vector instructions that code is written or compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InstructionSet {
    /// 16 numbers at a time, 32 registers.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// 8 numbers at a time, 16 registers, fused multiply-add, half-precision conversion.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// 4 numbers at a time, 32 registers, fused multiply-add, half-precision conversion. Every aarch64
    /// processor that runs the standard library has them.
    #[cfg(target_arch = "aarch64")]
    Neon,
    /// What the compilation target guarantees.
    Portable,
}

impl InstructionSet {
    /// What is used: the best this processor has, unless it was held to less. Asking is cheap.
    #[inline]
    pub(super) fn detect() -> Self {
        *USED.get_or_init(Self::best)
    }

    /// Uses this from now on; false where something else was used before.
    pub(super) fn hold(self) -> bool {
        *USED.get_or_init(|| self) == self
    }

    /// The best this processor has.
    pub(super) fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
            {
                return Self::Avx512;
            }
            if is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("f16c")
            {
                return Self::Avx2;
            }
        }
        #[cfg(target_arch = "aarch64")]
        if is_aarch64_feature_detected!("neon") {
            return Self::Neon;
        }
        Self::Portable
    }

    /// Its name.
    pub(super) fn name(self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => "AVX-512",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => "AVX2",
            #[cfg(target_arch = "aarch64")]
            Self::Neon => "NEON",
            Self::Portable => "portable",
        }
    }

    /// What a user calls it.
    pub(super) fn argument(self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => "avx2",
            #[cfg(target_arch = "aarch64")]
            Self::Neon => "neon",
            Self::Portable => "portable",
        }
    }

    /// a · b + c, in one rounding where the kernel with these instructions has one.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "vectorises with the features of its caller")]
    pub(super) fn fused(self, a: f32, b: f32, c: f32) -> f32 {
        let fused = match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 | Self::Avx2 => true,
            #[cfg(target_arch = "aarch64")]
            Self::Neon => true,
            Self::Portable => {
                cfg!(any(target_feature = "fma", target_arch = "aarch64", target_arch = "riscv64"))
            }
        };
        if fused { a.mul_add(b, c) } else { a * b + c }
    }

    /// Every one this processor has.
    pub(super) fn available() -> Vec<Self> {
        match Self::best() {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => vec![Self::Avx512, Self::Avx2, Self::Portable],
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => vec![Self::Avx2, Self::Portable],
            #[cfg(target_arch = "aarch64")]
            Self::Neon => vec![Self::Neon, Self::Portable],
            Self::Portable => vec![Self::Portable],
        }
    }
}

/// Compiles a function for every [`InstructionSet`] and calls the copy for this processor.
macro_rules! vectorised {
    ($(
        $(#[$attribute:meta])*
        $visibility:vis fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $output:ty)? $body:block
    )*) => {$(
        $(#[$attribute])*
        $visibility fn $name($($argument: $type),*) $(-> $output)? {
            #[inline(always)]
            #[allow(clippy::inline_always, reason = "vectorises with the features of its caller")]
            fn plain($($argument: $type),*) $(-> $output)? $body

            #[cfg(target_arch = "x86_64")]
            {
                use $crate::ops::simd::InstructionSet;

                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
                fn avx512($($argument: $type),*) $(-> $output)? {
                    plain($($argument),*)
                }
                #[target_feature(enable = "avx2,fma")]
                fn avx2($($argument: $type),*) $(-> $output)? {
                    plain($($argument),*)
                }
                match InstructionSet::detect() {
                    // SAFETY: the processor was just found to have these features.
                    InstructionSet::Avx512 => return unsafe { avx512($($argument),*) },
                    // SAFETY: as above.
                    InstructionSet::Avx2 => return unsafe { avx2($($argument),*) },
                    InstructionSet::Portable => {}
                }
            }
            plain($($argument),*)
        }
    )*};
}

pub(super) use vectorised;
