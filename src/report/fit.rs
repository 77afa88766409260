//! What is too wide for a terminal, made to fit: ids of drills in pieces, requests without the columns that can be spared.
//! It must not know how a table is drawn.

use super::text;

/// An id in pieces of at most so many characters, broken after a slash or before the operation.
#[must_use]
pub fn parted(id: &str, most: usize) -> String {
    if id.chars().count() <= most {
        return id.to_owned();
    }
    let (drill, operation) = id.rsplit_once('@').unwrap_or((id, ""));
    let (name, case) = drill.split_once('/').unwrap_or((drill, ""));
    let mut lines = vec![name.to_owned()];
    let mut add = |mark: &str, part: &str, breaks_before: bool| {
        if part.is_empty() {
            return;
        }
        let Some(last) = lines.last_mut() else { return };
        let room = last.chars().count() + mark.len() + part.chars().count() <= most;
        match (room, breaks_before) {
            (true, _) => last.push_str(&format!("{mark}{part}")),
            (false, true) => lines.push(format!("{mark}{part}")),
            (false, false) => {
                last.push_str(mark);
                lines.push(part.to_owned());
            }
        }
    };
    add("/", case, false);
    add("@", operation, true);
    let lines: Vec<String> = lines
        .iter()
        .flat_map(|line| whole_words(line, most))
        .collect();
    lines.join("\n")
}

/// A piece that is still too long, broken between its words.
fn whole_words(piece: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in piece.split_inclusive(['-', '_', '.', '/']) {
        let Some(last) = lines.last_mut() else { break };
        if !last.is_empty() && last.chars().count() + word.chars().count() > most {
            lines.push(word.to_owned());
        } else {
            last.push_str(word);
        }
    }
    lines
}

/// The least room for what came back: in less of it nothing can be read.
const ANSWER: usize = 12;

/// The requests of a story in the columns that there are: the answer keeps to its line, and where it would have no room, times
/// and keys give theirs up.
#[must_use]
pub fn requests(rows: &[Vec<String>], width: usize) -> Vec<Vec<String>> {
    let mut rows = rows.to_vec();
    let is_sent = rows
        .first()
        .is_some_and(|head| head.last().is_some_and(|name| name == "answer"));
    if !is_sent {
        return rows;
    }
    let room = |rows: &[Vec<String>]| {
        let columns = rows.first().map_or(0, Vec::len).saturating_sub(1);
        let taken: usize = (0..columns)
            .map(|at| {
                let cells = rows.iter().filter_map(|row| row.get(at));
                cells.map(|cell| cell.chars().count()).max().unwrap_or(0) + 2
            })
            .sum();
        width.saturating_sub(taken)
    };
    for given_up in ["ms", "key"] {
        if room(&rows) >= ANSWER {
            break;
        }
        let at = rows[0].iter().position(|name| name == given_up);
        for row in &mut rows {
            if let Some(at) = at.filter(|at| *at < row.len()) {
                row.remove(at);
            }
        }
    }
    let room = room(&rows).max(ANSWER);
    for answer in rows.iter_mut().filter_map(|row| row.last_mut()) {
        // words may go on in the next line; a body that has none is cut
        let longest = answer.split(' ').map(|word| word.chars().count()).max();
        if longest > Some(room) {
            *answer = text::short(answer, room);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_break_between_words_and_never_inside() {
        let id = "drill.concurrent/a-case@create-payment-with-a-very-long-name-for-it";
        for line in parted(id, 32).lines() {
            assert!(line.chars().count() <= 32, "{line}");
        }
        let words = |text: &str| -> Vec<String> {
            let words = text.split(['-', '_', '.', '/', '@', '\n']);
            words
                .filter(|word| !word.is_empty())
                .map(str::to_owned)
                .collect()
        };
        assert_eq!(words(&parted(id, 32)), words(id));
    }

    #[test]
    fn what_came_back_keeps_its_room_in_eighty_columns() {
        let row = |cells: [&str; 8]| cells.map(str::to_owned).to_vec();
        let rows = [
            row([
                "#", "step", "ms", "account", "key", "body", "status", "answer",
            ]),
            row([
                "2",
                "second-account",
                "100.3-101.3",
                "b",
                "c99\u{2026}4914",
                "changed",
                "201",
                "{\"id\":\"pa7fafacb234371b34ba0e01ba89803\",\"amount\":49900}",
            ]),
            row([
                "3",
                "same-reference",
                "100.3-101.3",
                "a",
                "c99\u{2026}4914",
                "base",
                "422",
                "key-reused",
            ]),
        ];
        let shown = requests(&rows, 68);
        assert_eq!(
            shown[0],
            ["#", "step", "account", "key", "body", "status", "answer"]
        );
        assert_eq!(shown[1][1], "second-account");
        let answer = &shown[1][6];
        assert!(
            answer.starts_with("{\"id\":\"pa") && answer.chars().count() <= ANSWER + 1,
            "{answer}"
        );
        assert_eq!(shown[2][6], "key-reused");
        // where there is room all stays
        assert_eq!(requests(&rows, 148), rows);
        // other tables are left alone
        let counts = [
            row(["count"; 8]),
            row(["a very long text that has many words"; 8]),
        ];
        assert_eq!(requests(&counts, 40), counts);
    }
}
