//! What the figures were at the last release: a table in the repository, which a run on the release's machine renews.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};

/// The first line of the table, whose columns are apart by tabs.
const HEAD: &str = "section\tfigure\tvalue\tunit\tat";

/// A figure, as it was.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Was {
    pub(crate) section: String,
    pub(crate) name: String,
    pub(crate) value: f64,
    pub(crate) unit: String,
    /// The version and the commit that it was measured at.
    pub(crate) at: String,
}

/// All of them.
#[derive(Debug, Default)]
pub(crate) struct LastRelease(pub(crate) Vec<Was>);

impl LastRelease {
    /// Those of a file; none where there is no such file.
    pub(crate) fn read(file: &Path) -> Result<Self> {
        if !file.exists() {
            return Ok(Self::default());
        }
        let shown = || format!("can't read {}", file.display());
        let text = std::fs::read_to_string(file).with_context(shown)?;
        let rows = text.lines().filter(|line| *line != HEAD).map(|line| row(line).with_context(|| line.to_owned()));
        Ok(Self(rows.collect::<Result<_>>().with_context(shown)?))
    }

    /// What a figure was.
    pub(crate) fn of(&self, section: &str, name: &str) -> Option<&Was> {
        self.0.iter().find(|was| was.section == section && was.name == name)
    }

    /// Writes these into a file. Those of sections that none of them is of stay.
    pub(crate) fn renew(&self, now: Vec<Was>, file: &Path) -> Result<()> {
        std::fs::write(file, self.renewed(now)).with_context(|| format!("can't write {}", file.display()))
    }

    fn renewed(&self, now: Vec<Was>) -> String {
        let measured: BTreeSet<String> = now.iter().map(|was| was.section.clone()).collect();
        let old = self.0.iter().filter(|was| !measured.contains(&was.section)).cloned();
        let mut all: Vec<Was> = old.chain(now).collect();
        // Stable: the figures of a section stay in their order.
        all.sort_by(|one, other| one.section.cmp(&other.section));
        let mut text = format!("{HEAD}\n");
        for Was { section, name, value, unit, at } in all {
            let value = (value * 1000.0).round() / 1000.0;
            // Writing to a string doesn't fail.
            let _ = writeln!(text, "{section}\t{name}\t{value}\t{unit}\t{at}");
        }
        text
    }
}

fn row(line: &str) -> Result<Was> {
    let mut cells = line.split('\t').map(str::to_owned);
    let mut cell = || cells.next().context("a row has five cells");
    let (section, name) = (cell()?, cell()?);
    let value = cell()?.parse::<f64>().context("a value is a number")?;
    Ok(Was { section, name, value, unit: cell()?, at: cell()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn was(section: &str, name: &str, value: f64, at: &str) -> Was {
        let [section, name, at] = [section, name, at].map(str::to_owned);
        Was { section, name, value, unit: "ms".to_owned(), at }
    }

    #[test]
    fn what_is_measured_takes_the_place_of_what_was() {
        let old = LastRelease(vec![was("start", "median", 2.5, "0.1.0 a"), was("reply", "median", 3.0, "0.1.0 a")]);
        let text = old.renewed(vec![was("start", "first", 1.23456, "0.2.0 b"), was("start", "all", 9.0, "0.2.0 b")]);
        let rows = ["reply\tmedian\t3\tms\t0.1.0 a", "start\tfirst\t1.235\tms\t0.2.0 b", "start\tall\t9\tms\t0.2.0 b"];
        assert_eq!(text, format!("{HEAD}\n{}\n", rows.join("\n")), "what wasn't measured stays as it was");
        assert_eq!(row(rows[1]).expect("what is written can be read"), was("start", "first", 1.235, "0.2.0 b"));
        assert!(row("start\tmedian\tfast\tms\t0.1.0").is_err() && row("start\tmedian\t1").is_err(), "not guessed at");
    }

    #[test]
    fn the_table_of_the_repository_can_be_read() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("last-release.tsv");
        let all = LastRelease::read(&file).expect("it is whole");
        assert!(all.of("reply", "to the client's result, median").is_some(), "by the names that figures have");
    }
}
