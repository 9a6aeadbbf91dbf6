//! Vectors in memory, each once.

use sha2::{Digest as _, Sha256};

use super::{PassageEncoder, PassageError, TextRole};

/// Vectors of a block: what is freed at once while an index is made of them.
pub(super) const BLOCK: usize = 16_384;

/// Texts that an encoder is asked about at once: it may hold their vectors a second time.
const ASKED_TEXTS: usize = 8 * BLOCK;

/// Vectors of one length in the order of their texts. Each is a direction, with length 1; one of zeros stays as it is.
#[derive(Clone, Debug, Default)]
pub struct Vectors {
    /// Numbers of a vector.
    width: usize,
    len: usize,
    /// Rows of [`BLOCK`] vectors, fewer in the last one.
    blocks: Vec<Vec<f32>>,
}

impl Vectors {
    /// What an encoder makes of texts.
    pub fn of_texts(
        texts: &[String],
        encoder: &dyn PassageEncoder,
        role: TextRole,
    ) -> Result<Self, PassageError> {
        let mut vectors = Self::default();
        for texts in texts.chunks(ASKED_TEXTS) {
            let made = encoder.vectors(texts, role)?;
            if made.len() != texts.len() {
                let problem = format!("{} vectors for {} texts", made.len(), texts.len());
                return Err(PassageError::Vectors { problem });
            }
            for vector in made {
                vectors.push(vector).map_err(|problem| PassageError::Vectors { problem })?;
            }
        }
        Ok(vectors)
    }

    /// Adds a vector, or says what is wrong with it.
    pub(super) fn push(&mut self, mut vector: Vec<f32>) -> Result<(), String> {
        if self.len == 0 {
            self.width = vector.len();
        }
        if vector.is_empty() {
            return Err("a vector without numbers".to_owned());
        } else if vector.len() != self.width {
            return Err(format!(
                "vectors of different lengths, {} and {}",
                self.width,
                vector.len()
            ));
        } else if !vector.iter().all(|number| number.is_finite()) {
            return Err("a vector with numbers that are not finite".to_owned());
        }
        normalise(&mut vector);
        match self.blocks.last_mut() {
            Some(block) if !self.len.is_multiple_of(BLOCK) => block.extend(vector),
            _ => self.blocks.push(vector),
        }
        self.len += 1;
        Ok(())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Numbers of each.
    pub fn width(&self) -> usize {
        self.width
    }

    /// One of them; an empty one beyond the last.
    pub fn row(&self, number: usize) -> &[f32] {
        let place = number % BLOCK * self.width;
        let block = self.blocks.get(number / BLOCK);
        block.and_then(|block| block.get(place..place + self.width)).unwrap_or_default()
    }

    /// All of them, in order.
    pub fn rows(&self) -> impl Iterator<Item = &[f32]> {
        (0..self.len).map(|number| self.row(number))
    }

    /// Blocks of them, row by row.
    pub(super) fn into_blocks(self) -> impl Iterator<Item = Vec<f32>> {
        self.blocks.into_iter()
    }

    /// Parts of so many blocks, fewer in the last one.
    pub(super) fn into_parts(self, blocks: usize) -> Vec<Self> {
        let Self { width, blocks: mut rest, .. } = self;
        let mut parts = Vec::new();
        while !rest.is_empty() {
            let after = rest.split_off(blocks.min(rest.len()));
            let numbers: usize = rest.iter().map(Vec::len).sum();
            parts.push(Self { width, len: numbers / width.max(1), blocks: rest });
            rest = after;
        }
        parts
    }

    /// SHA-256 of how many they are and of all numbers.
    pub(super) fn digest(&self) -> [u8; 32] {
        let mut digest = Sha256::new();
        for size in [self.width, self.len] {
            digest.update((size as u64).to_le_bytes());
        }
        let mut bytes = Vec::with_capacity(4 * self.width);
        for row in self.rows() {
            bytes.clear();
            bytes.extend(row.iter().flat_map(|number| number.to_le_bytes()));
            digest.update(&bytes);
        }
        digest.finalize().into()
    }
}

/// Makes a vector's length 1; one of zeros stays as it is, and is as near to everything.
fn normalise(vector: &mut [f32]) {
    let square: f64 = vector.iter().map(|number| f64::from(*number).powi(2)).sum();
    if square > 0.0 {
        let length = square.sqrt();
        for number in vector {
            *number = (f64::from(*number) / length) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_directions_and_parts_keep_their_order() {
        let mut vectors = Vectors::default();
        for number in 0..2 * BLOCK + 3 {
            vectors.push(vec![number as f32, 1.0]).unwrap();
        }
        assert_eq!((vectors.len(), vectors.width()), (2 * BLOCK + 3, 2));
        assert_eq!(vectors.row(0), [0.0, 1.0]);
        assert_eq!(vectors.row(2 * BLOCK + 3), [0.0_f32; 0]);
        let whole: Vec<Vec<f32>> = vectors.rows().map(<[f32]>::to_vec).collect();
        let parts = vectors.clone().into_parts(1);
        assert_eq!(parts.iter().map(Vectors::len).collect::<Vec<_>>(), [BLOCK, BLOCK, 3]);
        let again: Vec<Vec<f32>> =
            parts.iter().flat_map(Vectors::rows).map(<[f32]>::to_vec).collect();
        assert_eq!(again, whole);
        assert_ne!(parts[0].digest(), parts[1].digest());
        assert_eq!(vectors.push(vec![1.0]).unwrap_err(), "vectors of different lengths, 2 and 1");
    }
}
