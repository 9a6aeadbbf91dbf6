//! The messages of Milvus' protocol (`milvus.proto`, `schema.proto`, `common.proto`), as far as they are sent and read.
//!
//! Numbers of fields and values of enumerations are the protocol's. Fields that are not here are passed over, and so
//! are those that a `oneof` of the protocol allows beside what is asked for.

/// `LoadState`: a collection can be searched.
pub(super) const LOADED: i32 = 3;
/// `DataType`: whole numbers of 64 bits.
pub(super) const INT64: i32 = 5;
/// `DataType`: vectors of 32-bit numbers.
pub(super) const FLOAT_VECTOR: i32 = 101;
/// `PlaceholderType`: the same for what is searched for.
pub(super) const FLOAT_VECTOR_PLACEHOLDER: i32 = 101;
/// `DslType`: a filter as an expression.
pub(super) const EXPRESSION: i32 = 1;
/// Codes of a status that says that there is no such index: of now, and of servers before 2.3.
pub(super) const NO_INDEX: (i32, i32) = (700, 25);

/// How a call ended.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Status {
    /// What servers before 2.3 say.
    #[prost(int32, tag = "1")]
    pub(super) error_code: i32,
    #[prost(string, tag = "2")]
    pub(super) reason: String,
    #[prost(int32, tag = "3")]
    pub(super) code: i32,
}

/// An answer that says how the call ended.
pub(super) trait Answered {
    /// Nothing means that it went well.
    fn status(&self) -> Option<&Status>;
}

impl Answered for Status {
    fn status(&self) -> Option<&Status> {
        Some(self)
    }
}

macro_rules! answered {
    ($($answer:ty),+) => {$(
        impl Answered for $answer {
            fn status(&self) -> Option<&Status> {
                self.status.as_ref()
            }
        }
    )+};
}

answered!(
    ConnectResponse,
    BoolResponse,
    CollectionDescription,
    IndexDescriptions,
    LoadStateResponse,
    MutationResult,
    FlushResponse,
    QueryResults,
    SearchResults
);

/// A name and what it stands for.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct KeyValue {
    #[prost(string, tag = "1")]
    pub(super) key: String,
    #[prost(string, tag = "2")]
    pub(super) value: String,
}

