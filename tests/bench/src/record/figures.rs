//! The figures of all records beside one another: how each grows with the record.

use std::collections::BTreeSet;

use crate::report::number;

/// A figure of one record.
#[derive(Debug, Clone)]
struct Figure {
    name: String,
    /// Messages.
    size: u64,
    value: f64,
    unit: &'static str,
}

/// The figures so far, in the order they came.
#[derive(Debug, Default)]
pub(super) struct Figures(Vec<Figure>);

impl Figures {
    pub(super) fn push(&mut self, name: &str, size: u64, value: f64, unit: &'static str) {
        self.0.push(Figure { name: name.to_owned(), size, value, unit });
    }

    /// By what each figure is multiplied from the smallest record to the largest. Empty where there is one
    /// record only.
    pub(super) fn growth(&self) -> Vec<(String, f64)> {
        let sizes = self.sizes();
        let (Some(smallest), Some(largest)) = (sizes.first(), sizes.last()) else { return Vec::new() };
        let between = format!("{} ÷ {}", short(*largest), short(*smallest));
        let ratios = self.names().into_iter().filter_map(|name| Some((name, self.ratio(name)?)));
        ratios.map(|(name, ratio)| (format!("{between}: {name}"), ratio)).collect()
    }

    /// A row for each figure, a column for each record, as Markdown.
    pub(super) fn grid(&self) -> String {
        let sizes = self.sizes();
        let heads: String = sizes.iter().map(|size| format!(" {} |", short(*size))).collect();
        let mut grid = format!("| what |{heads} growth |\n|---|{}---:|\n", "---:|".repeat(sizes.len()));
        for name in self.names() {
            let cells = sizes.iter().map(|size| self.find(name, *size).map(|of| number(of.value, of.unit)));
            let cells: String = cells.map(|cell| format!(" {} |", cell.unwrap_or_default())).collect();
            let growth = self.ratio(name).map(|ratio| number(ratio, "")).unwrap_or_default();
            grid.push_str(&format!("| {name} |{cells} {growth} |\n"));
        }
        grid
    }

    fn ratio(&self, name: &str) -> Option<f64> {
        let sizes = self.sizes();
        let (smallest, largest) = (*sizes.first()?, *sizes.last()?);
        let (small, large) = (self.find(name, smallest)?, self.find(name, largest)?);
        (smallest < largest).then_some(large.value / small.value)
    }

    fn find(&self, name: &str, size: u64) -> Option<&Figure> {
        self.0.iter().find(|figure| figure.name == name && figure.size == size)
    }

    fn sizes(&self) -> BTreeSet<u64> {
        self.0.iter().map(|figure| figure.size).collect()
    }

    fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for figure in &self.0 {
            if !names.contains(&figure.name.as_str()) {
                names.push(&figure.name);
            }
        }
        names
    }
}

/// A power of ten as one.
pub(super) fn short(size: u64) -> String {
    let power = size.checked_ilog10().filter(|power| 10_u64.pow(*power) == size);
    power.map_or_else(|| size.to_string(), |power| format!("10^{power}"))
}

#[cfg(test)]
mod tests {
    use super::{Figures, short};

    fn figures(all: &[(&str, u64, f64)]) -> Figures {
        let mut figures = Figures::default();
        for (name, size, value) in all {
            figures.push(name, *size, *value, "ms");
        }
        figures
    }

    #[test]
    fn growth_is_from_the_smallest_to_the_largest() {
        let all = figures(&[
            ("read", 100_000, 3.0),
            ("read", 1_000_000, 8.0),
            ("read", 10_000, 2.0),
            ("write", 1_000_000, 1.0),
        ]);
        assert_eq!(all.growth(), [("10^6 ÷ 10^4: read".to_owned(), 4.0)], "what was measured once doesn't grow");
        assert_eq!(
            all.grid(),
            "\
| what | 10^4 | 10^5 | 10^6 | growth |
|---|---:|---:|---:|---:|
| read | 2.00 ms | 3.00 ms | 8.00 ms | 4.00 |
| write |  |  | 1.00 ms |  |
",
            "a figure stands in the column of its record"
        );
        assert!(figures(&[("read", 10, 1.0)]).growth().is_empty(), "one record has no growth");
    }

    #[test]
    fn sizes_are_told_as_powers_of_ten() {
        assert_eq!([10_000, 1_000_000, 1, 12_000].map(short), ["10^4", "10^6", "10^0", "12000"]);
    }
}
