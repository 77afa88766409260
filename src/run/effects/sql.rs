//! Effects counted by a SELECT, and keys expired by a statement, on one PostgreSQL connection with its own thread.
//! It must not know what a count means.

use std::error::Error;
use std::time::Duration;

use bytes::BytesMut;
use secrecy::ExposeSecret;
use tokio::runtime::Runtime;
use tokio_postgres::types::{Format, FromSql, IsNull, ToSql, Type};
use tokio_postgres::{Client, Row};

use super::tls::{self, Connection};
use crate::config::target::Postgres;
use crate::plan::sql::Bound;

/// The target's database.
pub struct Database {
    // one worker thread drives the connections; the conductor only waits for answers
    runtime: Runtime,
    connection: Connection,
    client: Option<Client>,
    statement_timeout: Duration,
}

impl Database {
    /// Reads the URL; connects at the first use.
    pub fn new(postgres: &Postgres, ca_pem: Option<&[u8]>) -> Result<Self, String> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("database")
            .enable_all()
            .build()
            .map_err(|error| format!("no thread for the database: {error}"))?;
        Ok(Self {
            runtime,
            connection: tls::connection(postgres.url.expose_secret(), ca_pem)?,
            client: None,
            statement_timeout: postgres.statement_timeout.0,
        })
    }

    /// The host names that it connects to over the network.
    #[must_use]
    pub fn hosts(&self) -> Vec<String> {
        self.connection.hosts()
    }

    /// A further connection, for a lock that is held while others count.
    pub fn open(&self) -> Result<Client, String> {
        self.runtime.block_on(self.connection.open())
    }

    /// Waits for what a connection answers.
    pub fn wait<T>(&self, answer: impl Future<Output = T>) -> T {
        self.runtime.block_on(answer)
    }

    fn with_client<T>(
        &mut self,
        work: impl AsyncFnOnce(&mut Client, Duration) -> Result<T, String>,
    ) -> Result<T, String> {
        let limit = self.statement_timeout;
        // the server ends a statement that takes too long; a server that does not answer at all is left
        let patience = limit + Duration::from_secs(5);
        if self.client.as_ref().is_none_or(Client::is_closed) {
            // something may listen there and say nothing
            let opening = async { tokio::time::timeout(patience, self.connection.open()).await };
            let opened = self.runtime.block_on(opening);
            self.client = Some(opened.map_err(|_| "the database does not answer".to_owned())??);
        }
        let client = self.client.as_mut().ok_or("the database is closed")?;
        let answered = self
            .runtime
            .block_on(async { tokio::time::timeout(patience, work(client, limit)).await });
        answered.unwrap_or_else(|_| {
            self.client = None;
            Err("the database does not answer".to_owned())
        })
    }

    /// Counts, in a read-only transaction of its own.
    pub fn count(&mut self, bound: &Bound, values: &[String]) -> Result<i64, String> {
        self.with_client(async |client, limit| {
            let transaction = client
                .build_transaction()
                .read_only(true)
                .start()
                .await
                .map_err(|error| explain(&error))?;
            limit_statements(&transaction, limit).await?;
            let statement = transaction
                .prepare(&bound.statement)
                .await
                .map_err(|error| explain(&error))?;
            let texts: Vec<AsText<'_>> = values.iter().map(|value| AsText(value)).collect();
            let parameters: Vec<&(dyn ToSql + Sync)> = texts
                .iter()
                .map(|text| text as &(dyn ToSql + Sync))
                .collect();
            let rows = transaction
                .query(&statement, &parameters)
                .await
                .map_err(|error| explain(&error))?;
            let value = one_number(&rows)?;
            transaction
                .rollback()
                .await
                .map_err(|error| explain(&error))?;
            Ok(value)
        })
    }

    /// Changes exactly so many rows, or none: any other number is rolled back. `Ok(n)` with n != rows means rolled back.
    pub fn change(&mut self, bound: &Bound, values: &[String], rows: u64) -> Result<u64, String> {
        self.with_client(async |client, limit| {
            let transaction = client
                .transaction()
                .await
                .map_err(|error| explain(&error))?;
            limit_statements(&transaction, limit).await?;
            let texts: Vec<AsText<'_>> = values.iter().map(|value| AsText(value)).collect();
            let parameters: Vec<&(dyn ToSql + Sync)> = texts
                .iter()
                .map(|text| text as &(dyn ToSql + Sync))
                .collect();
            let changed = transaction
                .execute(&bound.statement, &parameters)
                .await
                .map_err(|error| explain(&error))?;
            let end = if changed == rows {
                transaction.commit().await
            } else {
                transaction.rollback().await
            };
            end.map_err(|error| explain(&error))?;
            Ok(changed)
        })
    }
}

