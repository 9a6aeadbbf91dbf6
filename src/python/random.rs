//! The random numbers of Python and of NumPy, bit for bit.
//!
//! Both are the same Mersenne Twister; they differ in how a seed becomes a state and in how numbers
//! below a bound are drawn. The generator comes from a crate, the derivations are here, because
//! which rows are sampled is part of a benchmark's definition.

use std::collections::HashSet;

use rand_mt::Mt;

/// Python's `random.Random`.
#[derive(Clone, Debug)]
pub struct PythonRandom(Mt);

impl PythonRandom {
    /// `random.Random(seed)` for an integer: its 32-bit digits, lowest first, are the key.
    pub fn from_seed(seed: u64) -> Self {
        let (low, high) = (seed as u32, (seed >> 32) as u32);
        Self(if high == 0 { Mt::new_with_key([low]) } else { Mt::new_with_key([low, high]) })
    }

    /// `shuffle`: Fisher–Yates from the end.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    /// `sample(range(population), count)`: from a list of what is left where that is small, or else drawn anew
    /// until they differ; nothing if there are not that many.
    pub fn sample(&mut self, population: usize, count: usize) -> Option<Vec<usize>> {
        if count > population {
            return None;
        }
        // The size of a set of that many, as CPython estimates it.
        let mut set_size = 21;
        if count > 5 {
            set_size += 4_usize.pow(((count * 3) as f64).log(4.0).ceil() as u32);
        }
        if population <= set_size {
            let mut pool: Vec<usize> = (0..population).collect();
            return Some(
                (0..count)
                    .map(|drawn| {
                        let place = self.below(population - drawn);
                        let chosen = pool[place];
                        pool[place] = pool[population - drawn - 1];
                        chosen
                    })
                    .collect(),
            );
        }
        let (mut chosen, mut seen) = (Vec::with_capacity(count), HashSet::with_capacity(count));
        while chosen.len() < count {
            let place = self.below(population);
            if seen.insert(place) {
                chosen.push(place);
            }
        }
        Some(chosen)
    }

    /// `choice(range(population))`, of at least one.
    pub(crate) fn choice(&mut self, population: usize) -> usize {
        self.below(population.max(1))
    }

    /// `randint(low, high)`: both ends are among what is drawn.
    pub(crate) fn within(&mut self, low: usize, high: usize) -> usize {
        low + self.choice((high + 1).saturating_sub(low))
    }

    /// `random()`: below one, with 53 bits.
    pub(crate) fn unit(&mut self) -> f64 {
        let (high, low) = (self.bits(32) >> 5, self.bits(32) >> 6);
        (high as f64 * 67_108_864.0 + low as f64) / 9_007_199_254_740_992.0
    }

    /// `choices(range(population), k=count)`, of at least one: each is drawn from all.
    pub(crate) fn choices(&mut self, population: usize, count: usize) -> Vec<usize> {
        (0..count).map(|_| (self.unit() * population as f64) as usize).collect()
    }

    /// `getrandbits(128)`.
    pub(crate) fn wide(&mut self) -> u128 {
        (0..4).fold(0, |wide, word| wide | (self.bits(32) as u128) << (32 * word))
    }

    /// `_randbelow`: as many bits as the bound has, drawn again until they fall below it.
    fn below(&mut self, bound: usize) -> usize {
        let bits = usize::BITS - bound.leading_zeros();
        loop {
            let drawn = self.bits(bits);
            if drawn < bound {
                return drawn;
            }
        }
    }

    /// `getrandbits`: words from the lowest up, the last one cut from its high end.
    fn bits(&mut self, count: u32) -> usize {
        if count <= 32 {
            return (self.0.next_u32() >> (32 - count)) as usize;
        }
        let low = self.0.next_u32() as usize;
        low | self.bits(count - 32) << 32
    }
}

/// NumPy's legacy generator, the one behind `np.random.seed`.
#[derive(Clone, Debug)]
pub struct NumpyRandom(Mt);

