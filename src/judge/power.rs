//! What bursts prove: how many copies and rounds, how tightly they were released, and what would have gone unseen.
//! It must not give a verdict, nor claim a figure that was not measured.

use crate::journal::{GateProof, Round};
use crate::plan::chance;

/// A round in which copies raced.
#[derive(Clone, Copy, Debug)]
pub struct Raced<'r> {
    /// The round.
    pub round: &'r Round,
    /// Whether copies were open at once, and the round proves something.
    pub counts: bool,
}

/// The sentence for some rounds. `clean`: none of them shows a violation, so that there is something that may have gone unseen.
#[must_use]
pub fn of_rounds(raced: &[Raced<'_>], clean: bool) -> Option<String> {
    let gates: Vec<&GateProof> = raced.iter().flat_map(|r| &r.round.gates).collect();
    let first = gates.first()?;
    let copies = gates.iter().map(|g| g.copies).min().unwrap_or(first.copies);
    let spreads = sorted(gates.iter().map(|g| g.spread_us));
    let in_flight = gates.iter().filter(|g| g.all_in_flight).count();
    let in_step = gates.iter().filter(|g| g.in_step).count();
    let repeated = gates.iter().filter(|g| g.repeated).count();
    let early: u32 = gates.iter().map(|g| g.early_answers).sum();
    let counting = raced.iter().filter(|r| r.counts).count();
    let all = raced.len();
    let repeats = if repeated > 0 {
        format!(" ({repeated} of them repeated)")
    } else {
        String::new()
    };
    let first_answer = if in_flight == 0 {
        String::new()
    } else {
        format!(" (all copies before the first answer in {in_flight})")
    };
    let worst = match spreads.as_slice() {
        [] | [_] => String::new(),
        [.., worst] => format!(" (median; worst {})", time(*worst)),
    };
    let mut told = format!(
        "{copies} copies x {} over {}, released within {} of each other{worst}, in step in {in_step} of \
         {}{repeats} and open at once in {counting} of {all}{first_answer}",
        rounds_word(all),
        first.protocol,
        time(median(&spreads)),
        rounds_word(gates.len()),
    );
    if early > 0 {
        told.push_str(&format!(
            "; {early} answer{} came before the release",
            if early == 1 { "" } else { "s" }
        ));
    }
    if clean && counting > 0 {
        told.push_str(&format!("; {}", claim(raced, median(&spreads))));
    }
    Some(told)
}

/// What would have been seen, and what may not have been.
fn claim(raced: &[Raced<'_>], spread_us: u64) -> String {
    // rounds out of step prove no power, and where answers came before the release the gap was another one
    let together = |r: &&Raced<'_>| r.counts && r.round.gates.iter().all(|g| g.in_step);
    let gaps = |r: &Raced<'_>| {
        let released = r.round.gates.iter().filter(|g| g.early_answers == 0);
        let reach = |g: &GateProof| chance::reach_us(g.gap12_us, g.jitter_us, g.copies);
        released.map(reach).collect::<Vec<u64>>()
    };
    let rounds: Vec<&Raced<'_>> = raced.iter().filter(together).collect();
    if rounds.is_empty() {
        return format!(
            "no round that counts was in step, since this machine was too busy to release copies together: nothing is claimed \
             of windows shorter than the spread of {}",
            time(spread_us)
        );
    }
    let reaches: Vec<u64> = rounds.iter().flat_map(|r| gaps(r)).collect();
    let window = match chance::window_us(&reaches) {
        Some(window) => format!(
            "a window of about {} or longer (in which the server waits) would have been seen with {:.0} % probability, a shorter \
             one may have gone unseen",
            time(window),
            chance::CONFIDENCE * 100.0
        ),
        None if reaches.is_empty() => {
            "the server answers when it has read the head, so nothing is claimed of the length of a window"
                .to_owned()
        }
        None => format!(
            "only {} in step, too few to say which window would have been seen",
            rounds_word(reaches.len())
        ),
    };
    let bound = chance::upper_bound(u32::try_from(rounds.len()).unwrap_or(u32::MAX));
    format!(
        "{window}; a fault that shows in more than {:.0} % of such rounds would have been seen with 95 % probability",
        bound * 100.0
    )
}

fn sorted(values: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut values: Vec<u64> = values.collect();
    values.sort_unstable();
    values
}

fn median(sorted: &[u64]) -> u64 {
    sorted.get(sorted.len() / 2).copied().unwrap_or(0)
}

fn rounds_word(n: usize) -> String {
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
    use super::*;
    use crate::journal::event::GateKind;

    fn round(spread_us: u64, gap12_us: u64, in_step: bool) -> Round {
        let gate = GateProof {
            instance: "i".to_owned(),
            round: 0,
            gate: GateKind::Body,
            copies: 10,
            protocol: "HTTP/1.1".to_owned(),
            spread_us,
            gap12_us,
            jitter_us: 0,
            all_in_flight: true,
            early_answers: 0,
            in_step,
            repeated: false,
        };
        Round {
            gates: vec![gate],
            ..Round::default()
        }
    }

    fn told(rounds: &[Round], clean: bool) -> String {
        let raced = |round| Raced {
            round,
            counts: true,
        };
        let raced: Vec<Raced<'_>> = rounds.iter().map(raced).collect();
        of_rounds(&raced, clean).unwrap()
    }

    #[test]
    fn a_window_rests_on_the_rounds_in_step() {
        let mut rounds = vec![round(200, 40, true); 6];
        // a small gap in a round that was torn apart proves nothing
        rounds.extend(vec![round(9_000, 2, false); 4]);
        let told = told(&rounds, true);
        assert!(told.starts_with("10 copies x 10 rounds over HTTP/1.1, released within 200 us of each other (median; worst 9.0 ms), in step in 6 of 10 rounds"), "{told}");
        assert!(told.contains("about 80 us or longer"), "{told}");
        assert!(told.contains("more than 39 %"), "6 rounds count: {told}");
    }

    #[test]
    fn a_busy_machine_claims_nothing_shorter_than_its_spread() {
        let told = told(&vec![round(3_200, 12, false); 10], true);
        assert!(told.contains("too busy"), "{told}");
        assert!(told.contains("shorter than the spread of 3.2 ms"), "{told}");
        assert!(!told.contains("would have been seen"), "{told}");
    }

    #[test]
    fn too_few_rounds_name_no_window() {
        let told = told(&[round(100, 10, true), round(3_000, 5, false)], true);
        assert!(told.contains("only 1 round in step, too few"), "{told}");
        assert!(!told.contains("or longer"), "{told}");
    }

    #[test]
    fn answers_before_the_release_measure_no_gap() {
        let mut early = round(30, 0, true);
        early.gates[0].early_answers = 9;
        let told = told(&vec![early; 5], true);
        assert!(told.contains("when it has read the head"), "{told}");
        assert!(told.contains("45 answers came before"), "{told}");
    }

    #[test]
    fn what_did_not_happen_is_not_told_and_the_middle_of_the_spreads_is() {
        let rounds: Vec<Round> = [900, 10, 20, 500, 30].map(|us| round(us, 10, true)).into();
        let calm = told(&rounds, true);
        assert!(
            calm.contains("within 30 us ") && calm.contains("worst 900 us"),
            "{calm}"
        );
        for absent in ["repeated", "before the release"] {
            assert!(!calm.contains(absent), "{absent} in {calm}");
        }
    }

    #[test]
    fn where_something_was_found_nothing_went_unseen() {
        let told = told(&vec![round(100, 10, true); 10], false);
        assert!(told.contains("in step in 10 of 10"), "{told}");
        assert!(!told.contains("unseen"), "{told}");
    }
}
