//! Calls of a Milvus server about one collection.

use std::{cell::RefCell, collections::HashSet, ops::Range, time::Duration};

use http::{HeaderValue, Request};
use prost::Message;
use tokio::{
    runtime::{Builder, Runtime},
    time::{sleep, timeout},
};

use super::{
    CollectionName, MilvusAddress, MilvusError, ServerIndex,
    collection::CollectionKey,
    connection::{Connection, Failure},
    messages::{
        Answered, BoolResponse, CollectionDescription, ConnectResponse, FlushResponse,
        IndexDescriptions, KeyValue, LOADED, LoadStateResponse, MutationResult, NO_INDEX,
        QueryRequest, QueryResults, SearchResults, Status,
    },
    requests::{
        COUNT, NUMBER, VECTOR, about, authorization, count, create, create_index, describe_index,
        flush, hello, load_state, present, search, upsert,
    },
};

/// How long a server may take to say that it is there.
const CONNECT_SECONDS: u64 = 10;
/// The first call.
const HELLO: &str = "Connect";
/// How long any other call may take.
const CALL_SECONDS: u64 = 120;
/// How long a collection may take until it can be searched.
const LOAD_SECONDS: u64 = 600;
/// How long is waited between two looks whether it can.
const LOOK: Duration = Duration::from_millis(100);

/// A passage that the server found, and its score there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Found {
    pub(super) passage: usize,
    pub(super) score: f32,
}

/// A connection to a server, with the collection that all calls are about.
#[derive(Debug)]
pub(super) struct Client {
    /// One thread of its own, so that the connection is looked after while vectors are made.
    runtime: Runtime,
    /// The last one that was open: servers and what lies between end those that are idle.
    connection: RefCell<Option<Connection>>,
    address: MilvusAddress,
    token: Option<HeaderValue>,
    collection: CollectionName,
}

