//! The random numbers of NumPy's newer generator, bit for bit: `np.random.default_rng(seed)`.
//!
//! It is PCG64 (XSL-RR), its state made of the seed by `SeedSequence`. The `datasets` library shuffles with it.

/// What the state is multiplied with at each step.
const MULTIPLIER: u128 = 0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645;

/// So many words of 32 bits a seed is spread over.
const POOL: usize = 4;

/// `np.random.Generator` over `PCG64`.
#[derive(Clone, Debug)]
pub struct NumpyGenerator {
    state: u128,
    increment: u128,
    /// The upper half of a number whose lower half was given out.
    half: Option<u32>,
}

impl NumpyGenerator {
    /// `np.random.default_rng(seed)`.
    pub fn from_seed(seed: u64) -> Self {
        let [first, second, third, fourth] = spread(seed);
        let wide = |high: u64, low: u64| u128::from(high) << 64 | u128::from(low);
        let increment = wide(third, fourth) << 1 | 1;
        let mut own = Self { state: 0, increment, half: None };
        own.step();
        own.state = own.state.wrapping_add(wide(first, second));
        own.step();
        own
    }

    /// `permutation(count)`: Fisher–Yates from the end.
    pub fn permutation(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            order.swap(last, self.at_most(last));
        }
        order
    }

    fn step(&mut self) {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
    }

    fn next_u64(&mut self) -> u64 {
        self.step();
        let folded = (self.state >> 64) as u64 ^ self.state as u64;
        folded.rotate_right((self.state >> 122) as u32)
    }

    /// Halves of a number, the lower one first.
    fn next_u32(&mut self) -> u32 {
        self.half.take().unwrap_or_else(|| {
            let both = self.next_u64();
            self.half = Some((both >> 32) as u32);
            both as u32
        })
    }

    /// `random_interval`: bits under the bound's mask, drawn again until they are within it.
    fn at_most(&mut self, bound: usize) -> usize {
        let mask = usize::MAX.checked_shr(bound.leading_zeros()).unwrap_or_default();
        loop {
            let word = match u32::try_from(bound) {
                Ok(_) => self.next_u32() as usize,
                Err(_) => self.next_u64() as usize,
            };
            if word & mask <= bound {
                return word & mask;
            }
        }
    }
}

/// A multiplication that goes on from word to word, so that equal words come out differently.
struct Hash {
    constant: u32,
    factor: u32,
}

impl Hash {
    fn of(&mut self, word: u32) -> u32 {
        let word = word ^ self.constant;
        self.constant = self.constant.wrapping_mul(self.factor);
        let word = word.wrapping_mul(self.constant);
        word ^ word >> 16
    }
}

/// `SeedSequence(seed).generate_state(4, np.uint64)`.
fn spread(seed: u64) -> [u64; POOL] {
    let mut hash = Hash { constant: 0x43B0_D7E5, factor: 0x931E_8875 };
    let words = [seed as u32, (seed >> 32) as u32, 0, 0];
    let mut pool = words.map(|word| hash.of(word));
    for source in 0..POOL {
        for target in (0..POOL).filter(|target| *target != source) {
            let mixed = pool[target]
                .wrapping_mul(0xCA01_F9DD)
                .wrapping_sub(hash.of(pool[source]).wrapping_mul(0x4973_F715));
            pool[target] = mixed ^ mixed >> 16;
        }
    }
    let mut hash = Hash { constant: 0x8B51_F9DD, factor: 0x58F3_8DED };
    let mut state = pool.iter().chain(&pool).map(|word| hash.of(*word));
    std::array::from_fn(|_| {
        let mut word = || u64::from(state.next().unwrap_or_default());
        word() | word() << 32
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permutes_like_numpy() {
        let order = NumpyGenerator::from_seed(42).permutation(10);
        assert_eq!(order, [5, 6, 0, 7, 3, 2, 4, 9, 1, 8]);
        assert_eq!(NumpyGenerator::from_seed(42).next_u64(), 14_276_969_152_011_380_360);
    }

    #[test]
    fn wide_seeds_use_both_words() {
        let order = NumpyGenerator::from_seed((1 << 40) + 7).permutation(6);
        assert_eq!(order, [5, 4, 3, 1, 0, 2]);
    }
}
