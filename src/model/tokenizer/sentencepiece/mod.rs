//! `tokenizer.model`: the file of sentencepiece.
//!
//! Reads what the file says about pieces, algorithm and normalization; [`PieceModel`] makes a tokenizer
//! of it. A file that asks for something a converted tokenizer would do otherwise is refused.

mod proto;

use prost::Message;

use self::proto::ModelProto;
use super::pieces::{Algorithm, Normalization, Piece, PieceKind, PieceModel, SpacePrefix};

/// What to do about a file that cannot be converted exactly.
const CONVERT: &str = "if transformers' conversion is what you want, load the tokenizer with transformers and \
                       call `save_pretrained`, which writes tokenizer.json";

/// What a `tokenizer.model` holds.
#[derive(Clone, Debug)]
pub(super) struct SentencepieceModel {
    /// The pieces and what is done with them.
    pub(super) model: PieceModel,
    /// Its special tokens, by the names that settings have for them.
    pub(super) special_tokens: Vec<(&'static str, String)>,
}

impl SentencepieceModel {
    /// Reads the bytes of a file. The error says what is wrong with it.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let file = ModelProto::decode(bytes)
            .map_err(|error| format!("not a sentencepiece model, or damaged: {error}"))?;
        if file.pieces.is_empty() {
            return Err("not a sentencepiece model: there are no pieces in it".to_owned());
        }
        let refuse =
            |what: &str| Err(format!("{what}, which cannot be converted exactly; {CONVERT}"));
        let trainer = file.trainer_spec.unwrap_or_default();
        let algorithm = match trainer.model_type() {
            1 => Algorithm::Unigram,
            2 => Algorithm::Bpe,
            other => {
                let name = match other {
                    3 => "WORD".to_owned(),
                    4 => "CHAR".to_owned(),
                    _ => format!("unknown ({other})"),
                };
                return Err(format!(
                    "a model of type {name}, and only BPE and UNIGRAM can be converted; the checkpoint \
                     needs a tokenizer.json of its own"
                ));
            }
        };
        let normalizer = file.normalizer_spec.unwrap_or_default();
        if trainer.treat_whitespace_as_suffix() {
            return refuse("it writes spaces behind words (treat_whitespace_as_suffix)");
        }
        if !normalizer.escape_whitespaces() {
            return refuse("it keeps spaces as they are (escape_whitespaces = false)");
        }
        if !file.denormalizer_spec.unwrap_or_default().precompiled_charsmap().is_empty() {
            return refuse("it replaces characters when ids become text (denormalizer_spec)");
        }
        let pieces = file
            .pieces
            .into_iter()
            .map(|piece| {
                let kind = match piece.kind() {
                    1 => PieceKind::Normal,
                    2 => PieceKind::Unknown,
                    3 => PieceKind::Control,
                    4 => PieceKind::UserDefined,
                    6 => PieceKind::Byte,
                    kind => {
                        let kind = if kind == 5 { "UNUSED".to_owned() } else { kind.to_string() };
                        return Err(format!(
                            "piece `{}` is of type {kind}, which cannot be converted exactly; {CONVERT}",
                            piece.piece()
                        ));
                    }
                };
                let score = f64::from(piece.score());
                Ok(Piece { text: piece.piece.unwrap_or_default(), score, kind })
            })
            .collect::<Result<Vec<_>, _>>()?;
        let named = [
            ("bos_token", trainer.bos_id(), PieceKind::Control),
            ("eos_token", trainer.eos_id(), PieceKind::Control),
            ("unk_token", trainer.unk_id(), PieceKind::Unknown),
            ("pad_token", trainer.pad_id(), PieceKind::Control),
        ];
        let special_tokens = named
            .into_iter()
            .filter_map(|(name, id, kind)| {
                let piece = pieces.get(usize::try_from(id).ok()?)?;
                (piece.kind == kind).then(|| (name, piece.text.clone()))
            })
            .collect();
        let space_prefix = if normalizer.add_dummy_prefix() {
            SpacePrefix::EveryStretch
        } else {
            SpacePrefix::Nowhere
        };
        let normalization = Normalization {
            removes_extra_spaces: normalizer.remove_extra_whitespaces(),
            charsmap: normalizer.precompiled_charsmap.unwrap_or_default(),
            space_prefix,
        };
        Ok(Self { model: PieceModel { pieces, algorithm, normalization }, special_tokens })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proto::{NormalizerProto, PieceProto, TrainerProto};

    fn file() -> ModelProto {
        let piece = |text: &str, kind| PieceProto {
            piece: Some(text.to_owned()),
            score: Some(0.0),
            kind: Some(kind),
        };
        let trainer = TrainerProto { model_type: Some(2), ..TrainerProto::default() };
        ModelProto {
            pieces: vec![piece("<unk>", 2), piece("<s>", 3), piece("a", 1)],
            trainer_spec: Some(trainer),
            ..ModelProto::default()
        }
    }

    #[test]
    fn what_a_file_leaves_out_is_as_its_format_says() {
        let read = SentencepieceModel::parse(&file().encode_to_vec()).unwrap();
        let normalization = read.model.normalization;
        assert!(normalization.removes_extra_spaces && normalization.charsmap.is_empty());
        assert_eq!(normalization.space_prefix, SpacePrefix::EveryStretch);
        let expected = [("bos_token", "<s>".to_owned()), ("unk_token", "<unk>".to_owned())];
        assert_eq!(read.special_tokens, expected);
    }

    #[test]
    fn what_cannot_be_converted_exactly_is_refused() {
        let refusal = |change: fn(&mut ModelProto)| {
            let mut file = file();
            change(&mut file);
            SentencepieceModel::parse(&file.encode_to_vec()).map(|_| ()).expect_err("refused")
        };
        for (message, expected) in [
            (refusal(|file| file.trainer_spec.as_mut().unwrap().model_type = Some(4)), "CHAR"),
            (refusal(|file| file.trainer_spec.as_mut().unwrap().model_type = Some(3)), "WORD"),
            (
                refusal(|file| {
                    file.trainer_spec.as_mut().unwrap().treat_whitespace_as_suffix = Some(true);
                }),
                "behind words",
            ),
            (
                refusal(|file| {
                    let spec = file.normalizer_spec.insert(NormalizerProto::default());
                    spec.escape_whitespaces = Some(false);
                }),
                "keeps spaces",
            ),
            (
                refusal(|file| {
                    let spec = file.denormalizer_spec.insert(NormalizerProto::default());
                    spec.precompiled_charsmap = Some(vec![1]);
                }),
                "denormalizer_spec",
            ),
            (refusal(|file| file.pieces[2].kind = Some(5)), "piece `a` is of type UNUSED"),
            (refusal(|file| file.pieces.clear()), "no pieces"),
        ] {
            assert!(message.contains(expected), "{message:?} does not say {expected:?}");
        }
    }

    #[test]
    fn a_file_cut_anywhere_is_no_panic() {
        let whole = file().encode_to_vec();
        for length in 0..whole.len() {
            let _ = SentencepieceModel::parse(&whole[..length]);
        }
        assert!(SentencepieceModel::parse(&[0xff; 40]).is_err());
    }
}
