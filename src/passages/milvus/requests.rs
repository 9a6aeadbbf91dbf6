//! What a Milvus server is asked, as messages: byte for byte what its own client for Python sends.

use std::ops::Range;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use http::HeaderValue;
use prost::Message as _;
use serde_json::Value;

use super::{
    CollectionName, MilvusError, ServerIndex,
    collection::{CollectionKey, KEY_PROPERTY},
    messages::{
        ClientInfo, CollectionRequest, CollectionSchema, ConnectRequest, CreateCollectionRequest,
        CreateIndexRequest, DescribeIndexRequest, EXPRESSION, FLOAT_VECTOR,
        FLOAT_VECTOR_PLACEHOLDER, FieldData, FieldSchema, FlushRequest, INT64, KeyValue,
        LoadStateRequest, PlaceholderGroup, PlaceholderValue, QueryRequest, SearchRequest,
        UpsertRequest, long,
    },
    server_index::METRIC,
};

/// The field of a passage's number, the primary key.
pub(super) const NUMBER: &str = "passage";
/// The field of its vector, and the name of the index over it.
pub(super) const VECTOR: &str = "vector";
/// What counts rows in the place of a field.
pub(super) const COUNT: &str = "count(*)";
/// Rows of an answer that Milvus gives at most, for a query and for each vector of a search.
pub(super) const MOST_ROWS: usize = 16_384;

/// How a server is told who asks: the token in base64. It is printed nowhere.
pub(super) fn authorization(token: &str) -> Result<HeaderValue, MilvusError> {
    let value = HeaderValue::try_from(BASE64_STANDARD.encode(token));
    let mut value = value.map_err(|_| MilvusError::Token)?;
    value.set_sensitive(true);
    Ok(value)
}

/// Which program asks.
pub(super) fn hello() -> ConnectRequest {
    let kind = env!("CARGO_PKG_NAME").to_owned();
    let version = env!("CARGO_PKG_VERSION").to_owned();
    ConnectRequest { client: Some(ClientInfo { kind, version }) }
}

/// That a call is about a collection as a whole.
pub(super) fn about(collection: &CollectionName) -> CollectionRequest {
    CollectionRequest { collection: collection.to_string() }
}

/// A collection of passages' numbers and vectors, which says what decides them.
pub(super) fn create(
    collection: &CollectionName,
    key: &CollectionKey,
    width: usize,
) -> CreateCollectionRequest {
    let number = FieldSchema {
        name: NUMBER.to_owned(),
        is_primary_key: true,
        data_type: INT64,
        parameters: Vec::new(),
    };
    let vector = FieldSchema {
        name: VECTOR.to_owned(),
        is_primary_key: false,
        data_type: FLOAT_VECTOR,
        parameters: vec![KeyValue::new("dim", &width.to_string())],
    };
    let schema = CollectionSchema {
        name: collection.to_string(),
        description: key.to_string(),
        fields: vec![number, vector],
    };
    CreateCollectionRequest {
        collection: collection.to_string(),
        schema: schema.encode_to_vec(),
        properties: vec![KeyValue::new(KEY_PROPERTY, &key.to_string())],
    }
}

pub(super) fn create_index(collection: &CollectionName, index: &ServerIndex) -> CreateIndexRequest {
    CreateIndexRequest {
        collection: collection.to_string(),
        field: VECTOR.to_owned(),
        parameters: index.pairs(),
        index: VECTOR.to_owned(),
    }
}

pub(super) fn describe_index(collection: &CollectionName) -> DescribeIndexRequest {
    DescribeIndexRequest { collection: collection.to_string(), index: VECTOR.to_owned() }
}

pub(super) fn load_state(collection: &CollectionName) -> LoadStateRequest {
    LoadStateRequest { collection: collection.to_string() }
}

pub(super) fn flush(collection: &CollectionName) -> FlushRequest {
    FlushRequest { collections: vec![collection.to_string()] }
}

/// Passages' numbers and their vectors, all of one length.
pub(super) fn upsert(
    collection: &CollectionName,
    passages: &[usize],
    vectors: &[Vec<f32>],
) -> UpsertRequest {
    let width = vectors.first().map_or(0, Vec::len);
    UpsertRequest {
        collection: collection.to_string(),
        columns: vec![
            FieldData::numbers(NUMBER, passages),
            FieldData::vectors(VECTOR, width, vectors.concat()),
        ],
        rows: passages.len() as u32,
    }
}

/// Which passages of a span are there.
pub(super) fn present(collection: &CollectionName, span: &Range<usize>) -> QueryRequest {
    let filter = format!("{NUMBER} >= {} && {NUMBER} < {}", span.start, span.end);
    query(collection, filter, NUMBER, Some(MOST_ROWS))
}

/// How many rows there are, of all or of those that pass a filter.
pub(super) fn count(collection: &CollectionName, filter: String) -> QueryRequest {
    query(collection, filter, COUNT, None)
}

fn query(
    collection: &CollectionName,
    filter: String,
    field: &str,
    most: Option<usize>,
) -> QueryRequest {
    let limit = most.map(|most| KeyValue::new("limit", &most.to_string()));
    let settings =
        [KeyValue::new("ignore_growing", "False"), KeyValue::new("reduce_stop_for_best", "False")];
    QueryRequest {
        collection: collection.to_string(),
        filter,
        output_fields: vec![field.to_owned()],
        parameters: limit.into_iter().chain(settings).collect(),
    }
}

