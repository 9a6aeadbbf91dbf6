//! Coefficients → levels, as libjpeg's `jidctint.c` rounds them: 13 bits behind the point, of which 2 are kept between both passes.

/// Bits behind the point of the factors.
const FACTOR_BITS: u32 = 13;

/// Bits behind the point between the passes.
const KEPT_BITS: u32 = 2;

/// The levels of a block, row by row.
pub(super) fn levels(coefficients: &[i16; 64], divisors: &[u16; 64]) -> [[u8; 8]; 8] {
    let mut kept = [[0_i64; 8]; 8];
    for column in 0..8 {
        let at = |row: usize| {
            i64::from(coefficients[row * 8 + column]) * i64::from(divisors[row * 8 + column])
        };
        let values = pass([0, 1, 2, 3, 4, 5, 6, 7].map(at), FACTOR_BITS - KEPT_BITS);
        for (row, value) in kept.iter_mut().zip(values) {
            row[column] = value;
        }
    }
    kept.map(|row| {
        let values = pass(row, FACTOR_BITS + KEPT_BITS + 3);
        values.map(|value| (value + 128).clamp(0, 255) as u8)
    })
}

/// The transform of eight numbers, with so many bits rounded away.
fn pass(row: [i64; 8], bits: u32) -> [i64; 8] {
    let common = (row[2] + row[6]) * 4433;
    let two = common - row[6] * 15_137;
    let three = common + row[2] * 6270;
    let zero = (row[0] + row[4]) << FACTOR_BITS;
    let one = (row[0] - row[4]) << FACTOR_BITS;
    let even = [zero + three, one + two, one - two, zero - three];

    let sums = [row[7] + row[1], row[5] + row[3], row[7] + row[3], row[5] + row[1]];
    let common = (sums[2] + sums[3]) * 9633;
    let [a, b] = [sums[0] * -7373, sums[1] * -20_995];
    let [c, d] = [sums[2] * -16_069 + common, sums[3] * -3196 + common];
    let odd = [
        row[1] * 12_299 + a + d,
        row[3] * 25_172 + b + c,
        row[5] * 16_819 + b + d,
        row[7] * 2446 + a + c,
    ];
    let rounded = |value: i64| (value + (1 << (bits - 1))) >> bits;
    let mut output = [0; 8];
    for at in 0..4 {
        output[at] = rounded(even[at] + odd[at]);
        output[7 - at] = rounded(even[at] - odd[at]);
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_of_one_coefficient_is_even() {
        let mut coefficients = [0; 64];
        for (dc, level) in [(0, 128), (8, 129), (-1024, 0), (1023, 255), (-12, 127), (32_767, 255)]
        {
            coefficients[0] = dc;
            assert_eq!(levels(&coefficients, &[1; 64]), [[level; 8]; 8], "{dc}");
        }
    }
}
