//! Records of keys in PostgreSQL: claim, look, complete, remove, expire.
//! Must not decide anything about requests. All times are the database's `clock_timestamp()`, because `now()` is the
//! start of the transaction and lies in the past once it has waited.

use std::time::Duration;

use bytes::Bytes;
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::{Bound, PostgresSession, text};
use crate::sandbox::http::reply::Reply;
use crate::sandbox::store::record::{Claim, Claiming, Found, Held, RecordId};
use crate::sandbox::store::{StoreError, Stored};

const COLUMNS: &str =
    "scope, idem_key, slot, fingerprint, life, owner, state, status, headers, body,
    lease_until <= clock_timestamp() AS lapsed,
    extract(epoch FROM clock_timestamp() - completed_at)::float8 AS completed_ago";

const LIVE: &str = "($4 OR expires_at > clock_timestamp())";

/// $1..$9: id, account, fingerprint, life, owner, lease in seconds or null, retention in seconds.
const INSERT: &str = "INSERT INTO idempotency_keys
    (scope, idem_key, slot, account_id, fingerprint, life, owner, state, lease_until, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, 'in-progress',
        coalesce(clock_timestamp() + make_interval(secs => $8), 'infinity'),
        clock_timestamp() + make_interval(secs => $9))
    ON CONFLICT (scope, idem_key, slot)";

/// What an INSERT writes over the row that is there.
const OVERWRITE: &str = "DO UPDATE SET account_id = EXCLUDED.account_id, fingerprint = EXCLUDED.fingerprint,
    life = EXCLUDED.life, owner = EXCLUDED.owner, state = EXCLUDED.state, lease_until = EXCLUDED.lease_until,
    status = NULL, headers = NULL, body = NULL, completed_at = NULL,
    created_at = clock_timestamp(), expires_at = EXCLUDED.expires_at";

impl PostgresSession {
    pub(crate) async fn claim(&mut self, claiming: &Claiming) -> Stored<Claim> {
        // An expired row is written over in the same statement that would insert, so a burst right after expiry has
        // one winner. A row that another transaction is writing makes the statement wait.
        let sql = if self.reads_expiry {
            format!("{INSERT} {OVERWRITE} WHERE idempotency_keys.expires_at <= clock_timestamp()")
        } else {
            format!("{INSERT} DO NOTHING")
        };
        loop {
            if self.execute_claiming(&sql, claiming).await? == 1 {
                return Ok(Claim::Mine(Held {
                    claiming: claiming.clone(),
                    owned: true,
                }));
            }
            // Outside a transaction the row may be gone again, or expire, between the two statements.
            if let Some(found) = self.look(&claiming.id).await? {
                return Ok(Claim::Theirs(found));
            }
        }
    }

