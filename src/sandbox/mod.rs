//! The built-in payments API: right and wrong designs of idempotency keys, two stores, and faults that can be switched on.
//! Must not know the tool that tests it: of the contract only its data is imported here (by `policy`), of plan, run and judge
//! nothing, nor the other way round.
//!
//! A request goes through `http` (credentials, key, route), then through the design in use, which asks the store for the
//! key and lets `work` do what the operation does. Every step asks the defects in use whether they want it otherwise.
//!
//! Beside the payments API: the header `Sandbox-Delay: 300ms` makes one request slow (before its effect is written); the
//! header `Sandbox-Simulate`, or the member `simulate` of the body, provokes `declined` (402), `fail-before` and `fail-after`
//! (500 before and after the effect is written), and with `-once` only at the first request of a reference, as does
//! `rate-limited-once` (429). `POST /_sandbox/expire {"account", "key"}` ends a key's life, and
//! `GET /_sandbox/downstream?reference=` counts the calls to the payment provider behind the API.
//!
//! Told a policy, it behaves as that declares (`policy`), and serves the literal paths that it names as payments.
//!
//! On PostgreSQL everything lies in one schema. `idempotency_keys` has one row per key (`account_id`, `idem_key`,
//! `expires_at`, and the reply as bytes). Each kind of effect has a table: `payments`, `refunds`, `captures`,
//! `cancellations`, `receipts`, `changes`, all with `id`, `account_id`, `idem_key` (the bare key), `reference`, `amount`,
//! `currency`, `payment_id`, `note`, `version`, `deleted`, `safety_net`, `body_hash`, `created_at`. So one counts effects by
//! `SELECT count(*) FROM payments WHERE account_id = $1 AND reference = $2`. A deleted payment stays as a row.

mod defect;
mod design;
mod fault;
pub mod faults;
mod fingerprint;
mod http;
mod key;
mod listen;
mod machine;
mod options;
mod policy;
mod store;
pub(crate) mod window;
mod work;

pub use design::Design;
pub use listen::{Ready, Running, StartError, serve, start};
pub use options::{Options, parse_duration};
pub use policy::Policy;
