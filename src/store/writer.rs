//! The thread that writes answers down.
//!
//! Whoever computes hands answers over and goes on; it never formats a row and never waits for a disk. The
//! thread takes what has come, in the order of the tokens so that what is shared is written once, and
//! commits it. A killed process loses what came since the last commit, which is at most
//! [`BATCH_TIME`] of work.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use rusqlite::{Connection, TransactionBehavior};

use super::{StoreError, answers, database, front_coding::FrontCoder, scored_tokens::Scored};
use crate::answer::{Answer, Question, QuestionKey};

/// How long answers are gathered before they are committed together.
const BATCH_TIME: Duration = Duration::from_millis(400);

/// An answer on its way.
type Handed = (QuestionKey, Question, Answer);

enum Message {
    Answer(Box<Handed>),
    /// Everything before is to be on disk when this is answered.
    Flush(Sender<()>),
}

/// Takes answers and writes them on a thread of its own.
#[derive(Debug)]
pub struct AnswerWriter {
    sender: Option<Sender<Message>>,
    thread: Option<JoinHandle<Result<(), StoreError>>>,
    failed: Arc<AtomicBool>,
    committed: Arc<AtomicUsize>,
    path: PathBuf,
}

impl AnswerWriter {
    /// Starts the thread with a connection of its own; the answers are those of `run`.
    pub(super) fn start(path: &Path, run: i64) -> Result<Self, StoreError> {
        let connection = database::connect(path)?;
        let (sender, receiver) = channel();
        let failed = Arc::new(AtomicBool::new(false));
        let committed = Arc::new(AtomicUsize::new(0));
        let (own_path, own_failed) = (path.to_owned(), failed.clone());
        let own_committed = committed.clone();
        let thread = std::thread::Builder::new()
            .name("answer writer".to_owned())
            .spawn(move || {
                let written = work(connection, &receiver, run, &own_path, &own_committed);
                own_failed.store(written.is_err(), Ordering::Release);
                written
            })
            .map_err(StoreError::io("start a thread to write to", path))?;
        Ok(Self {
            sender: Some(sender),
            thread: Some(thread),
            failed,
            committed,
            path: path.to_owned(),
        })
    }

    /// Hands an answer over. It is dropped if writing has failed before; [`Self::flush`] tells.
    pub fn put(&self, key: QuestionKey, question: Question, answer: Answer) {
        if let Some(sender) = &self.sender {
            // A thread that has ended has told why.
            let _ = sender.send(Message::Answer(Box::new((key, question, answer))));
        }
    }

    /// How many of the answers that were handed over are on disk; the first ones are first.
    pub fn committed(&self) -> usize {
        self.committed.load(Ordering::Acquire)
    }

    /// Whether writing has failed: there is no use in computing on.
    pub fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }

    /// Waits until every answer that was handed over is on disk.
    pub fn flush(&mut self) -> Result<(), StoreError> {
        let (done, written) = channel();
        let sent =
            self.sender.as_ref().is_some_and(|sender| sender.send(Message::Flush(done)).is_ok());
        if sent && written.recv().is_ok() {
            return Ok(());
        }
        self.end()?;
        Err(StoreError::WriterGone { path: self.path.clone() })
    }

    /// Ends the thread; gives the error that it ended with.
    fn end(&mut self) -> Result<(), StoreError> {
        self.sender = None;
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(ended)) => ended,
            Some(Err(_)) => Err(StoreError::WriterGone { path: self.path.clone() }),
            None => Ok(()),
        }
    }
}

impl Drop for AnswerWriter {
    fn drop(&mut self) {
        // What was handed over before an error elsewhere is finished work, too.
        let _ = self.end();
    }
}

/// Writes until nobody hands over any more.
fn work(
    mut connection: Connection,
    receiver: &Receiver<Message>,
    run: i64,
    path: &Path,
    committed: &AtomicUsize,
) -> Result<(), StoreError> {
    let mut coder = FrontCoder::default();
    let mut batch: Vec<Handed> = Vec::new();
    while let Ok(first) = receiver.recv() {
        let deadline = Instant::now() + BATCH_TIME;
        let mut waiting = Vec::new();
        let mut next = Some(first);
        loop {
            match next.take() {
                Some(Message::Answer(handed)) => batch.push(*handed),
                Some(Message::Flush(done)) => {
                    waiting.push(done);
                    break;
                }
                None => (),
            }
            match receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(message) => next = Some(message),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
            }
        }
        let answers = batch.len();
        commit(&mut connection, &mut coder, run, &mut batch)
            .map_err(StoreError::database("write answers to", path))?;
        committed.fetch_add(answers, Ordering::Release);
        for done in waiting {
            let _ = done.send(());
        }
    }
    Ok(())
}

/// Writes a batch in one transaction; it is on disk when this returns.
fn commit(
    connection: &mut Connection,
    coder: &mut FrontCoder<Scored>,
    run: i64,
    batch: &mut Vec<Handed>,
) -> rusqlite::Result<()> {
    if batch.is_empty() {
        return Ok(());
    }
    batch.sort_by(|(_, one, _), (_, other, _)| one.ids().cmp(other.ids()));
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for handed in &*batch {
        answers::write(&transaction, coder, run, handed)?;
        transaction
            .prepare_cached("DELETE FROM claim WHERE question = ?")?
            .execute([handed.0.as_bytes()])?;
    }
    transaction.commit()?;
    batch.clear();
    Ok(())
}
