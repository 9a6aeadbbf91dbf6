//! Connections: accepted while there is room for them, and let go when the server ends.

use std::{pin::pin, sync::Arc, time::Duration};

use axum::Router;
use futures_util::future::{Either, select};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    time::{sleep, timeout},
};

use super::limits::{CLIENT_SECONDS, Limits};

/// How long it takes until another connection is accepted after one could not be, such as for want of file descriptors.
const PAUSE: Duration = Duration::from_millis(100);
/// Bytes that are held of a connection's head.
const MOST_HEAD_BYTES: usize = 64 << 10;

/// Connections that are open when no more are accepted.
pub(super) struct OpenConnections {
    places: Arc<Semaphore>,
    /// Each connection hears that it is gone.
    ending: watch::Sender<()>,
    limits: Limits,
}

/// Accepts connections until `end` is done.
pub(super) async fn listen(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    end: impl Future<Output = ()>,
) -> OpenConnections {
    let places = Arc::new(Semaphore::new(limits.connections));
    let (ending, is_ending) = watch::channel(());
    let mut end = pin!(end);
    loop {
        let accepted = pin!(accept(&listener, &places));
        match select(accepted, end.as_mut()).await {
            Either::Left((Some((connection, place)), _)) => {
                tokio::spawn(serve(connection, router.clone(), is_ending.clone(), place));
            }
            Either::Left((None, _)) => sleep(PAUSE).await,
            Either::Right(_) => break,
        }
    }
    OpenConnections { places, ending, limits }
}

impl OpenConnections {
    /// Lets idle ones go and waits for those that are at work.
    pub(super) async fn close(self) {
        let Self { places, ending, limits } = self;
        drop(ending);
        // Each holds its place until it is gone.
        let all = u32::try_from(limits.connections).unwrap_or(u32::MAX);
        let patience = Duration::from_secs(limits.request_seconds + CLIENT_SECONDS);
        _ = timeout(patience, places.acquire_many(all)).await;
    }
}

async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> Option<(TcpStream, OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.ok()?;
    let (connection, _) = listener.accept().await.ok()?;
    // Pieces of a stream are small and wanted at once.
    _ = connection.set_nodelay(true);
    Some((connection, place))
}

/// Serves a connection until the client or the server ends it.
async fn serve(
    connection: TcpStream,
    router: Router,
    mut ending: watch::Receiver<()>,
    _place: OwnedSemaphorePermit,
) {
    let service = TowerToHyperService::new(router);
    let mut served = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(Duration::from_secs(CLIENT_SECONDS))
            .max_buf_size(MOST_HEAD_BYTES)
            .serve_connection(TokioIo::new(connection), service)
    );
    let ends = pin!(ending.changed());
    if let Either::Right(_) = select(served.as_mut(), ends).await {
        served.as_mut().graceful_shutdown();
        // What goes wrong with a connection is its client's to know.
        _ = served.await;
    }
}
