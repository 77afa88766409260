//! One cell of a table: what some rounds of one sender came to, and how it is read.
//! It must not know how rounds are sent.

use serde::Serialize;

use super::probe::Seen;
use super::sender::Sent;

/// Rounds of one sender against one server.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Cell {
    /// Rounds in which every copy arrived.
    pub rounds: u32,
    /// Rounds in which copies were missing: they count for nothing.
    pub incomplete: u32,
    /// Rounds in which the work was done more than once.
    pub hits: u32,
    /// Rounds that the sender itself called out of step (ours only).
    pub out_of_step: u32,
    /// From the first arrival to the last, in microseconds, sorted.
    #[serde(skip)]
    pub spread_us: Vec<f64>,
    /// From the first arrival to the second, in microseconds, sorted.
    #[serde(skip)]
    pub gap12_us: Vec<f64>,
    /// From the first release to the last as the sender saw it, in microseconds, sorted.
    #[serde(skip)]
    pub release_us: Vec<f64>,
    /// Why it could not be measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

impl Cell {
    /// Takes rounds in.
    pub fn add<'s>(
        &mut self,
        sent: &Sent,
        rounds: impl IntoIterator<Item = &'s Seen>,
        copies: u32,
    ) {
        self.out_of_step += sent.out_of_step;
        #[expect(clippy::cast_precision_loss, reason = "figures for people")]
        let us = |ns: u64| ns as f64 / 1_000.0;
        let released = sent.release_us.iter();
        self.release_us.extend(released.map(|at| us(at * 1_000)));
        for seen in rounds {
            if seen.arrivals_ns.len() != copies as usize {
                self.incomplete += 1;
                continue;
            }
            let mut arrivals = seen.arrivals_ns.clone();
            arrivals.sort_unstable();
            if let [first, second, ..] = arrivals[..] {
                self.gap12_us.push(us(second - first));
                let last = arrivals[arrivals.len() - 1];
                self.spread_us.push(us(last - first));
            }
            self.rounds += 1;
            self.hits += u32::from(seen.effects > 1);
        }
        for values in [
            &mut self.spread_us,
            &mut self.gap12_us,
            &mut self.release_us,
        ] {
            values.sort_by(f64::total_cmp);
        }
    }

    /// The share of rounds in which the window was hit.
    #[must_use]
    pub fn detection(&self) -> Option<f64> {
        (self.rounds > 0).then(|| f64::from(self.hits) / f64::from(self.rounds))
    }
}

/// The value below which this share of sorted values lies.
#[must_use]
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an index between 0 and the last"
)]
pub fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    Some(sorted[(share * last as f64).round() as usize])
}

/// Microseconds with three figures: `4.3`, `43`, `4300`.
#[must_use]
pub fn figure(us: Option<f64>) -> String {
    match us {
        None => "-".to_owned(),
        Some(us) if us < 10.0 => format!("{us:.1}"),
        Some(us) => format!("{us:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(arrivals_us: &[u64], effects: u32) -> Seen {
        Seen {
            arrivals_ns: arrivals_us.iter().map(|us| us * 1_000).collect(),
            effects,
        }
    }

    #[test]
    fn rounds_are_read_from_arrivals_in_any_order() {
        let mut cell = Cell::default();
        let rounds = [seen(&[30, 10, 14], 2), seen(&[5, 6, 105], 1), seen(&[1], 1)];
        cell.add(&Sent::default(), &rounds, 3);
        assert_eq!((cell.rounds, cell.incomplete, cell.hits), (2, 1, 1));
        assert_eq!(cell.spread_us, [20.0, 100.0]);
        assert_eq!(cell.gap12_us, [1.0, 4.0]);
        assert_eq!(cell.detection(), Some(0.5));
    }

    #[test]
    fn quantiles_are_values_that_were_measured() {
        let sorted = [1.0, 2.0, 3.0, 4.0, 100.0];
        assert_eq!(quantile(&sorted, 0.5), Some(3.0));
        assert_eq!(quantile(&sorted, 1.0), Some(100.0));
        assert_eq!(quantile(&[], 0.5), None);
        assert_eq!(figure(Some(4.26)), "4.3");
        assert_eq!(figure(Some(4260.4)), "4260");
    }
}
