//! Sums as NumPy adds them up: the last digit of a figure is the original's.

/// `numpy.sum`: eight sums beside one another, and halves where there are many numbers.
pub(crate) fn pairwise_sum(numbers: &[f64]) -> f64 {
    const BLOCK: usize = 128;
    if numbers.len() < 8 {
        return numbers.iter().fold(0.0, |sum, number| sum + number);
    }
    if numbers.len() > BLOCK {
        let half = numbers.len() / 2;
        let (left, right) = numbers.split_at(half - half % 8);
        return pairwise_sum(left) + pairwise_sum(right);
    }
    let (eights, rest) = numbers.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for eight in eights {
        for (sum, number) in sums.iter_mut().zip(eight) {
            *sum += number;
        }
    }
    let four = |at: usize| (sums[at] + sums[at + 1]) + (sums[at + 2] + sums[at + 3]);
    let sum = four(0) + four(4);
    rest.iter().fold(sum, |sum, number| sum + number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_numpy() {
        // np.sum(1 / np.arange(1, n + 1)) in NumPy 2.4.6.
        let rows = [
            (7, "2.5928571428571425"),
            (9, "2.8289682539682537"),
            (300, "6.282663880299504"),
            (1000, "7.485470860550345"),
        ];
        for (count, expected) in rows {
            let numbers: Vec<f64> = (1..=count).map(|number| 1.0 / f64::from(number)).collect();
            assert_eq!(format!("{:?}", pairwise_sum(&numbers)), expected);
        }
    }
}
