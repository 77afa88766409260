//! Results as Markdown, as `docs/race.md` keeps them.
//! It must not know how they were measured.

use super::table::{Grid, Results, grids};

/// All tables.
#[must_use]
pub fn markdown(results: &Results) -> String {
    let mut text = format!("Measured on: {}\n", results.machine.words());
    if results.cut_short {
        text.push_str("\nTime was up before everything was measured.\n");
    }
    for grid in grids(results) {
        text.push_str(&table(&grid));
    }
    text
}

/// One table.
#[must_use]
pub fn table(grid: &Grid) -> String {
    let mut text = format!("\n### {}\n\n", grid.title);
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | ").replace('\n', " "));
    text.push_str(&line(&grid.header));
    text.push_str(&line(&vec!["---".to_owned(); grid.header.len()]));
    for row in &grid.rows {
        text.push_str(&line(row));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_a_line_a_row() {
        let grid = Grid {
            title: "T".to_owned(),
            header: vec!["a".to_owned(), "b".to_owned()],
            rows: vec![vec!["1".to_owned(), "2".to_owned()]],
        };
        assert_eq!(
            table(&grid),
            "\n### T\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n"
        );
    }
}
