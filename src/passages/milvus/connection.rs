//! gRPC over one HTTP/2 connection: a message is asked, a message is answered.
//!
//! The protocol is <https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md>, of which no more is needed than
//! calls with one message each way, uncompressed. It lies on `h2`; tonic would be three times as many crates, and the
//! features that those turn on would have most of the program built again.

use std::{error::Error, future::poll_fn, io, sync::Arc};

use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};
use h2::{RecvStream, SendStream, client::SendRequest};
use http::{HeaderMap, Request, StatusCode, header::HeaderName};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};
use tokio_rustls::{
    TlsConnector,
    rustls::{ClientConfig, RootCertStore, pki_types::ServerName},
};

use super::MilvusAddress;

/// Longest answer that is read: the most that Milvus sends.
const MOST_ANSWER_BYTES: usize = 256 << 20;
/// How much of answers may be under way.
const WINDOW_BYTES: u32 = 16 << 20;
/// What stands before a message: whether it is compressed, and its length in four bytes.
const PREFIX_BYTES: usize = 5;

/// Why a call has no answer.
#[derive(Debug)]
pub(super) enum Failure {
    /// There is no connection, or it ended.
    Lost(String),
    /// The server says so, by a code of gRPC.
    Status {
        /// 4 too late, 7 not allowed, 14 not available, 16 who asks is not known.
        code: u32,
        /// In its words.
        message: String,
    },
    /// What came is not gRPC.
    Nonsense(String),
}

/// A connection that is looked after in the background.
#[derive(Debug)]
pub(super) struct Connection {
    sender: SendRequest<Bytes>,
}

impl Connection {
    /// Connects to a server.
    pub(super) async fn open(address: &MilvusAddress) -> Result<Self, Failure> {
        let stream = TcpStream::connect((address.host(), address.port())).await.map_err(lost)?;
        stream.set_nodelay(true).map_err(lost)?;
        if !address.is_encrypted() {
            return Self::over(stream).await;
        }
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
        let settings = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(lost)?;
        let mut settings = settings.with_root_certificates(roots).with_no_client_auth();
        settings.alpn_protocols = vec![b"h2".to_vec()];
        let name = ServerName::try_from(address.host().to_owned()).map_err(lost)?;
        let connector = TlsConnector::from(Arc::new(settings));
        Self::over(connector.connect(name, stream).await.map_err(lost)?).await
    }

    async fn over(
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    ) -> Result<Self, Failure> {
        let (sender, connection) = h2::client::Builder::new()
            .initial_window_size(WINDOW_BYTES)
            .initial_connection_window_size(WINDOW_BYTES)
            .handshake(stream)
            .await
            .map_err(lost)?;
        // Its end is seen by the calls.
        tokio::spawn(async move { connection.await.is_ok() });
        Ok(Self { sender })
    }

    /// Asks with a message and gives the one that is answered.
    pub(super) async fn call(
        &self,
        request: Request<()>,
        message: &[u8],
    ) -> Result<Bytes, Failure> {
        let mut sender = self.sender.clone().ready().await.map_err(lost)?;
        let (response, body) = sender.send_request(request, false).map_err(lost)?;
        // A server that takes no more may still say why.
        let sent = send(body, framed(message)).await;
        let response = match (response.await, sent) {
            (Ok(response), _) => response,
            (Err(error), Ok(()) | Err(_)) => return Err(lost(error)),
        };
        if response.status() != StatusCode::OK {
            return Err(Failure::Nonsense(format!("HTTP {}", response.status())));
        }
        // A call that fails at once may have no body.
        if response.headers().contains_key(STATUS) {
            status(response.headers())?;
        }
        let mut body = response.into_body();
        let answer = received(&mut body).await?;
        match body.trailers().await.map_err(lost)? {
            Some(trailers) => status(&trailers)?,
            None => return Err(Failure::Nonsense("no status at its end".to_owned())),
        }
        unframed(answer)
    }
}

/// How a call ended, and what is said of it.
const STATUS: HeaderName = HeaderName::from_static("grpc-status");
const MESSAGE: HeaderName = HeaderName::from_static("grpc-message");

/// A message behind its prefix.
fn framed(message: &[u8]) -> Bytes {
    let mut bytes = BytesMut::with_capacity(PREFIX_BYTES + message.len());
    bytes.put_u8(0);
    bytes.put_u32(message.len() as u32);
    bytes.put_slice(message);
    bytes.freeze()
}