    pub(crate) async fn look(&mut self, id: &RecordId) -> Stored<Option<Found>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM idempotency_keys
             WHERE scope = $1 AND idem_key = $2 AND slot = $3 AND {LIVE}"
        );
        let blind = !self.reads_expiry;
        let mut values = id_values(id);
        values.push((&blind, Type::BOOL));
        let rows = self.rows(&sql, &values).await?;
        rows.first().map(found).transpose()
    }

    pub(crate) async fn look_expired(&mut self, id: &RecordId) -> Stored<Option<Found>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM idempotency_keys
             WHERE scope = $1 AND idem_key = $2 AND slot = $3 AND expires_at <= clock_timestamp()"
        );
        let rows = self.rows(&sql, &id_values(id)).await?;
        rows.first().map(found).transpose()
    }

    pub(crate) async fn look_in_all_scopes(&mut self, key: &str) -> Stored<Option<Found>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM idempotency_keys WHERE idem_key = $1 AND ($2 OR expires_at > clock_timestamp())
             ORDER BY created_at DESC LIMIT 1"
        );
        let blind = !self.reads_expiry;
        let rows = self.rows(&sql, &[text(&key), (&blind, Type::BOOL)]).await?;
        rows.first().map(found).transpose()
    }

    pub(crate) async fn put(&mut self, claiming: &Claiming) -> Stored<()> {
        let sql = format!("{INSERT} {OVERWRITE}");
        self.execute_claiming(&sql, claiming).await?;
        Ok(())
    }

    pub(crate) async fn take_over(&mut self, from: &Found, claiming: &Claiming) -> Stored<bool> {
        let sql = format!(
            "{INSERT} {OVERWRITE} WHERE idempotency_keys.owner = $10 AND idempotency_keys.state = 'in-progress'"
        );
        let lease = seconds(claiming.lease);
        let retention = seconds(Some(claiming.retention));
        let mut values = claiming_values(claiming, &lease, &retention);
        values.push(text(&from.owner));
        Ok(self.execute(&sql, &values).await? == 1)
    }

    pub(crate) async fn complete(&mut self, held: &Held, reply: &Reply) -> Stored<bool> {
        let claiming = &held.claiming;
        if !held.owned {
            // INSERT … ON CONFLICT DO NOTHING waits like every INSERT, then the row is written over.
            self.execute_claiming(&format!("{INSERT} DO NOTHING"), claiming)
                .await?;
        }
        let status = i32::from(reply.status);
        let headers = serde_json::to_string(&reply.headers).unwrap_or_default();
        let body: &[u8] = &reply.body;
        let retention = seconds(Some(claiming.retention));
        let mut values = id_values(&claiming.id);
        values.extend([
            text(&claiming.owner),
            (&held.owned, Type::BOOL),
            (&status, Type::INT4),
            text(&headers),
            (&body, Type::BYTEA),
            (&retention, Type::FLOAT8),
            text(&claiming.fingerprint),
            text(&claiming.life),
        ]);
        let sql = "UPDATE idempotency_keys SET state = 'done', status = $6, headers = $7, body = $8,
                completed_at = clock_timestamp(), expires_at = clock_timestamp() + make_interval(secs => $9),
                fingerprint = CASE WHEN owner = $4 THEN fingerprint ELSE $10 END,
                life = CASE WHEN owner = $4 THEN life ELSE $11 END, owner = $4
            WHERE scope = $1 AND idem_key = $2 AND slot = $3 AND (owner = $4 OR NOT $5)";
        Ok(self.execute(sql, &values).await? == 1)
    }

    pub(crate) async fn stick(&mut self, held: &Held) -> Stored<()> {
        let mut claiming = held.claiming.clone();
        claiming.lease = None;
        self.put(&claiming).await
    }

    pub(crate) async fn set_fingerprint(&mut self, id: &RecordId, to: &str) -> Stored<()> {
        let mut values = id_values(id);
        values.push(text(&to));
        let sql = "UPDATE idempotency_keys SET fingerprint = $4
            WHERE scope = $1 AND idem_key = $2 AND slot = $3";
        self.execute(sql, &values).await?;
        Ok(())
    }

    pub(crate) async fn remove(&mut self, id: &RecordId, owner: Option<&str>) -> Stored<()> {
        let mut values = id_values(id);
        values.push(text(&owner));
        let sql = "DELETE FROM idempotency_keys
            WHERE scope = $1 AND idem_key = $2 AND slot = $3 AND ($4 IS NULL OR owner = $4)";
        self.execute(sql, &values).await?;
        Ok(())
    }

    pub(crate) async fn expire(&mut self, account: &str, key: &str) -> Stored<u64> {
        let sql = "UPDATE idempotency_keys SET expires_at = clock_timestamp() - interval '1 second'
            WHERE account_id = $1 AND idem_key = $2";
        self.execute(sql, &[text(&account), text(&key)]).await
    }

    async fn execute_claiming(&self, sql: &str, claiming: &Claiming) -> Stored<u64> {
        let lease = seconds(claiming.lease);
        let retention = seconds(Some(claiming.retention));
        let values = claiming_values(claiming, &lease, &retention);
        self.execute(sql, &values).await
    }
}

fn seconds(duration: Option<Duration>) -> Option<f64> {
    const CENTURY: f64 = 100.0 * 365.0 * 86_400.0;
    duration.map(|duration| duration.as_secs_f64().min(CENTURY))
}

fn id_values(id: &RecordId) -> Vec<Bound<'_>> {
    vec![text(&id.scope), text(&id.key), text(&id.slot)]
}

fn claiming_values<'a>(
    claiming: &'a Claiming,
    lease: &'a Option<f64>,
    retention: &'a Option<f64>,
) -> Vec<Bound<'a>> {
    let mut values = id_values(&claiming.id);
    values.extend([
        text(&claiming.account),
        text(&claiming.fingerprint),
        text(&claiming.life),
        text(&claiming.owner),
        (lease, Type::FLOAT8),
        (retention, Type::FLOAT8),
    ]);
    values
}

fn found(row: &Row) -> Stored<Found> {
    let unreadable = |error: tokio_postgres::Error| StoreError::Database(error.to_string());
    let done = row.try_get::<_, String>("state").map_err(unreadable)? == "done";
    let reply = if done {
        Some(reply(row).map_err(unreadable)?)
    } else {
        None
    };
    let column = |name: &str| row.try_get::<_, String>(name).map_err(unreadable);
    let ago: Option<f64> = row.try_get("completed_ago").map_err(unreadable)?;
    Ok(Found {
        id: RecordId {
            scope: column("scope")?,
            key: column("idem_key")?,
            slot: column("slot")?,
        },
        fingerprint: column("fingerprint")?,
        life: column("life")?,
        owner: column("owner")?,
        lapsed: !done && row.try_get("lapsed").map_err(unreadable)?,
        reply,
        completed_ago: ago.map(|ago| Duration::from_secs_f64(ago.max(0.0))),
    })
}

fn reply(row: &Row) -> Result<Reply, tokio_postgres::Error> {
    let status: i32 = row.try_get("status")?;
    let headers: String = row.try_get("headers")?;
    Ok(Reply {
        status: u16::try_from(status).unwrap_or(500),
        headers: serde_json::from_str(&headers).unwrap_or_default(),
        body: Bytes::from(row.try_get::<_, Vec<u8>>("body")?),
    })
}
