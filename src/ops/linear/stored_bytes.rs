//! Where the bytes of a weight are before it is packed: in memory, or in a file.
//!
//! A panel at a time is asked for, by whichever thread packs it, so that what is read is still in that
//! thread's cache when it is packed, and no file is ever in memory as a whole.

use std::ops::Range;

use candle_core::Result;
use rayon::prelude::*;

use super::weight::WeightPart;

/// Bytes that a thread reads at once.
const READ_BYTES: usize = 4 << 20;

/// Bytes that may have to be fetched.
pub trait StoredBytes: Sync {
    /// How many there are.
    fn count(&self) -> usize;

    /// Copies those that begin at `start`; there are enough to fill `into`.
    ///
    /// # Errors
    /// Where they cannot be had (any more), in words that say where from.
    fn read(&self, start: usize, into: &mut [u8]) -> Result<()>;

    /// Copies all of them, by several threads where there are many: one alone does not keep a fast disk busy, nor
    /// the copy out of the system's cache.
    ///
    /// # Errors
    /// As [`Self::read`].
    fn all(&self) -> Result<Vec<u8>> {
        let mut bytes = vec![0; self.count()];
        let parts = bytes.par_chunks_mut(READ_BYTES).enumerate();
        parts.try_for_each(|(number, part)| self.read(number * READ_BYTES, part))?;
        Ok(bytes)
    }
}

/// Some of other bytes.
pub struct BytesPart<'a> {
    /// The others.
    pub of: &'a dyn StoredBytes,
    /// Which of them.
    pub range: Range<usize>,
}

impl StoredBytes for BytesPart<'_> {
    fn count(&self) -> usize {
        self.range.len()
    }

    fn read(&self, start: usize, into: &mut [u8]) -> Result<()> {
        self.of.read(self.range.start + start, into)
    }
}

impl StoredBytes for Vec<u8> {
    fn count(&self) -> usize {
        self.len()
    }

    fn read(&self, start: usize, into: &mut [u8]) -> Result<()> {
        match self.get(start..start + into.len()) {
            Some(bytes) => into.copy_from_slice(bytes),
            None => candle_core::bail!("a weight's bytes do not fit its shape"),
        }
        Ok(())
    }
}

impl std::fmt::Debug for dyn StoredBytes + '_ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes", self.count())
    }
}

/// Outputs of one part, in the order of the whole weight's.
pub(super) struct Stretch<'a> {
    /// The part that they are of.
    pub(super) part: WeightPart<'a>,
    /// How many of the wanted outputs stand before them.
    pub(super) first: usize,
    /// Their rows in the part.
    pub(super) rows: Range<usize>,
}

impl Stretch<'_> {
    /// What a row takes.
    pub(super) fn row_bytes(&self, input_size: usize) -> usize {
        input_size / self.part.dtype.block_size() * self.part.dtype.type_size()
    }

    /// What all its rows take.
    fn bytes(&self, input_size: usize) -> usize {
        self.rows.len() * self.row_bytes(input_size)
    }

    /// Reads its rows; `scratch` then holds nothing else.
    pub(super) fn read(&self, input_size: usize, scratch: &mut Vec<u8>) -> Result<()> {
        scratch.resize(self.bytes(input_size), 0);
        self.read_into(input_size, scratch)
    }

    fn read_into(&self, input_size: usize, rows: &mut [u8]) -> Result<()> {
        self.part.bytes.read(self.rows.start * self.row_bytes(input_size), rows)
    }
}

/// Reads the rows of `outputs` of a weight of `parts`, one after the other; `scratch` then holds nothing
/// else.
pub(super) fn read_outputs(
    parts: &[WeightPart<'_>],
    outputs: Range<usize>,
    input_size: usize,
    scratch: &mut Vec<u8>,
) -> Result<()> {
    let found: Vec<Stretch<'_>> = stretches(parts, outputs).collect();
    scratch.resize(found.iter().map(|stretch| stretch.bytes(input_size)).sum(), 0);
    let mut rest = scratch.as_mut_slice();
    for stretch in found {
        let (own, behind) = rest.split_at_mut(stretch.bytes(input_size));
        stretch.read_into(input_size, own)?;
        rest = behind;
    }
    Ok(())
}

/// Where `outputs` of a weight of `parts` are.
pub(super) fn stretches<'a>(
    parts: &'a [WeightPart<'a>],
    outputs: Range<usize>,
) -> impl Iterator<Item = Stretch<'a>> {
    let mut before = 0;
    parts.iter().filter_map(move |part| {
        let own = before..before + part.rows;
        before = own.end;
        let start = own.start.max(outputs.start);
        let end = own.end.min(outputs.end);
        (start < end).then(|| Stretch {
            part: *part,
            first: start - outputs.start,
            rows: start - own.start..end - own.start,
        })
    })
}

#[cfg(test)]
mod tests {
    use candle_core::quantized::GgmlDType;

    use super::*;

    /// Bytes that tell their place, up to one that cannot be had.
    struct Counted {
        count: usize,
        broken: usize,
    }

    impl StoredBytes for Counted {
        fn count(&self) -> usize {
            self.count
        }

        fn read(&self, start: usize, into: &mut [u8]) -> Result<()> {
            if (start..start + into.len()).contains(&self.broken) {
                candle_core::bail!("broken at {}", self.broken)
            }
            into.iter_mut().zip(start..).for_each(|(byte, at)| *byte = (at % 251) as u8);
            Ok(())
        }
    }

    #[test]
    fn many_bytes_are_read_in_their_order_whoever_reads_them() {
        for count in [0, 1, READ_BYTES, 2 * READ_BYTES + 3] {
            let bytes = Counted { count, broken: usize::MAX }.all().unwrap();
            assert!(bytes.len() == count && (0..count).all(|at| bytes[at] == (at % 251) as u8));
        }
        let broken = Counted { count: 3 * READ_BYTES, broken: READ_BYTES + 7 }.all();
        assert!(broken.unwrap_err().to_string().contains("broken at"));
    }

    #[test]
    fn outputs_are_found_in_the_parts_that_have_them() {
        let (one, two) = (vec![0u8; 3 * 8], vec![1u8; 5 * 8]);
        let part = |bytes, rows| WeightPart { bytes, dtype: GgmlDType::F32, rows };
        let parts = [part(&one as &dyn StoredBytes, 3), part(&two, 5)];
        let found: Vec<_> =
            stretches(&parts, 2..5).map(|stretch| (stretch.first, stretch.rows)).collect();
        assert_eq!(found, [(0, 2..3), (1, 0..2)]);
        let mut scratch = Vec::new();
        let last = stretches(&parts, 7..9).next().unwrap();
        last.read(2, &mut scratch).unwrap();
        assert_eq!(scratch, [1; 8]);
        read_outputs(&parts, 2..4, 2, &mut scratch).unwrap();
        assert_eq!(scratch, [[0; 8], [1; 8]].concat());
        assert!(stretches(&parts, 8..40).next().is_none());
        assert!(two.read(39, &mut [0; 2]).is_err());
    }
}