impl Client {
    /// Connects. The token is `user:password` or a key.
    pub(super) fn connect(
        address: &MilvusAddress,
        token: Option<&str>,
        collection: CollectionName,
    ) -> Result<Self, MilvusError> {
        let failed = |problem| MilvusError::Client { address: address.to_string(), problem };
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| failed(error.to_string()))?;
        let token = token.map(authorization).transpose()?;
        let connection = RefCell::default();
        let client = Self { runtime, connection, address: address.clone(), token, collection };
        client.call::<_, ConnectResponse>(HELLO, &hello())?;
        Ok(client)
    }

    /// Server and collection, for messages.
    pub(super) fn place(&self) -> String {
        format!("{}, collection {}", self.address, self.collection)
    }

    /// What the collection is, if it is there.
    pub(super) fn description(&self) -> Result<Option<CollectionDescription>, MilvusError> {
        let there: BoolResponse = self.call("HasCollection", &about(&self.collection))?;
        there.value.then(|| self.call("DescribeCollection", &about(&self.collection))).transpose()
    }

    /// Makes the collection.
    pub(super) fn create(&self, key: &CollectionKey, width: usize) -> Result<(), MilvusError> {
        let request = create(&self.collection, key, width);
        self.call::<_, Status>("CreateCollection", &request).map(drop)
    }

    /// Removes the collection with all that it holds.
    pub(super) fn drop_collection(&self) -> Result<(), MilvusError> {
        self.call::<_, Status>("DropCollection", &about(&self.collection)).map(drop)
    }

    /// What its index is built by, if it has one.
    pub(super) fn index(&self) -> Result<Option<Vec<KeyValue>>, MilvusError> {
        let request = describe_index(&self.collection);
        let answer: IndexDescriptions = self.send("DescribeIndex", &request)?;
        let status = answer.status.clone().unwrap_or_default();
        if status.code == NO_INDEX.0 || (status.code == 0 && status.error_code == NO_INDEX.1) {
            return Ok(None);
        }
        let answer = self.checked("DescribeIndex", answer)?;
        let index = answer.indexes.into_iter().find(|index| index.field == VECTOR);
        Ok(index.map(|index| index.parameters))
    }

    /// Has the server build an index of what is there and of what will be.
    pub(super) fn create_index(&self, index: &ServerIndex) -> Result<(), MilvusError> {
        let request = create_index(&self.collection, index);
        self.call::<_, Status>("CreateIndex", &request).map(drop)
    }

    /// Makes the collection ready for searching, and waits until it is.
    pub(super) fn load(&self) -> Result<(), MilvusError> {
        self.call::<_, Status>("LoadCollection", &about(&self.collection))?;
        let looks = LOAD_SECONDS * 1000 / LOOK.as_millis() as u64;
        for _ in 0..looks {
            let request = load_state(&self.collection);
            let answer: LoadStateResponse = self.call("GetLoadState", &request)?;
            if answer.state == LOADED {
                return Ok(());
            }
            self.runtime.block_on(sleep(LOOK));
        }
        Err(self.too_late("LoadCollection", LOAD_SECONDS))
    }

    /// Sends passages with their vectors; those that are there already are replaced.
    pub(super) fn upsert(
        &self,
        passages: &[usize],
        vectors: &[Vec<f32>],
    ) -> Result<(), MilvusError> {
        let request = upsert(&self.collection, passages, vectors);
        let answer: MutationResult = self.call("Upsert", &request)?;
        if usize::try_from(answer.upserted) == Ok(passages.len()) {
            Ok(())
        } else {
            let problem = format!("{} of {} rows taken", answer.upserted, passages.len());
            Err(self.nonsense("Upsert", problem))
        }
    }

    /// Has the server write down what it was sent.
    pub(super) fn flush(&self) -> Result<(), MilvusError> {
        self.call::<_, FlushResponse>("Flush", &flush(&self.collection)).map(drop)
    }

    /// Which of these passages are there.
    pub(super) fn present(&self, span: Range<usize>) -> Result<HashSet<usize>, MilvusError> {
        let numbers = self.numbers(NUMBER, &present(&self.collection, &span))?;
        let fits = |number: i64| usize::try_from(number).ok().filter(|it| span.contains(it));
        numbers
            .into_iter()
            .map(|number| {
                fits(number)
                    .ok_or_else(|| self.nonsense("Query", format!("a passage {number}, not asked")))
            })
            .collect()
    }

    /// How many rows there are.
    pub(super) fn rows(&self) -> Result<usize, MilvusError> {
        self.count(String::new())
    }

    /// How many rows there are that are none of so many passages.
    pub(super) fn rows_beyond(&self, passages: usize) -> Result<usize, MilvusError> {
        self.count(format!("{NUMBER} < 0 || {NUMBER} >= {passages}"))
    }

    fn count(&self, filter: String) -> Result<usize, MilvusError> {
        let numbers = self.numbers(COUNT, &count(&self.collection, filter))?;
        match numbers.as_slice() {
            &[count] if count >= 0 => Ok(count as usize),
            _ => Err(self.nonsense("Query", "no count".to_owned())),
        }
    }

    /// The numbers of the only column that is asked for.
    fn numbers(&self, field: &str, request: &QueryRequest) -> Result<Vec<i64>, MilvusError> {
        let answer: QueryResults = self.call("Query", request)?;
        let column = answer.columns.into_iter().find(|column| column.field == field);
        // Where there is no row, servers may leave the column out.
        Ok(column
            .and_then(|column| column.scalars)
            .and_then(|scalars| scalars.longs)
            .map_or_else(Vec::new, |numbers| numbers.data))
    }

    /// For each vector the passages that are near it, at most `depth`, the server's best first.
    pub(super) fn search(
        &self,
        vectors: &[Vec<f32>],
        depth: usize,
        index: &ServerIndex,
    ) -> Result<Vec<Vec<Found>>, MilvusError> {
        let request = search(&self.collection, vectors, depth, index);
        let answer: SearchResults = self.call("Search", &request)?;
        let data = answer.results.unwrap_or_default();
        let ids = data.ids.and_then(|ids| ids.numbers).unwrap_or_default().data;
        let counts: Option<Vec<usize>> =
            data.counts.iter().map(|&count| usize::try_from(count).ok()).collect();
        let counts = counts.unwrap_or_default();
        let all: usize = counts.iter().sum();
        if counts.len() != vectors.len() || ids.len() != all || data.scores.len() != all {
            let problem = format!(
                "{} hits, {} scores and {} counts for {} queries",
                ids.len(),
                data.scores.len(),
                counts.len(),
                vectors.len()
            );
            return Err(self.nonsense("Search", problem));
        }
        let mut hits = ids.into_iter().zip(data.scores);
        let found = |(id, score): (i64, f32)| {
            let passage = usize::try_from(id)
                .map_err(|_| self.nonsense("Search", format!("a passage {id}")))?;
            Ok(Found { passage, score })
        };
        counts.into_iter().map(|count| hits.by_ref().take(count).map(found).collect()).collect()
    }

    /// Calls the server; an answer that says that the call failed is an error.
    fn call<Q, A>(&self, call: &'static str, request: &Q) -> Result<A, MilvusError>
    where
        Q: Message,
        A: Message + Default + Answered,
    {
        self.send(call, request).and_then(|answer| self.checked(call, answer))
    }

    fn checked<A: Answered>(&self, call: &'static str, answer: A) -> Result<A, MilvusError> {
        match answer.status() {
            Some(status) if status.code != 0 || status.error_code != 0 => {
                let code = if status.code == 0 { status.error_code } else { status.code };
                let problem = format!("{} (code {code})", status.reason.trim());
                Err(MilvusError::Refused { place: self.place(), call, problem })
            }
            _ => Ok(answer),
        }
    }

    fn send<Q, A>(&self, call: &'static str, request: &Q) -> Result<A, MilvusError>
    where
        Q: Message,
        A: Message + Default,
    {
        let seconds = if call == HELLO { CONNECT_SECONDS } else { CALL_SECONDS };
        let message = request.encode_to_vec();
        let answer = self.runtime.block_on(async {
            timeout(Duration::from_secs(seconds), self.exchange(call, seconds, &message)).await
        });
        match answer {
            Err(_) => Err(self.too_late(call, seconds)),
            Ok(Err(failure)) => Err(self.failed(call, failure)),
            Ok(Ok(answer)) => {
                A::decode(answer).map_err(|error| self.nonsense(call, error.to_string()))
            }
        }
    }

    /// Asks over the connection that is there, or over a new one if there is none or it has ended. Every call may be made
    /// twice.
    async fn exchange(
        &self,
        call: &str,
        seconds: u64,
        message: &[u8],
    ) -> Result<bytes::Bytes, Failure> {
        let kept = self.connection.take();
        if let Some(connection) = kept {
            match connection.call(self.request(call, seconds)?, message).await {
                Err(Failure::Lost(_)) => {}
                answer => {
                    self.connection.replace(Some(connection));
                    return answer;
                }
            }
        }
        let connection = Connection::open(&self.address).await?;
        let answer = connection.call(self.request(call, seconds)?, message).await;
        self.connection.replace(Some(connection));
        answer
    }

    fn request(&self, call: &str, seconds: u64) -> Result<Request<()>, Failure> {
        let program = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));
        let mut request = Request::post(self.address.call(call))
            .header("content-type", "application/grpc")
            .header("te", "trailers")
            .header("user-agent", program)
            .header("grpc-timeout", format!("{seconds}S"));
        if let Some(token) = &self.token {
            request = request.header("authorization", token.clone());
        }
        if let Some(database) = self.address.database() {
            request = request.header("dbname", database);
        }
        request.body(()).map_err(|error| Failure::Nonsense(error.to_string()))
    }

    fn failed(&self, call: &'static str, failure: Failure) -> MilvusError {
        let place = self.place();
        match failure {
            Failure::Lost(problem) | Failure::Status { code: 14, message: problem } => {
                MilvusError::Unreachable { place, call, problem }
            }
            Failure::Status { code: 4, .. } => self.too_late(call, CALL_SECONDS),
            Failure::Status { code: 7 | 16, message: problem } => {
                MilvusError::Unauthenticated { place, call, problem }
            }
            Failure::Status { code, message } => {
                let problem = format!("{message} (gRPC code {code})");
                MilvusError::Refused { place, call, problem }
            }
            Failure::Nonsense(problem) => self.nonsense(call, problem),
        }
    }

    fn too_late(&self, call: &'static str, seconds: u64) -> MilvusError {
        MilvusError::TimedOut { place: self.place(), call, seconds }
    }

    fn nonsense(&self, call: &'static str, problem: String) -> MilvusError {
        MilvusError::Answer { place: self.place(), call, problem }
    }
}
