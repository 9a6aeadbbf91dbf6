//! What can go wrong between the program and a Milvus server.

/// Why a collection could not be filled or searched. A place is the server's address and the collection.
#[derive(Debug, thiserror::Error)]
pub enum MilvusError {
    /// An address that is none.
    #[error("{address}: {problem}; expected one like http://127.0.0.1:19530")]
    Address {
        /// What was given.
        address: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A name that no collection can have.
    #[error(
        "`{name}` cannot name a collection; expected letters, digits and _, no digit first, at most 255"
    )]
    Name {
        /// What was given.
        name: String,
    },
    /// An index that is not understood.
    #[error(
        "`{text}` is not an index of Milvus; expected a kind, the numbers that it is built by and those that it is searched by, like FLAT or HNSW,M=16,efConstruction=200/ef=256"
    )]
    Index {
        /// What was given.
        text: String,
    },
    /// A token that cannot be sent.
    #[error(
        "the token of Milvus has letters that no header can hold; expected user:password or a key"
    )]
    Token,
    /// The program could not get ready to ask.
    #[error("cannot ask {address}: {problem}")]
    Client {
        /// The server.
        address: String,
        /// What the system or the library said.
        problem: String,
    },
    /// No server there.
    #[error(
        "{place}: no Milvus server answers ({call}: {problem}); start it, or name another with --milvus; what was sent is kept there, and the same command goes on"
    )]
    Unreachable {
        /// Server and collection.
        place: String,
        /// The call.
        call: &'static str,
        /// What the system said.
        problem: String,
    },
    /// No answer in time.
    #[error(
        "{place}: {call} had no answer within {seconds} s; the same command goes on where it was when the server answers again"
    )]
    TimedOut {
        /// Server and collection.
        place: String,
        /// The call.
        call: &'static str,
        /// How long it was waited for.
        seconds: u64,
    },
    /// The server does not know who asks.
    #[error(
        "{place}: {call} is refused ({problem}); SURPRISAL_MILVUS_TOKEN holds user:password or a key"
    )]
    Unauthenticated {
        /// Server and collection.
        place: String,
        /// The call.
        call: &'static str,
        /// What the server said.
        problem: String,
    },
    /// The server said no.
    #[error("{place}: {call} failed: {problem}")]
    Refused {
        /// Server and collection.
        place: String,
        /// The call.
        call: &'static str,
        /// What the server said.
        problem: String,
    },
    /// An answer that cannot be meant.
    #[error(
        "{place}: {call} was answered with {problem}; the server may not be Milvus, or a release of another protocol"
    )]
    Answer {
        /// Server and collection.
        place: String,
        /// The call.
        call: &'static str,
        /// What came.
        problem: String,
    },
    /// A collection that is not what is wanted.
    #[error("{place}: the collection {what}; {hint}")]
    Other {
        /// Server and collection.
        place: String,
        /// What it is.
        what: String,
        /// What to do.
        hint: &'static str,
    },
    /// Rows that are not the corpus's.
    #[error(
        "{place}: the collection holds {found} rows where the corpus has {passages} passages, and {others} of them are none of the corpus; nothing is searched; fill it anew with --refill"
    )]
    Rows {
        /// Server and collection.
        place: String,
        /// Rows that are there.
        found: usize,
        /// Rows that should be there.
        passages: usize,
        /// Rows whose numbers are no passage's.
        others: usize,
    },
    /// Vectors that were changed.
    #[error(
        "{place}: passage {passage} scores {found} there and {expected} here; its vector is not the corpus's; fill the collection anew with --refill"
    )]
    Score {
        /// Server and collection.
        place: String,
        /// The passage's number, from 0.
        passage: usize,
        /// The server's score.
        found: f32,
        /// The cosine.
        expected: f64,
    },
}
