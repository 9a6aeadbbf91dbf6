//! Bytes as letters that HTML leaves alone: compressed, then in base 85.

use std::io::Write as _;

use flate2::{Compression, write::ZlibEncoder};

/// The digits: what is printable and means nothing in HTML, in the order of ASCII.
const DIGITS: &[u8; 85] =
    b"!#$%()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz|~";

/// Bytes that make five digits.
const GROUP_BYTES: usize = 4;

/// The letters of `bytes`.
pub(super) fn letters(bytes: &[u8]) -> String {
    base85(&compressed(bytes))
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

fn base85(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(GROUP_BYTES) * 5);
    for group in bytes.chunks(GROUP_BYTES) {
        let mut whole = [0; GROUP_BYTES];
        whole[..group.len()].copy_from_slice(group);
        let mut number = u32::from_be_bytes(whole);
        let mut digits = [0; 5];
        for digit in digits.iter_mut().rev() {
            *digit = DIGITS[(number % 85) as usize];
            number /= 85;
        }
        text.extend(digits[..=group.len()].iter().map(|digit| char::from(*digit)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_what_html_leaves_alone() {
        let expected: Vec<u8> =
            (33..127).filter(|letter| !b"\"&'<>\\`{}".contains(letter)).collect();
        assert_eq!(DIGITS.as_slice(), expected);
    }

    #[test]
    fn a_last_group_keeps_one_digit_more_than_it_has_bytes() {
        assert_eq!(base85(b""), "");
        assert_eq!(base85(&[0]), "!!");
        assert_eq!(base85(&[0, 0, 0, 1]), "!!!!#");
        assert_eq!(base85(&[255; 4]).len(), 5);
        assert_eq!(base85(&[0, 0, 0, 86, 7, 7, 7]), "!!!##".to_owned() + &base85(&[7; 3]));
        assert_eq!(base85(&[7; 3]).len(), 4);
    }
}
