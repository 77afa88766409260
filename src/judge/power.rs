//! What bursts prove: how many copies and rounds, how tightly they were released, and what would have gone unseen.
//! It must not give a verdict.

use crate::journal::{GateProof, Round};

/// A window below which nothing is claimed, in microseconds.
const LEAST_WINDOW_US: u64 = 50;

/// The sentence for some rounds. `usable`: those that prove anything.
#[must_use]
pub fn of_rounds<'a>(
    rounds: impl Iterator<Item = &'a Round>,
    usable: u32,
    all: u32,
) -> Option<String> {
    let gates: Vec<&GateProof> = rounds.flat_map(|r| &r.gates).collect();
    let first = gates.first()?;
    let copies = gates.iter().map(|g| g.copies).min().unwrap_or(first.copies);
    let spreads = sorted(gates.iter().map(|g| g.spread_us));
    let gaps = sorted(gates.iter().map(|g| g.gap12_us));
    let in_flight = gates.iter().filter(|g| g.all_in_flight).count();
    let in_step = gates.iter().filter(|g| g.in_step).count();
    let repeated = gates.iter().filter(|g| g.repeated).count();
    let early: u32 = gates.iter().map(|g| g.early_answers).sum();
    let worst = spreads.last().copied().unwrap_or(0);
    let mut told = format!(
        "{copies} copies x {} over {}; released within {} (median; worst {}); copies were open at once in {usable} of {all}, \
         all in flight before the first answer in {in_flight}, in step in {in_step}",
        rounds_word(all),
        first.protocol,
        time(median(&spreads)),
        time(worst),
    );
    if repeated > 0 {
        told.push_str(&format!(" ({repeated} repeated)"));
    }
    if early > 0 {
        told.push_str(&format!("; {early} answers came before the release"));
    }
    if usable > 0 {
        // over HTTP/2 the last frames leave in one write, and the gap says nothing
        let window = if first.protocol.starts_with("HTTP/2") {
            LEAST_WINDOW_US
        } else {
            median(&gaps).max(LEAST_WINDOW_US)
        };
        told.push_str(&format!(
            "; a window of about {} or longer would have been seen, shorter ones may have gone unseen; a fault that shows in \
             more than {:.0} % of the rounds would have been seen with 95 % certainty",
            time(window),
            upper_bound(usable) * 100.0
        ));
    }
    Some(told)
}

/// The highest chance of a hit in one round that leaves so many clean rounds at least a chance of one in twenty.
#[must_use]
pub fn upper_bound(clean_rounds: u32) -> f64 {
    1.0 - 0.05_f64.powf(1.0 / f64::from(clean_rounds.max(1)))
}

fn sorted(values: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut values: Vec<u64> = values.collect();
    values.sort_unstable();
    values
}

fn median(sorted: &[u64]) -> u64 {
    sorted.get(sorted.len() / 2).copied().unwrap_or(0)
}

fn rounds_word(n: u32) -> String {
    if n == 1 {
        "1 round".to_owned()
    } else {
        format!("{n} rounds")
    }
}

#[expect(clippy::cast_precision_loss, reason = "figures for people")]
fn time(us: u64) -> String {
    if us >= 1000 {
        format!("{:.1} ms", us as f64 / 1000.0)
    } else {
        format!("{us} us")
    }
}

#[cfg(test)]
mod tests {
    use super::upper_bound;

    #[test]
    fn clean_rounds_bound_the_chance_from_above() {
        for (rounds, percent) in [(1, 95.0), (10, 26.0), (20, 14.0), (50, 6.0), (100, 3.0)] {
            let bound = upper_bound(rounds) * 100.0;
            assert!((bound - percent).abs() < 0.6, "{rounds} rounds: {bound}");
        }
    }
}
