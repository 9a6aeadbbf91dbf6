//! How much of a GIF its first frame shows.
//!
//! Pillow fills what it leaves open with a colour of the palette, the decoder here with black. Such files are too rare to be worth either's rule.

/// Whether the first frame covers the whole image. Bytes that are no GIF are the decoder's to refuse.
pub(super) fn covers_all(gif: &[u8]) -> bool {
    area(gif).is_none_or(|(screen, frame)| frame == [[0, 0], screen])
}

/// Width and height of the image, and the first frame's place and size.
fn area(gif: &[u8]) -> Option<([u16; 2], [[u16; 2]; 2])> {
    let screen = gif.get(6..10)?;
    let flags = *gif.get(10)?;
    let mut at = 13 + colours(flags);
    loop {
        match gif.get(at)? {
            // An extension: a label, and blocks that begin with their length, the last of which is empty.
            0x21 => {
                at += 2;
                while let length @ 1.. = *gif.get(at)? {
                    at += 1 + usize::from(length);
                }
                at += 1;
            }
            0x2c => {
                let frame = gif.get(at + 1..at + 9)?;
                return Some((pair(screen), [pair(&frame[..4]), pair(&frame[4..])]));
            }
            _ => return None,
        }
    }
}

/// Bytes of a palette.
fn colours(flags: u8) -> usize {
    if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) }
}

fn pair(bytes: &[u8]) -> [u16; 2] {
    [u16::from_le_bytes([bytes[0], bytes[1]]), u16::from_le_bytes([bytes[2], bytes[3]])]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A GIF of 4 × 3 pixels with a palette of two colours, an extension, and a frame at that place of that size.
    fn gif(place: [u8; 2], size: [u8; 2]) -> Vec<u8> {
        let screen = [b"GIF89a".as_slice(), &[4, 0, 3, 0, 0x80, 0, 0], &[0; 6]];
        let frame = [0x2c, place[0], 0, place[1], 0, size[0], 0, size[1], 0, 0];
        [&screen.concat(), [0x21, 0xf9, 4, 0, 0, 0, 0, 0].as_slice(), &frame].concat()
    }

    #[test]
    fn a_frame_covers_all_or_not() {
        assert!(covers_all(&gif([0, 0], [4, 3])));
        assert!(!covers_all(&gif([1, 0], [3, 3])));
        assert!(!covers_all(&gif([0, 0], [4, 2])));
        let whole = gif([1, 1], [1, 1]);
        for end in 0..whole.len() - 1 {
            assert!(covers_all(&whole[..end]), "cut off bytes are the decoder's to refuse");
        }
    }
}
