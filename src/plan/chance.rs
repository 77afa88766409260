//! How likely copies are to meet in a window of some length, from the gaps that were measured.
//! It must not know how gaps are measured, nor claim anything that was not.
//!
//! A look-up before an insert is raced by the first two copies that arrive: a window is hit when the second comes within it.
//! More copies make the first gap smaller, not greater.

/// Below it nothing is claimed, in microseconds: what the server itself takes between two requests is not seen from outside.
pub const LEAST_WINDOW_US: u64 = 50;
/// The certainty with which a window is said to be seen.
pub const CONFIDENCE: f64 = 0.99;

/// What is to be seen, instead of a number of rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aim {
    /// With which probability, between 0 and 1.
    pub confidence: f64,
    /// The window, in microseconds.
    pub window_us: u64,
}

/// A round is expected to hit at least so often where nothing was measured yet.
const AT_FIRST: f64 = 0.5;

impl Aim {
    /// Rounds to begin with.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a small number above 0"
    )]
    pub fn least_rounds(&self) -> u32 {
        let rounds = (1.0 - self.confidence).ln() / (1.0 - AT_FIRST).ln();
        (rounds.ceil() as u32).max(2)
    }

    /// Whether rounds with these reaches are enough.
    #[must_use]
    pub fn is_met(&self, reaches_us: &[u64]) -> bool {
        let hits = reaches_us.iter().filter(|us| **us <= self.window_us);
        seen(hits.count(), reaches_us.len()) >= self.confidence
    }
}

/// The smallest window that a round surely reaches, from the gap between its first two releases: over the network and through
/// the server's wake-ups a gap grows to about twice its length (measured), and the path's own jitter adds to it, the less the
/// more copies there are.
#[must_use]
pub fn reach_us(gap12_us: u64, jitter_us: u64, copies: u32) -> u64 {
    let others = u64::from(copies.saturating_sub(1)).max(1);
    (2 * gap12_us + 2 * jitter_us / others).max(LEAST_WINDOW_US)
}

/// The smallest window that rounds with these reaches would have seen with [`CONFIDENCE`]. `None`: too few rounds to say.
#[must_use]
pub fn window_us(reaches_us: &[u64]) -> Option<u64> {
    let mut sorted = reaches_us.to_vec();
    sorted.sort_unstable();
    let enough = (1..=sorted.len()).find(|hits| seen(*hits, sorted.len()) >= CONFIDENCE)?;
    Some(sorted[enough - 1])
}

/// The probability that at least one of `rounds` hits, where `hits` of them were close enough. One more round is assumed that
/// was not, so that a few lucky ones are no certainty.
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn seen(hits: usize, rounds: usize) -> f64 {
    let share = hits as f64 / (rounds + 1) as f64;
    1.0 - (1.0 - share).powf(rounds as f64)
}

/// The highest chance of a hit in one round that leaves so many clean rounds at least a chance of one in twenty.
#[must_use]
pub fn upper_bound(clean_rounds: u32) -> f64 {
    1.0 - 0.05_f64.powf(1.0 / f64::from(clean_rounds.max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clean_rounds_bound_the_chance_from_above() {
        for (rounds, percent) in [(1, 95.0), (10, 26.0), (20, 14.0), (50, 6.0), (100, 3.0)] {
            let bound = upper_bound(rounds) * 100.0;
            assert!((bound - percent).abs() < 0.6, "{rounds} rounds: {bound}");
        }
        assert!(upper_bound(0) > 0.9, "no round says nothing");
    }

    #[test]
    fn a_window_is_claimed_from_enough_rounds_only() {
        assert_eq!(window_us(&[]), None);
        assert_eq!(window_us(&[50, 50, 50]), None);
        assert_eq!(window_us(&[50, 50, 50, 60]), Some(60));
        // one close round of ten is luck: the claim is what half of them reach
        let ten = [50, 300, 310, 320, 330, 340, 350, 360, 370, 380];
        assert_eq!(window_us(&ten), Some(330));
        let mixed = [340, 50, 330, 300, 310, 320, 380, 370, 360, 350];
        assert_eq!(window_us(&mixed), Some(330), "in whatever order they came");
    }

    #[test]
    fn jitter_counts_less_the_more_copies_there_are() {
        assert_eq!(reach_us(10, 0, 10), LEAST_WINDOW_US);
        assert_eq!(reach_us(100, 0, 2), 200);
        assert_eq!(reach_us(100, 900, 10), 400);
        assert_eq!(reach_us(100, 900, 2), 2_000);
        assert_eq!(reach_us(100, 900, 1), 2_000);
    }

    #[test]
    fn an_aim_is_met_by_close_rounds_and_not_by_wide_ones() {
        let aim = Aim {
            confidence: 0.99,
            window_us: 100,
        };
        assert_eq!(aim.least_rounds(), 7);
        assert!(aim.is_met(&[100; 7]), "so wide is close enough");
        let easy = Aim {
            confidence: 0.3,
            ..aim
        };
        assert_eq!(easy.least_rounds(), 2, "one round is no race");
        assert!(aim.is_met(&[60; 7]));
        assert!(!aim.is_met(&[200; 100]));
        // one close round in ten: 40 and some more are needed
        let mixed = |rounds: usize| -> Vec<u64> {
            (0..rounds)
                .map(|n| if n % 10 == 0 { 60 } else { 200 })
                .collect()
        };
        assert!(!aim.is_met(&mixed(30)));
        assert!(aim.is_met(&mixed(60)));
    }
}
