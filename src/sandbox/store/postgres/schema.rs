//! The sandbox's tables in PostgreSQL, in a schema of their own.
//! Must not know how rows are used.

use crate::sandbox::store::effect::Kind;
use crate::sandbox::store::record::KEY_WIDTH;

/// The statements that make the schema and its tables.
pub(crate) fn create(schema: &str) -> String {
    let mut sql = format!(
        "CREATE SCHEMA \"{schema}\";
         SET search_path TO \"{schema}\";
         CREATE TABLE idempotency_keys (
             scope        text NOT NULL,
             idem_key     varchar({KEY_WIDTH}) NOT NULL,
             slot         text NOT NULL DEFAULT '',
             account_id   text NOT NULL,
             fingerprint  text NOT NULL,
             life         text NOT NULL,
             owner        text NOT NULL,
             state        text NOT NULL CHECK (state IN ('in-progress', 'done')),
             lease_until  timestamptz NOT NULL,
             status       integer,
             headers      text,
             body         bytea,
             created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
             completed_at timestamptz,
             expires_at   timestamptz NOT NULL,
             PRIMARY KEY (scope, idem_key, slot)
         );"
    );
    for kind in Kind::ALL {
        let table = kind.table();
        sql.push_str(&format!(
            "CREATE TABLE {table} (
                 id         text PRIMARY KEY,
                 account_id text NOT NULL,
                 idem_key   text,
                 reference  text,
                 amount     bigint,
                 currency   text,
                 payment_id text,
                 note       text,
                 version    bigint NOT NULL DEFAULT 1,
                 deleted    boolean NOT NULL DEFAULT false,
                 safety_net text UNIQUE,
                 body_hash  text NOT NULL,
                 created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
                 number     bigserial
             );
             CREATE INDEX ON {table} (account_id, reference);
             CREATE INDEX ON {table} (account_id, idem_key);"
        ));
    }
    sql
}

/// The statements that take everything away again.
pub(crate) fn drop(schema: &str) -> String {
    format!("SET lock_timeout = '5s'; DROP SCHEMA IF EXISTS \"{schema}\" CASCADE;")
}
