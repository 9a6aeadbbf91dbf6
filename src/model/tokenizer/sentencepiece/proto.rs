//! The messages of `sentencepiece_model.proto`, as far as they are read.

/// A whole file.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct ModelProto {
    #[prost(message, repeated, tag = "1")]
    pub(super) pieces: Vec<PieceProto>,
    #[prost(message, optional, tag = "2")]
    pub(super) trainer_spec: Option<TrainerProto>,
    #[prost(message, optional, tag = "3")]
    pub(super) normalizer_spec: Option<NormalizerProto>,
    #[prost(message, optional, tag = "5")]
    pub(super) denormalizer_spec: Option<NormalizerProto>,
}

/// A piece.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct PieceProto {
    #[prost(string, optional, tag = "1")]
    pub(super) piece: Option<String>,
    #[prost(float, optional, tag = "2")]
    pub(super) score: Option<f32>,
    /// 1 normal, 2 unknown, 3 control, 4 user-defined, 5 unused, 6 byte.
    #[prost(int32, optional, tag = "3", default = "1")]
    pub(super) kind: Option<i32>,
}

/// How the pieces were learned.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct TrainerProto {
    /// 1 Unigram, 2 BPE, 3 words, 4 characters.
    #[prost(int32, optional, tag = "3", default = "1")]
    pub(super) model_type: Option<i32>,
    #[prost(bool, optional, tag = "24", default = "false")]
    pub(super) treat_whitespace_as_suffix: Option<bool>,
    #[prost(int32, optional, tag = "40", default = "0")]
    pub(super) unk_id: Option<i32>,
    #[prost(int32, optional, tag = "41", default = "1")]
    pub(super) bos_id: Option<i32>,
    #[prost(int32, optional, tag = "42", default = "2")]
    pub(super) eos_id: Option<i32>,
    #[prost(int32, optional, tag = "43", default = "-1")]
    pub(super) pad_id: Option<i32>,
}

/// What is done to texts.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct NormalizerProto {
    #[prost(bytes = "vec", optional, tag = "2")]
    pub(super) precompiled_charsmap: Option<Vec<u8>>,
    #[prost(bool, optional, tag = "3", default = "true")]
    pub(super) add_dummy_prefix: Option<bool>,
    #[prost(bool, optional, tag = "4", default = "true")]
    pub(super) remove_extra_whitespaces: Option<bool>,
    #[prost(bool, optional, tag = "5", default = "true")]
    pub(super) escape_whitespaces: Option<bool>,
}
