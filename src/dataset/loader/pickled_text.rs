//! A text as Python's `pickle` writes it. Nothing is built and nothing is called: whatever is no text is a flaw.

use super::row::{Flaw, Made};

/// What is left to read.
struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn take(&mut self, count: usize) -> Made<&'b [u8]> {
        let (own, rest) = self.0.split_at_checked(count).ok_or_else(ends)?;
        self.0 = rest;
        Ok(own)
    }

    /// A length in so many bytes, the lowest first.
    fn length(&mut self, count: usize) -> Made<usize> {
        let bytes = self.take(count)?.iter().rev();
        Ok(bytes.fold(0, |length, byte| length << 8 | usize::from(*byte)))
    }
}

fn ends() -> Flaw {
    Flaw("its pickle ends too early".to_owned())
}

/// The text that `pickle.dumps(text)` was made of.
pub(super) fn unpickled(pickle: &[u8]) -> Made<String> {
    let mut bytes = Bytes(pickle);
    let mut text = None;
    loop {
        let length = match bytes.take(1)? {
            // The version of the format, a frame, and three ways to remember what came before.
            [0x80 | b'q'] => {
                bytes.take(1)?;
                continue;
            }
            [0x95] => {
                bytes.take(8)?;
                continue;
            }
            b"r" => {
                bytes.take(4)?;
                continue;
            }
            [0x94] => continue,
            // A text, its length in one, four or eight bytes.
            [0x8c] => bytes.length(1)?,
            b"X" => bytes.length(4)?,
            [0x8d] => bytes.length(8)?,
            b"." => return text.ok_or_else(|| Flaw("its pickle holds nothing".to_owned())),
            _ => return Flaw::new("its pickle holds something else than a text"),
        };
        let found = String::from_utf8(bytes.take(length)?.to_vec());
        text = Some(found.map_err(|_| Flaw("its pickle holds a text that is not UTF-8".into()))?);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_and_nothing_else() {
        for pickle in [
            &b"\x80\x04\x95\x07\0\0\0\0\0\0\0\x8c\x03[\xc3\xa9\x94."[..],
            b"\x80\x02X\x03\0\0\0[\xc3\xa9q\0.",
            b"\x80\x03X\x03\0\0\0[\xc3\xa9r\0\0\0\0.",
        ] {
            assert_eq!(unpickled(pickle).ok().as_deref(), Some("[é"));
        }
        for pickle in
            [&b"\x80\x04."[..], b"cos\nsystem\n(S'true'\ntR.", b"\x80\x04\x8c\x09abc.", b""]
        {
            assert!(unpickled(pickle).is_err());
        }
    }
}