/// The best `depth` passages for each vector.
pub(super) fn search(
    collection: &CollectionName,
    vectors: &[Vec<f32>],
    depth: usize,
    index: &ServerIndex,
) -> SearchRequest {
    let values = vectors
        .iter()
        .map(|vector| vector.iter().flat_map(|number| number.to_le_bytes()).collect())
        .collect();
    let placeholder =
        PlaceholderValue { tag: "$0".to_owned(), kind: FLOAT_VECTOR_PLACEHOLDER, values };
    let mut settings = index.search_parameters().clone();
    settings.insert("metric_type".to_owned(), METRIC.into());
    SearchRequest {
        collection: collection.to_string(),
        placeholders: PlaceholderGroup { placeholders: vec![placeholder] }.encode_to_vec(),
        filter_kind: EXPRESSION,
        output_fields: vec![NUMBER.to_owned()],
        parameters: vec![
            KeyValue::new("topk", &depth.to_string()),
            KeyValue::new("round_decimal", "-1"),
            KeyValue::new("ignore_growing", "False"),
            KeyValue::new("metric_type", METRIC),
            KeyValue::new("anns_field", VECTOR),
            KeyValue::new("params", &Value::Object(settings).to_string()),
        ],
        queries: long(vectors.len()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::passages::milvus::messages::{
        CollectionDescription, IndexDescriptions, MutationResult, QueryResults, SearchResults,
        Status,
    };

    /// Messages as pymilvus writes them, by `tests/compat/milvus_messages.py`.
    fn golden(name: &str) -> Vec<u8> {
        let all = include_str!("../../../tests/fixtures/milvus/messages.json");
        let all: Value = serde_json::from_str(all).unwrap();
        BASE64_STANDARD.decode(all[name].as_str().unwrap()).unwrap()
    }

    fn books() -> CollectionName {
        "books".parse().unwrap()
    }

    #[test]
    fn requests_are_those_of_pymilvus_byte_for_byte() {
        let key = CollectionKey::of("e", &["one".to_owned(), "two".to_owned()]);
        let index: ServerIndex = "HNSW,M=16,efConstruction=200/ef=64".parse().unwrap();
        let vectors = [vec![1.0, 0.5, 0.25], vec![0.0, 0.0, 1.0]];
        for (name, message) in [
            ("has_collection", about(&books()).encode_to_vec()),
            ("describe_collection", about(&books()).encode_to_vec()),
            ("load_collection", about(&books()).encode_to_vec()),
            ("drop_collection", about(&books()).encode_to_vec()),
            ("create_collection", create(&books(), &key, 3).encode_to_vec()),
            ("create_index", create_index(&books(), &index).encode_to_vec()),
            ("describe_index", describe_index(&books()).encode_to_vec()),
            ("load_state", load_state(&books()).encode_to_vec()),
            ("upsert", upsert(&books(), &[7, 300], &vectors).encode_to_vec()),
            ("flush", flush(&books()).encode_to_vec()),
            ("present", present(&books(), &(0..5)).encode_to_vec()),
            ("count", count(&books(), String::new()).encode_to_vec()),
            ("search", search(&books(), &vectors, 26, &index).encode_to_vec()),
        ] {
            assert_eq!(message, golden(name), "{name}");
        }
    }

    #[test]
    fn answers_are_read_with_fields_that_are_not_known() {
        let status = Status::decode(golden("status").as_slice()).unwrap();
        assert_eq!((status.code, status.error_code, status.reason.as_str()), (100, 4, "no books"));
        let found = CollectionDescription::decode(golden("description").as_slice()).unwrap();
        let key = CollectionKey::of("e", &["one".to_owned(), "two".to_owned()]);
        assert_eq!(key.difference(&found), None);
        let found = IndexDescriptions::decode(golden("indexes").as_slice()).unwrap();
        assert_eq!(ServerIndex::default().other(&found.indexes[0].parameters), None);
        let taken = MutationResult::decode(golden("upserted").as_slice()).unwrap();
        assert_eq!(taken.upserted, 2);
        let rows = QueryResults::decode(golden("rows").as_slice()).unwrap();
        let numbers = rows.columns[0].scalars.clone().unwrap().longs.unwrap().data;
        assert_eq!((rows.columns[0].field.as_str(), numbers), (NUMBER, vec![0, 3, 4]));
        let hits = SearchResults::decode(golden("hits").as_slice()).unwrap().results.unwrap();
        assert_eq!((hits.counts, hits.scores), (vec![2, 1], vec![0.75, 0.5, -1.0]));
        assert_eq!(hits.ids.unwrap().numbers.unwrap().data, [4, 0, 3]);
    }

    #[test]
    fn a_token_is_sent_in_base64_and_not_shown() {
        let header = authorization("root:Milvus").unwrap();
        assert_eq!(header.as_bytes(), golden("authorization"));
        assert!(!format!("{header:?}").contains("cm9vd"), "{header:?}");
    }
}