async fn limit_statements(
    transaction: &tokio_postgres::Transaction<'_>,
    limit: Duration,
) -> Result<(), String> {
    let text = format!("SET LOCAL statement_timeout = {}", limit.as_millis().max(1));
    transaction
        .batch_execute(&text)
        .await
        .map_err(|error| explain(&error))
}

/// What the database said, with its code and hint.
#[must_use]
pub fn explain(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(db) => {
            let hint = db.hint().map(|hint| format!("; hint: {hint}"));
            format!(
                "{} ({}){}",
                db.message(),
                db.code().code(),
                hint.unwrap_or_default()
            )
        }
        None => crate::run::client::chain(error),
    }
}

/// A parameter sent as text: the server reads it as whatever type the statement wants.
#[derive(Debug)]
struct AsText<'a>(&'a str);

impl ToSql for AsText<'_> {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        out.extend_from_slice(self.0.as_bytes());
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Text
    }

    tokio_postgres::types::to_sql_checked!();
}

fn one_number(rows: &[Row]) -> Result<i64, String> {
    let [row] = rows else {
        return Err(format!(
            "the statement must answer one number; it answered {} rows",
            rows.len()
        ));
    };
    if row.len() != 1 {
        return Err(format!(
            "the statement must answer one number; it answered {} columns",
            row.len()
        ));
    }
    let number: Option<Number> = row.try_get(0).map_err(|error| {
        format!(
            "the statement must answer one whole number; it answered `{}`: {}",
            row.columns()[0].type_().name(),
            crate::run::client::chain(&error)
        )
    })?;
    number
        .map(|number| number.0)
        .ok_or_else(|| "the statement answered NULL; use count(*) or coalesce(..., 0)".to_owned())
}

/// A whole number in whichever type.
struct Number(i64);

impl<'a> FromSql<'a> for Number {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        let number = match *ty {
            Type::INT2 => i16::from_sql(ty, raw)?.into(),
            Type::INT4 => i32::from_sql(ty, raw)?.into(),
            Type::INT8 => i64::from_sql(ty, raw)?,
            Type::NUMERIC => whole_numeric(raw).ok_or("it is no whole number")?,
            _ => std::str::from_utf8(raw)?.trim().parse()?,
        };
        Ok(Self(number))
    }

    fn accepts(ty: &Type) -> bool {
        matches!(
            *ty,
            Type::INT2
                | Type::INT4
                | Type::INT8
                | Type::NUMERIC
                | Type::TEXT
                | Type::VARCHAR
                | Type::BPCHAR
                | Type::UNKNOWN
        )
    }
}

/// PostgreSQL's binary numeric: number of digits, weight of the first, sign, scale, digits to the base of 10,000.
fn whole_numeric(raw: &[u8]) -> Option<i64> {
    let word = |at: usize| Some(i16::from_be_bytes([*raw.get(at)?, *raw.get(at + 1)?]));
    let digits = word(0)?;
    let weight = word(2)?;
    let sign = word(4)?;
    let mut value: i64 = 0;
    for index in 0..weight.checked_add(1)?.max(digits) {
        let digit = if index < digits {
            i64::from(word(8 + 2 * usize::try_from(index).ok()?)?)
        } else {
            0
        };
        if index > weight {
            if digit != 0 {
                return None;
            }
        } else {
            value = value.checked_mul(10_000)?.checked_add(digit)?;
        }
    }
    match sign {
        0 => Some(value),
        0x4000 => Some(-value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::whole_numeric;

    fn numeric(words: &[i16]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_be_bytes()).collect()
    }

    #[test]
    fn whole_numerics_are_read_and_others_are_not() {
        assert_eq!(whole_numeric(&numeric(&[0, 0, 0, 0])), Some(0));
        assert_eq!(whole_numeric(&numeric(&[1, 0, 0, 0, 7])), Some(7));
        assert_eq!(
            whole_numeric(&numeric(&[2, 1, 0x4000, 0, 1, 2345])),
            Some(-12_345)
        );
        assert_eq!(whole_numeric(&numeric(&[1, 1, 0, 0, 3])), Some(30_000));
        assert_eq!(whole_numeric(&numeric(&[2, 0, 0, 1, 1, 5000])), None, "1.5");
        assert_eq!(whole_numeric(&numeric(&[2, 0, 0, 1, 1, 0])), Some(1), "1.0");
        assert_eq!(whole_numeric(&numeric(&[0, 0, -0x4000, 0])), None, "NaN");
        assert_eq!(whole_numeric(&[0]), None);
    }
}
