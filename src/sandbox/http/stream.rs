//! A body that goes out in chunks, so that a client can lose it in the middle.
//! Must not know what the bytes are.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame};

const CHUNK: usize = 16 * 1024;

/// The rest of the body.
pub(crate) struct Chunks {
    rest: Bytes,
}

impl Chunks {
    pub(crate) fn new(body: Bytes) -> Self {
        Self { rest: body }
    }
}

impl Body for Chunks {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.rest.is_empty() {
            return Poll::Ready(None);
        }
        let length = CHUNK.min(self.rest.len());
        let chunk = self.rest.split_to(length);
        Poll::Ready(Some(Ok(Frame::data(chunk))))
    }
}
