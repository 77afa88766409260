//! All headers of the first reply are stored, also one that was meant for one client at one moment.
//! Must not change the body.

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;
use crate::sandbox::http::reply::Reply;

pub(super) const FAULT: Fault = Fault {
    name: "set-cookie-replayed",
    summary: "Gives every success a session cookie and stores it with the reply, so that replays set it again.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(SetCookieReplayed)),
};

struct SetCookieReplayed;

impl Defect for SetCookieReplayed {
    fn produced(&self, reply: &mut Reply) {
        if (200..300).contains(&reply.status) {
            let session = uuid::Uuid::new_v4().simple();
            let cookie = format!("sandbox_session={session}; Path=/; HttpOnly");
            reply.headers.push(("Set-Cookie".to_owned(), cookie));
        }
    }

    fn remembers(&self, header: &str, right: bool) -> bool {
        right || header.eq_ignore_ascii_case("set-cookie")
    }
}