impl KeyValue {
    pub(super) fn new(key: &str, value: &str) -> Self {
        Self { key: key.to_owned(), value: value.to_owned() }
    }
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct ConnectRequest {
    #[prost(message, optional, tag = "2")]
    pub(super) client: Option<ClientInfo>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct ClientInfo {
    #[prost(string, tag = "1")]
    pub(super) kind: String,
    #[prost(string, tag = "2")]
    pub(super) version: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct ConnectResponse {
    #[prost(message, optional, tag = "1")]
    pub(super) status: Option<Status>,
}

/// What `HasCollection`, `DescribeCollection`, `LoadCollection` and `DropCollection` are asked with.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct CollectionRequest {
    #[prost(string, tag = "3")]
    pub(super) collection: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct BoolResponse {
    #[prost(message, optional, tag = "1")]
    pub(super) status: Option<Status>,
    #[prost(bool, tag = "2")]
    pub(super) value: bool,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct CollectionDescription {
    #[prost(message, optional, tag = "1")]
    pub(super) status: Option<Status>,
    #[prost(message, optional, tag = "2")]
    pub(super) schema: Option<CollectionSchema>,
    #[prost(message, repeated, tag = "13")]
    pub(super) properties: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct CollectionSchema {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(string, tag = "2")]
    pub(super) description: String,
    #[prost(message, repeated, tag = "4")]
    pub(super) fields: Vec<FieldSchema>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct FieldSchema {
    #[prost(string, tag = "2")]
    pub(super) name: String,
    #[prost(bool, tag = "3")]
    pub(super) is_primary_key: bool,
    #[prost(int32, tag = "5")]
    pub(super) data_type: i32,
    #[prost(message, repeated, tag = "6")]
    pub(super) parameters: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct CreateCollectionRequest {
    #[prost(string, tag = "3")]
    pub(super) collection: String,
    /// A [`CollectionSchema`].
    #[prost(bytes = "vec", tag = "4")]
    pub(super) schema: Vec<u8>,
    #[prost(message, repeated, tag = "7")]
    pub(super) properties: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct CreateIndexRequest {
    #[prost(string, tag = "3")]
    pub(super) collection: String,
    #[prost(string, tag = "4")]
    pub(super) field: String,
    #[prost(message, repeated, tag = "5")]
    pub(super) parameters: Vec<KeyValue>,
    #[prost(string, tag = "6")]
    pub(super) index: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct DescribeIndexRequest {
    #[prost(string, tag = "3")]
    pub(super) collection: String,
    #[prost(string, tag = "5")]
    pub(super) index: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct IndexDescriptions {
    #[prost(message, optional, tag = "1")]
    pub(super) status: Option<Status>,
    #[prost(message, repeated, tag = "2")]
    pub(super) indexes: Vec<IndexDescription>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct IndexDescription {
    #[prost(message, repeated, tag = "3")]
    pub(super) parameters: Vec<KeyValue>,
    #[prost(string, tag = "4")]
    pub(super) field: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct LoadStateRequest {
    #[prost(string, tag = "2")]
    pub(super) collection: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct LoadStateResponse {
    #[prost(message, optional, tag = "1")]
    pub(super) status: Option<Status>,
    #[prost(int32, tag = "2")]
    pub(super) state: i32,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct UpsertRequest {
    #[prost(string, tag = "3")]
    pub(super) collection: String,
    #[prost(message, repeated, tag = "5")]
    pub(super) columns: Vec<FieldData>,
    #[prost(uint32, tag = "7")]
    pub(super) rows: u32,
}

/// A column.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct FieldData {
    #[prost(int32, tag = "1")]
    pub(super) data_type: i32,
    #[prost(string, tag = "2")]
    pub(super) field: String,
    #[prost(message, optional, tag = "3")]
    pub(super) scalars: Option<ScalarField>,
    #[prost(message, optional, tag = "4")]
    pub(super) vectors: Option<VectorField>,
}

impl FieldData {
    pub(super) fn numbers(field: &str, numbers: &[usize]) -> Self {
        let data = numbers.iter().copied().map(long).collect();
        let scalars = ScalarField { longs: Some(LongArray { data }) };
        Self {
            data_type: INT64,
            field: field.to_owned(),
            scalars: Some(scalars),
            ..Self::default()
        }
    }

    /// Vectors of one length, one behind the other.
    pub(super) fn vectors(field: &str, width: usize, data: Vec<f32>) -> Self {
        let vectors = VectorField { width: long(width), floats: Some(FloatArray { data }) };
        Self {
            data_type: FLOAT_VECTOR,
            field: field.to_owned(),
            vectors: Some(vectors),
            ..Self::default()
        }
    }
}

/// A count or a number as the protocol writes it: nothing that is counted comes near to the largest one.
pub(super) fn long(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct ScalarField {
    #[prost(message, optional, tag = "3")]
    pub(super) longs: Option<LongArray>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct VectorField {
    #[prost(int64, tag = "1")]
    pub(super) width: i64,
    #[prost(message, optional, tag = "2")]
    pub(super) floats: Option<FloatArray>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct LongArray {
    #[prost(int64, repeated, tag = "1")]
    pub(super) data: Vec<i64>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct FloatArray {
    #[prost(float, repeated, tag = "1")]
    pub(super) data: Vec<f32>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct MutationResult {
    #[prost(message, optional, tag = "1")]
    pub(super) status: Option<Status>,
    #[prost(int64, tag = "8")]
    pub(super) upserted: i64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct FlushRequest {
    #[prost(string, repeated, tag = "3")]
    pub(super) collections: Vec<String>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct FlushResponse {
    #[prost(message, optional, tag = "1")]
    pub(super) status: Option<Status>,
}

/// Reads with the strongest consistency, which is the protocol's zero: what was sent is seen.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct QueryRequest {
    #[prost(string, tag = "3")]
    pub(super) collection: String,
    #[prost(string, tag = "4")]
    pub(super) filter: String,
    #[prost(string, repeated, tag = "5")]
    pub(super) output_fields: Vec<String>,
    #[prost(message, repeated, tag = "9")]
    pub(super) parameters: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct QueryResults {
    #[prost(message, optional, tag = "1")]
    pub(super) status: Option<Status>,
    #[prost(message, repeated, tag = "2")]
    pub(super) columns: Vec<FieldData>,
}

/// Reads with the strongest consistency, too.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct SearchRequest {
    #[prost(string, tag = "3")]
    pub(super) collection: String,
    /// A [`PlaceholderGroup`].
    #[prost(bytes = "vec", tag = "6")]
    pub(super) placeholders: Vec<u8>,
    #[prost(int32, tag = "7")]
    pub(super) filter_kind: i32,
    #[prost(string, repeated, tag = "8")]
    pub(super) output_fields: Vec<String>,
    #[prost(message, repeated, tag = "9")]
    pub(super) parameters: Vec<KeyValue>,
    #[prost(int64, tag = "12")]
    pub(super) queries: i64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct PlaceholderGroup {
    #[prost(message, repeated, tag = "1")]
    pub(super) placeholders: Vec<PlaceholderValue>,
}

/// Vectors that are searched for, each as its numbers in little-endian bytes.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct PlaceholderValue {
    #[prost(string, tag = "1")]
    pub(super) tag: String,
    #[prost(int32, tag = "2")]
    pub(super) kind: i32,
    #[prost(bytes = "vec", repeated, tag = "3")]
    pub(super) values: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct SearchResults {
    #[prost(message, optional, tag = "1")]
    pub(super) status: Option<Status>,
    #[prost(message, optional, tag = "2")]
    pub(super) results: Option<SearchResultData>,
}

/// Hits of all queries, one query behind the other.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct SearchResultData {
    #[prost(float, repeated, tag = "4")]
    pub(super) scores: Vec<f32>,
    #[prost(message, optional, tag = "5")]
    pub(super) ids: Option<Ids>,
    /// Hits of each query.
    #[prost(int64, repeated, tag = "6")]
    pub(super) counts: Vec<i64>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Ids {
    #[prost(message, optional, tag = "1")]
    pub(super) numbers: Option<LongArray>,
}