/// The only message of a body.
fn unframed(mut body: Bytes) -> Result<Bytes, Failure> {
    let nonsense = |problem: &str| Err(Failure::Nonsense(problem.to_owned()));
    if body.remaining() < PREFIX_BYTES {
        return nonsense("no message");
    }
    if body.get_u8() != 0 {
        return nonsense("a compressed message");
    }
    if body.get_u32() as usize != body.remaining() {
        return nonsense("a message of another length than it says");
    }
    Ok(body)
}

/// Sends a body as the server makes room for it.
async fn send(mut stream: SendStream<Bytes>, mut body: Bytes) -> Result<(), Failure> {
    while !body.is_empty() {
        stream.reserve_capacity(body.len());
        // Only a change is waited for: what there is room for already is not told again.
        if stream.capacity() == 0 {
            let room = poll_fn(|context| stream.poll_capacity(context)).await;
            room.ok_or_else(|| lost("the server takes no more"))?.map_err(lost)?;
        }
        let part = body.split_to(stream.capacity().min(body.len()));
        if !part.is_empty() {
            stream.send_data(part, body.is_empty()).map_err(lost)?;
        }
    }
    Ok(())
}

/// A whole body.
async fn received(stream: &mut RecvStream) -> Result<Bytes, Failure> {
    let mut whole = BytesMut::new();
    while let Some(part) = stream.data().await {
        let part = part.map_err(lost)?;
        if whole.len() + part.len() > MOST_ANSWER_BYTES {
            return Err(Failure::Nonsense(format!("more than {MOST_ANSWER_BYTES} bytes")));
        }
        stream.flow_control().release_capacity(part.len()).map_err(lost)?;
        whole.extend_from_slice(&part);
    }
    Ok(whole.freeze())
}

/// What the server says of a call.
fn status(headers: &HeaderMap) -> Result<(), Failure> {
    let text = |name| headers.get(name).map_or(&b""[..], http::HeaderValue::as_bytes);
    let code = std::str::from_utf8(text(STATUS)).ok().and_then(|code| code.parse().ok());
    match code {
        Some(0) => Ok(()),
        Some(code) => Err(Failure::Status { code, message: unescaped(text(MESSAGE)) }),
        None => Err(Failure::Nonsense("no status at its end".to_owned())),
    }
}

/// A text in which bytes may stand as `%E4`.
fn unescaped(text: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, after @ ..] = rest {
        let escaped = match after {
            [high, low, ..] if *first == b'%' => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16);
                digit(high).zip(digit(low)).map(|(high, low)| (high * 16 + low) as u8)
            }
            _ => None,
        };
        bytes.push(escaped.unwrap_or(*first));
        rest = after.get(if escaped.is_some() { 2 } else { 0 }..).unwrap_or_default();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The failure of what lies below: libraries wrap what the system says in words that say less.
fn lost(error: impl Into<Box<dyn Error + Send + Sync>>) -> Failure {
    let error = error.into();
    let mut deepest: &(dyn Error + 'static) = error.as_ref();
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    // What rustls found out is inside of the system's error, which does not call it a source.
    let inner = deepest.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    Failure::Lost(inner.map_or_else(|| deepest.to_string(), ToString::to_string))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_framed_and_read_again() {
        assert_eq!(&framed(b"ab")[..], b"\0\0\0\0\x02ab");
        assert_eq!(&unframed(framed(b"ab")).unwrap()[..], b"ab");
        assert_eq!(&unframed(framed(b"")).unwrap()[..], b"");
        for (body, expected) in [
            (&b"\0\0"[..], "no message"),
            (b"\x01\0\0\0\0", "compressed"),
            (b"\0\0\0\0\x02a", "another length"),
        ] {
            let failure = unframed(Bytes::from_static(body)).unwrap_err();
            assert!(format!("{failure:?}").contains(expected), "{failure:?}");
        }
    }

    #[test]
    fn what_a_server_says_is_read_from_headers() {
        let headers = |pairs: &[(HeaderName, &str)]| -> HeaderMap {
            pairs.iter().map(|(name, text)| (name.clone(), text.parse().unwrap())).collect()
        };
        assert!(status(&headers(&[(STATUS, "0")])).is_ok());
        let said = status(&headers(&[(STATUS, "16"), (MESSAGE, "wer%20ist das? 100%, %C3%A4")]));
        let Err(Failure::Status { code, message }) = said else { panic!("{said:?}") };
        assert_eq!((code, message.as_str()), (16, "wer ist das? 100%, ä"));
        for pairs in [&[][..], &[(STATUS, "x")]] {
            assert!(matches!(status(&headers(pairs)), Err(Failure::Nonsense(_))));
        }
    }
}
