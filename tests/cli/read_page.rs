//! A page read back, byte by byte, as its format says.

use std::{fs, io::Read as _, path::Path};

use serde_json::Value as Json;

/// Kinds of pieces that are no part of the text.
const ADDED: u8 = 1;
const IMAGE: u8 = 3;

/// The data of a page.
pub(crate) struct ReadPage {
    pub(crate) summary: Json,
    pub(crate) columns: Vec<Vec<u8>>,
    blocks: Vec<Vec<u8>>,
}

/// A text of a page: its bytes, and its tokens with their surprisals in thousandths.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadText {
    pub(crate) bytes: Vec<u8>,
    pub(crate) tokens: Vec<(u64, u64)>,
    /// Stretches of the bytes, and the number of the style of each.
    marks: Vec<(u64, u64)>,
}

impl ReadPage {
    pub(crate) fn of(path: &Path) -> Self {
        let html = fs::read_to_string(path).unwrap();
        let element = |id: &str| {
            let (_, rest) = html.split_once(&format!("id=\"{id}\">")).unwrap();
            rest.split_once("</script>").unwrap().0
        };
        Self {
            summary: serde_json::from_str(element("summary")).unwrap(),
            columns: element("index").lines().map(unpacked).collect(),
            blocks: element("blocks-0").lines().map(unpacked).collect(),
        }
    }

    /// The number of the last segment of a text.
    pub(crate) fn last_segment(body: &Json, text: usize) -> usize {
        let of = |value: &Json| value.as_u64().unwrap() as usize;
        of(&body["segments_from"]) + of(&body["texts"]["segment"][text])
    }

    fn place(&self, name: &str) -> usize {
        self.summary["blocks"][name].as_u64().unwrap() as usize
    }

    pub(crate) fn bodies(&self) -> Vec<Json> {
        let blocks = &self.blocks[self.place("first_body")..self.place("first_segment")];
        let lines = blocks.iter().flat_map(|block| std::str::from_utf8(block).unwrap().lines());
        lines.map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The bytes of a picture's file.
    pub(crate) fn picture(&self, number: usize) -> &[u8] {
        &self.blocks[self.summary["pictures"][number]["block"].as_u64().unwrap() as usize]
    }

    /// The images among the pieces of the first model: the number of the picture, its rows and all its tokens.
    pub(crate) fn images(&self) -> Vec<[u64; 3]> {
        let pieces = parts(&self.blocks[0]);
        let (ids, lengths) = (varints(pieces[0]), varints(pieces[2]));
        let mut rest = pieces[3];
        let mut found = Vec::new();
        for ((id, kind), length) in ids.into_iter().zip(pieces[1]).zip(lengths) {
            let (own, after) = rest.split_at(length as usize);
            rest = after;
            if *kind == IMAGE {
                let tokens = varints(own);
                found.push([id, tokens[0], tokens[1]]);
            }
        }
        found
    }

    /// Every text of the first block of segments, by the number of its last segment.
    pub(crate) fn texts(&self) -> Vec<ReadText> {
        let pieces = parts(&self.blocks[0]);
        let (ids, lengths) = (varints(pieces[0]), varints(pieces[2]));
        let mut starts = vec![0];
        for length in &lengths {
            starts.push(starts[starts.len() - 1] + *length as usize);
        }
        let block = parts(&self.blocks[self.place("first_segment")]);
        let mut shapes = varints(block[0]).into_iter();
        let mut numbers = split(block[1], block[2]).into_iter();
        let mut surprisals = split(block[3], block[4]).into_iter();
        let mut texts: Vec<ReadText> = Vec::new();
        let mut marks = varints(block[5]).into_iter();
        while let (Some(back), Some(count), Some(mark_count)) =
            (shapes.next(), shapes.next(), shapes.next())
        {
            let mut text = ReadText::default();
            if back > 0 {
                let parent = &texts[texts.len() - back as usize];
                text = parent.clone();
            }
            let bytes_before = text.bytes.len() as u64;
            let marks_before = text.marks.len();
            for _ in 0..count {
                let piece = numbers.next().unwrap() as usize;
                if ![ADDED, IMAGE].contains(&pieces[1][piece]) {
                    text.bytes.extend(&pieces[3][starts[piece]..starts[piece + 1]]);
                }
                text.tokens.push((ids[piece], surprisals.next().unwrap()));
            }
            for _ in 0..mark_count {
                text.marks.push((marks.next().unwrap(), marks.next().unwrap()));
            }
            // Behind the last mark its style goes on.
            let marked: u64 = text.marks[marks_before..].iter().map(|(bytes, _)| bytes).sum();
            let style = text.marks[marks_before..].last().map_or(0, |(_, style)| *style);
            text.marks.push((text.bytes.len() as u64 - bytes_before - marked, style));
            texts.push(text);
        }
        texts
    }
}

impl ReadText {
    /// The style of each byte.
    pub(crate) fn spread(&self, styles: &Json) -> Vec<Json> {
        let mark =
            |(bytes, style): &(u64, u64)| vec![styles[*style as usize].clone(); *bytes as usize];
        self.marks.iter().flat_map(mark).collect()
    }
}

fn unpacked(line: &str) -> Vec<u8> {
    let digits: Vec<u8> = (33..127).filter(|letter| !b"\"&'<>\\`{}".contains(letter)).collect();
    let mut packed = Vec::new();
    for group in line.as_bytes().chunks(5) {
        let digit = |place: usize| group.get(place).copied().unwrap_or(b'~');
        let number = (0..5).fold(0_u64, |number, place| {
            number * 85 + digits.binary_search(&digit(place)).unwrap() as u64
        });
        packed.extend(&(number as u32).to_be_bytes()[..group.len() - 1]);
    }
    let mut bytes = Vec::new();
    flate2::read::ZlibDecoder::new(packed.as_slice()).read_to_end(&mut bytes).unwrap();
    bytes
}

fn parts(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut found = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk::<4>() {
        let (own, after) = rest.split_at(u32::from_le_bytes(*length) as usize);
        found.push(own);
        bytes = after;
    }
    found
}

fn varints(bytes: &[u8]) -> Vec<u64> {
    let mut found = Vec::new();
    let (mut number, mut shift) = (0, 0);
    for byte in bytes {
        number |= u64::from(byte & 0x7F) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            found.push(number);
            (number, shift) = (0, 0);
        }
    }
    found
}

fn split(heads: &[u8], tails: &[u8]) -> Vec<u64> {
    let mut tails = tails.iter().map(|byte| u64::from(*byte));
    let number = |head: &u8| match *head {
        own @ 0..192 => u64::from(own),
        255 => (0..3).map(|place| tails.next().unwrap() << (8 * place)).sum(),
        own => 192 + ((u64::from(own) - 192) << 8) + tails.next().unwrap(),
    };
    heads.iter().map(number).collect()
}