impl NumpyRandom {
    /// `np.random.seed(seed)`.
    pub fn from_seed(seed: u32) -> Self {
        Self(Mt::new(seed))
    }

    /// `np.random.choice(population, count, replace=False)`: the head of a whole permutation, or
    /// nothing if there are not that many.
    pub fn choose(&mut self, population: usize, count: usize) -> Option<Vec<usize>> {
        if count > population {
            return None;
        }
        let mut order: Vec<usize> = (0..population).collect();
        for last in (1..population).rev() {
            order.swap(last, self.at_most(last));
        }
        order.truncate(count);
        Some(order)
    }

    /// `np.random.choice(population, count)`: each number drawn anew from all; none from an empty
    /// population.
    pub fn draw(&mut self, population: usize, count: usize) -> Vec<usize> {
        match population.checked_sub(1) {
            None => Vec::new(),
            // One number to choose from takes nothing from the generator.
            Some(0) => vec![0; count],
            Some(last) => (0..count).map(|_| self.at_most(last)).collect(),
        }
    }

    /// `np.random.randint(low, bound)`: the bound is not among what is drawn.
    pub(crate) fn within(&mut self, low: usize, bound: usize) -> usize {
        match bound.saturating_sub(low + 1) {
            0 => low,
            last => low + self.at_most(last),
        }
    }

    /// `random_interval`: bits under the bound's mask, drawn again until they are within it.
    fn at_most(&mut self, bound: usize) -> usize {
        let mask = usize::MAX >> bound.leading_zeros();
        loop {
            let word = match u32::try_from(bound) {
                Ok(_) => self.0.next_u32() as usize,
                Err(_) => (self.0.next_u32() as usize) << 32 | self.0.next_u32() as usize,
            };
            if word & mask <= bound {
                return word & mask;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffles_like_cpython() {
        let mut items: Vec<usize> = (0..10).collect();
        PythonRandom::from_seed(5).shuffle(&mut items);
        assert_eq!(items[..5], [2, 3, 1, 0, 8]);
    }

    #[test]
    fn samples_like_cpython() {
        let mut random = PythonRandom::from_seed(0);
        assert_eq!(random.sample(5, 3), Some(vec![3, 4, 0]));
        assert_eq!(random.sample(1000, 6), Some(vec![265, 988, 523, 497, 414, 940]));
        assert_eq!(random.sample(2, 3), None);
    }

    #[test]
    fn draws_numbers_like_cpython() {
        let mut random = PythonRandom::from_seed(42);
        assert_eq!(random.within(1_000_000, 9_999_999), 2_867_825);
        assert_eq!(random.choices(26, 4), [0, 7, 5, 19]);
        assert_eq!(random.wide(), 0x8b9d_2434_e465_e150_bd9c_66b3_ad3c_2d6d);
        assert_eq!(random.unit().to_bits(), 0.086_938_832_629_416_15_f64.to_bits());
    }

    #[test]
    fn wide_seeds_use_both_words() {
        let mut items: Vec<usize> = (0..6).collect();
        PythonRandom::from_seed((1 << 40) + 7).shuffle(&mut items);
        assert_eq!(items, [2, 0, 1, 3, 5, 4]);
    }

    #[test]
    fn draws_like_numpy() {
        let mut random = NumpyRandom::from_seed(0);
        assert_eq!(random.draw(5, 8), [4, 0, 3, 3, 3, 1, 3, 2]);
        assert_eq!(random.draw(1, 2), [0, 0]);
        assert!(random.draw(0, 2).is_empty());
    }

    #[test]
    fn chooses_like_numpy() {
        let mut random = NumpyRandom::from_seed(43);
        assert_eq!(random.choose(10, 2), Some(vec![3, 9]));
        assert_eq!(random.choose(10, 2), Some(vec![8, 5]));
        assert_eq!(random.choose(1, 2), None);
    }
}
