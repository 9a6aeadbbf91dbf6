"""Messages as pymilvus writes them, in base64: the file tests/fixtures/milvus/messages.json, which unit tests compare with.

    milvus_messages.py > FILE

Requests are made by what the client itself calls; answers are made of its own message types, with fields that nobody reads.
"""

import base64
import hashlib
import json
import sys

from pymilvus import DataType, MilvusClient
from pymilvus.client.prepare import Prepare
from pymilvus.grpc_gen import common_pb2, milvus_pb2, schema_pb2

KEY = "surprisal.passages"
FIELDS = [
    {"name": "passage", "type": DataType.INT64, "is_primary": True, "params": {}},
    {"name": "vector", "type": DataType.FLOAT_VECTOR, "params": {"dim": 3}},
]
VECTORS = [[1.0, 0.5, 0.25], [0.0, 0.0, 1.0]]


def digest(*facts):
    whole = b"".join(len(fact).to_bytes(8, "little") + fact for fact in facts)
    return hashlib.sha256(whole).hexdigest()[:32]


def requests(key):
    schema = MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False, description=key)
    schema.add_field("passage", DataType.INT64, is_primary=True)
    schema.add_field("vector", DataType.FLOAT_VECTOR, dim=3)
    index = {"index_type": "HNSW", "metric_type": "IP", "params": {"M": 16, "efConstruction": 200}}
    searched = {"metric_type": "IP", "params": {"ef": 64}}
    strong = {"use_default_consistency": False, "consistency_level": 0}
    columns = [
        {"name": "passage", "type": DataType.INT64, "values": [7, 300]},
        {"name": "vector", "type": DataType.FLOAT_VECTOR, "values": VECTORS},
    ]
    return {
        "has_collection": milvus_pb2.HasCollectionRequest(collection_name="books"),
        "describe_collection": Prepare.describe_collection_request("books"),
        "load_collection": Prepare.load_collection("books"),
        "drop_collection": Prepare.drop_collection_request("books"),
        "create_collection": Prepare.create_collection_request(
            "books", schema, properties={KEY: key}, consistency_level="Strong"
        ),
        "create_index": Prepare.create_index_request("books", "vector", index, index_name="vector"),
        "describe_index": Prepare.describe_index_request("books", "vector"),
        "load_state": Prepare.get_load_state("books"),
        "upsert": Prepare.batch_upsert_param("books", columns, "", FIELDS),
        "flush": Prepare.flush_param(["books"]),
        "present": Prepare.query_request(
            "books", "passage >= 0 && passage < 5", ["passage"], [], limit=16384, **strong
        ),
        "count": Prepare.query_request("books", "", ["count(*)"], [], **strong),
        "search": Prepare.search_requests_with_expr(
            "books", "vector", searched, 26, data=VECTORS, output_fields=["passage"], round_decimal=-1, **strong
        ),
    }


def answers(key):
    pair = common_pb2.KeyValuePair
    fine = common_pb2.Status(code=0, reason="")
    numbers = schema_pb2.ScalarField(long_data=schema_pb2.LongArray(data=[0, 3, 4]))
    hits = schema_pb2.SearchResultData(
        num_queries=2,
        top_k=2,
        scores=[0.75, 0.5, -1.0],
        ids=schema_pb2.IDs(int_id=schema_pb2.LongArray(data=[4, 0, 3])),
        topks=[2, 1],
        primary_field_name="passage",
    )
    flat = [pair(key="index_type", value="FLAT"), pair(key="metric_type", value="IP"), pair(key="dim", value="3")]
    return {
        "status": common_pb2.Status(error_code=4, code=100, reason="no books", detail="none", retriable=True),
        "description": milvus_pb2.DescribeCollectionResponse(
            status=fine,
            schema=schema_pb2.CollectionSchema(name="books"),
            collection_name="books",
            shards_num=1,
            properties=[pair(key="collection.ttl.seconds", value="0"), pair(key=KEY, value=key)],
        ),
        "indexes": milvus_pb2.DescribeIndexResponse(
            status=fine,
            index_descriptions=[
                milvus_pb2.IndexDescription(index_name="vector", field_name="vector", indexID=7, params=flat, state=3)
            ],
        ),
        "upserted": milvus_pb2.MutationResult(status=fine, upsert_cnt=2, succ_index=[0, 1], timestamp=9),
        "rows": milvus_pb2.QueryResults(
            status=fine,
            fields_data=[schema_pb2.FieldData(type=5, field_name="passage", scalars=numbers, field_id=100)],
            primary_field_name="passage",
        ),
        "hits": milvus_pb2.SearchResults(status=fine, results=hits, collection_name="books"),
    }


key = f"encoder {digest(b'e')} corpus {digest(b'one', b'two')}"
messages = {**requests(key), **answers(key)}
written = {name: base64.b64encode(message.SerializeToString()).decode() for name, message in messages.items()}
# What the client sends in its header, and that in base64 like everything here.
token = base64.b64encode(b"root:Milvus")
written["authorization"] = base64.b64encode(token).decode()
json.dump(written, sys.stdout, indent=1)
print()
