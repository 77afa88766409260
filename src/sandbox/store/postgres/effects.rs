//! Effects in PostgreSQL: insert under the safety net, list, note, delete.
//! Must not know what an effect means.

use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::{PostgresSession, text};
use crate::sandbox::store::effect::{Effect, Filter, Kind};
use crate::sandbox::store::{StoreError, Stored};

impl PostgresSession {
    pub(crate) async fn insert(&mut self, effect: &Effect) -> Stored<()> {
        let sql = format!(
            "INSERT INTO {} (id, account_id, idem_key, reference, amount, currency, payment_id, note, safety_net, body_hash)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            effect.kind.table()
        );
        let values = [
            text(&effect.id),
            text(&effect.account),
            text(&effect.key),
            text(&effect.reference),
            (&effect.amount as _, Type::INT8),
            text(&effect.currency),
            text(&effect.payment),
            text(&effect.note),
            text(&effect.safety_net),
            text(&effect.body_hash),
        ];
        self.execute(&sql, &values).await?;
        Ok(())
    }

    pub(crate) async fn list(
        &mut self,
        kind: Kind,
        account: &str,
        filter: &Filter,
    ) -> Stored<Vec<Effect>> {
        let sql = format!(
            "SELECT id, account_id, idem_key, reference, amount, currency, payment_id, note, version, deleted,
                    safety_net, body_hash
             FROM {} WHERE account_id = $1 AND ($2 IS NULL OR id = $2) AND ($3 IS NULL OR idem_key = $3)
               AND ($4 IS NULL OR reference = $4) AND ($5 IS NULL OR payment_id = $5)
               AND ($6 IS NULL OR body_hash = $6)
             ORDER BY number",
            kind.table()
        );
        let values = [
            text(&account),
            text(&filter.id),
            text(&filter.key),
            text(&filter.reference),
            text(&filter.payment),
            text(&filter.body_hash),
        ];
        let rows = self.rows(&sql, &values).await?;
        let effects = rows
            .iter()
            .map(|row| effect(kind, row))
            .collect::<Result<_, _>>();
        effects.map_err(|error| StoreError::Database(error.to_string()))
    }

    pub(crate) async fn set_note(&mut self, id: &str, note: Option<&str>) -> Stored<()> {
        let sql = "UPDATE payments SET note = $2, version = version + 1 WHERE id = $1";
        self.execute(sql, &[text(&id), text(&note)]).await?;
        Ok(())
    }

    pub(crate) async fn delete(&mut self, id: &str) -> Stored<()> {
        let sql = "UPDATE payments SET deleted = true WHERE id = $1";
        self.execute(sql, &[text(&id)]).await?;
        Ok(())
    }
}

fn effect(kind: Kind, row: &Row) -> Result<Effect, tokio_postgres::Error> {
    Ok(Effect {
        kind,
        id: row.try_get("id")?,
        account: row.try_get("account_id")?,
        key: row.try_get("idem_key")?,
        reference: row.try_get("reference")?,
        amount: row.try_get("amount")?,
        currency: row.try_get("currency")?,
        payment: row.try_get("payment_id")?,
        note: row.try_get("note")?,
        version: row.try_get("version")?,
        deleted: row.try_get("deleted")?,
        safety_net: row.try_get("safety_net")?,
        body_hash: row.try_get("body_hash")?,
    })
}
