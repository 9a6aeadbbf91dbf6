//! Numbers as bytes, so that small and similar ones compress well.

/// What stands for a token without a surprisal.
const UNSCORED: u16 = 0xFFFF;

/// What stands for a surprisal that 16 bits do not hold; it is kept as a float beside.
pub(super) const LARGE: u16 = 0xFFFE;

/// The first number that takes a head and a tail byte, and the first that takes three tail bytes.
const TWO_BYTES: u32 = 192;
const FOUR_BYTES: u32 = TWO_BYTES + 63 * 256;

/// Seven bits a byte, the low ones first.
pub(super) fn varint(mut number: usize, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push((number & 0x7F) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// A length in four bytes, and as many bytes.
pub(super) fn part(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend((bytes.len() as u32).to_le_bytes());
    out.extend(bytes);
}

/// Numbers as heads, and tails of those that are not small.
#[derive(Debug, Default)]
pub(super) struct Split {
    pub(super) heads: Vec<u8>,
    pub(super) tails: Vec<u8>,
}

impl Split {
    pub(super) fn push(&mut self, number: u32) {
        if number < TWO_BYTES {
            self.heads.push(number as u8);
        } else if number < FOUR_BYTES {
            let rest = number - TWO_BYTES;
            self.heads.push((TWO_BYTES + (rest >> 8)) as u8);
            self.tails.push(rest as u8);
        } else {
            self.heads.push(0xFF);
            self.tails.extend(&number.to_le_bytes()[..3]);
        }
    }
}

/// A surprisal in thousandths of a nat, half away from zero.
pub(super) fn thousandths(nats: Option<f32>) -> u16 {
    let Some(nats) = nats else { return UNSCORED };
    let whole = f64::from(nats) * 1000.0 + 0.5;
    // Also what is not a number is kept as it is.
    if whole < f64::from(LARGE) { whole as u16 } else { LARGE }
}

/// Numbers of equal width byte by byte: all first bytes, then all second bytes.
pub(super) fn planes<const WIDTH: usize>(numbers: impl Iterator<Item = [u8; WIDTH]>) -> Vec<u8> {
    let numbers: Vec<[u8; WIDTH]> = numbers.collect();
    (0..WIDTH).flat_map(|place| numbers.iter().map(move |bytes| bytes[place])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surprisals_are_rounded_half_away_from_zero() {
        let known = [
            (0.0, 0),
            (-1e-7, 0),
            (0.0004, 0),
            (0.0005, 1),
            (1.5, 1500),
            (65.533, 65533),
            (65.534, LARGE),
            (f32::INFINITY, LARGE),
            (f32::NAN, LARGE),
        ];
        for (nats, expected) in known {
            assert_eq!(thousandths(Some(nats)), expected, "{nats}");
        }
        assert_eq!(thousandths(None), UNSCORED);
    }

    #[test]
    fn numbers_split_where_the_format_says() {
        let mut split = Split::default();
        for number in [191, 192, 447, 448, 16_319, 16_320] {
            split.push(number);
        }
        assert_eq!(split.heads, [191, 192, 192, 193, 254, 255]);
        assert_eq!(split.tails, [0, 255, 0, 255, 0xC0, 0x3F, 0]);
    }

    #[test]
    fn planes_hold_all_first_bytes_first() {
        let numbers = [0x0102_u16, 0x0304].map(u16::to_le_bytes);
        assert_eq!(planes(numbers.into_iter()), [2, 4, 1, 3]);
    }
}
