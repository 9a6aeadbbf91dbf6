//! A text that names images, cut at their names.
//!
//! Rows of images are no tokens of a vocabulary, and none of what is kept of a text. So its tokens are spelled part by part, each image
//! stands between two parts as one place, and what the model's family writes among the rows stands behind it.

use super::{
    pictures::Pictures,
    spelling::{ReadText, Speller},
};
use crate::{
    model::media::{Medium, ShownMedium, Sight},
    report::page::{Mark, Piece, Pieces},
};

/// A text with images as pieces.
pub(super) struct PicturedText {
    /// The pieces, each with its token among those that are kept; images have none.
    pub(super) pieces: Vec<(u32, Option<usize>)>,
    /// Before which of the kept tokens an image stands, in order.
    pub(super) images_before: Vec<usize>,
    /// Marks of the text without the names of images; nothing where they do not fit it.
    pub(super) marks: Vec<Mark>,
    /// Tokens of which it is not known what part of a stretch they spell.
    pub(super) unplaced: usize,
}

/// The pieces of a text of which `ids` are the tokens without the rows of its images, and `marks` tell of all its bytes. Nothing if
/// text, tokens and images do not fit each other.
pub(super) fn pictured(
    (text, images): (&str, &[ShownMedium]),
    ids: &[u32],
    marks: &[Mark],
    speller: &mut Speller,
    (pieces, pictures): (&mut Pieces, &mut Pictures),
) -> Option<PicturedText> {
    let names = Sight::marks(text);
    if names.len() != images.len() {
        return None;
    }
    let mut found = PicturedText {
        pieces: Vec::new(),
        images_before: Vec::new(),
        marks: Vec::new(),
        unplaced: 0,
    };
    let mut is_marked = marks.iter().map(|mark| mark.bytes).sum::<usize>() == text.len();
    let (mut byte, mut token, mut rows) = (0, 0, 0);
    let ends = names.iter().map(|(name, _)| name.start).chain([text.len()]);
    for (place, end) in ends.enumerate() {
        let image = names.get(place).zip(images.get(place));
        let first = image.map_or(Some(ids.len()), |(_, own)| own.first_token.checked_sub(rows))?;
        let part = text.get(byte..end)?;
        let spelled = speller.spell(ids.get(token..first)?, ReadText::Kept(part), pieces)?;
        found.unplaced += spelled.unplaced;
        let bytes_of = |piece: &u32| pieces.piece(*piece).map_or(0, Piece::text_bytes);
        is_marked &= spelled.pieces.iter().map(bytes_of).sum::<usize>() == part.len();
        found.marks.extend(cut(marks, byte, end));
        found.pieces.extend(spelled.pieces.into_iter().zip((token..first).map(Some)));
        let Some(((name, address), shown)) = image else { break };
        let image = Medium::parse(address).ok()?;
        found.images_before.push(first);
        found.pieces.push((pieces.number(pictures.piece(&image, shown)), None));
        let behind = first + shown.tokens.checked_sub(shown.rows)?;
        let own = speller.added(ids.get(first..behind)?, pieces)?;
        found.pieces.extend(own.into_iter().zip((first..behind).map(Some)));
        (byte, token, rows) = (name.end, behind, rows + shown.rows);
    }
    if !is_marked {
        found.marks.clear();
    }
    Some(found)
}

/// The marks of a stretch of bytes.
fn cut(marks: &[Mark], from: usize, to: usize) -> Vec<Mark> {
    let mut found = Vec::new();
    let mut start = 0;
    for mark in marks {
        let end = start + mark.bytes;
        let bytes = end.min(to).saturating_sub(start.max(from));
        let is_hidden_here = mark.bytes == 0 && (from..=to).contains(&start);
        if bytes > 0 || is_hidden_here {
            found.push(Mark { bytes, ..*mark });
        }
        start = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, rc::Rc};

    use super::*;
    use crate::model::media::MediumKind;
    use crate::{report::page::PieceKind, store::KeptToken};

    const TEXT: &str = "a\u{f8e0}none.png\u{f8e1}b c";

    fn found(ids: &[u32], image: ShownMedium) -> Option<(Vec<String>, PicturedText)> {
        let kept = |text: &str| KeptToken {
            text: text.to_owned(),
            bytes: text.as_bytes().to_vec(),
            is_special: text.starts_with('<'),
        };
        let tokens: BTreeMap<u32, KeptToken> =
            (0..).zip(["<s>", "a", "<row>", "b", " c"].map(kept)).collect();
        let (mut pieces, mut pictures) = (Pieces::default(), Pictures::default());
        let marks = [(1, 1), (10, 2), (5, 2), (2, 1)];
        let marks = marks.map(|(bytes, style)| Mark { bytes, style });
        let found = pictured(
            (TEXT, &[image]),
            ids,
            &marks,
            &mut Speller::new(Rc::new(tokens)),
            (&mut pieces, &mut pictures),
        )?;
        let told = |(number, token): &(u32, Option<usize>)| {
            let piece = pieces.piece(*number).unwrap();
            let text = String::from_utf8_lossy(&piece.bytes).into_owned();
            match (piece.kind, token) {
                (PieceKind::Image, None) => format!("image {} {:?}", piece.id, piece.bytes),
                (PieceKind::Added, Some(token)) => format!("{token} [{text}]"),
                (_, token) => format!("{} {text}", token.unwrap()),
            }
        };
        Some((found.pieces.iter().map(told).collect(), found))
    }

    fn image(first_token: usize) -> ShownMedium {
        ShownMedium {
            kind: MediumKind::Image,
            sha256: String::new(),
            width: 1,
            height: 1,
            first_token,
            tokens: 5,
            rows: 4,
        }
    }

    #[test]
    fn an_image_is_one_place_between_the_tokens_of_the_text() {
        let (told, own) = found(&[0, 1, 2, 3, 4], image(2)).unwrap();
        assert_eq!(told, ["0 [<s>]", "1 a", "image 0 [4, 5]", "2 [<row>]", "3 b", "4  c"]);
        assert_eq!((own.images_before, own.unplaced), (vec![2], 0));
        let marks: Vec<_> = own.marks.iter().map(|mark| (mark.bytes, mark.style)).collect();
        assert_eq!(marks, [(1, 1), (1, 2), (2, 1)]);
    }

    #[test]
    fn what_does_not_fit_is_not_shown() {
        assert!(found(&[0, 1, 2], image(7)).is_none());
        assert!(found(&[0, 1], image(2)).is_none());
        // Tokens that spell another text have no marks.
        let (_, own) = found(&[0, 1, 2, 3], image(2)).unwrap();
        assert_eq!(own.marks, []);
    }
}
