//! Passages in a vector database of its own: Milvus, for corpora whose vectors do not fit into one machine.
//!
//! [`MilvusIndex`] keeps the vectors of a corpus in a collection of a server and asks it which passages are near. What
//! it says is not taken for the answer: candidates are ranked anew by their own vectors, with the products of
//! [`DenseIndex`](super::DenseIndex), so passages, order and scores are those of exact search in memory, to the bit.
//! Where the server's rounding may have decided who is among the candidates, it is asked for more of them.
//!
//! It speaks gRPC (`connection`) with the few messages of Milvus' protocol that are needed (`messages`). It starts no
//! server, and knows neither users nor partitions. The room reaches the network here and nowhere else.

mod address;
mod client;
mod collection;
mod connection;
mod error;
mod filling;
mod index;
mod messages;
mod requests;
mod server_index;

pub use self::{
    address::MilvusAddress,
    collection::CollectionName,
    error::MilvusError,
    filling::Filling,
    index::{MilvusIndex, MilvusOptions},
    server_index::ServerIndex,
};
