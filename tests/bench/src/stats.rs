//! Figures from samples: medians and percentiles.

use std::time::Duration;

/// Durations of one thing measured again and again, in milliseconds and in the order they came.
#[derive(Debug, Clone, Default)]
pub(crate) struct Times(pub(crate) Vec<f64>);

impl Times {
    pub(crate) fn push(&mut self, time: Duration) {
        self.0.push(time.as_secs_f64() * 1000.0);
    }

    /// The middle one; of an even number the mean of the two. 0 without samples.
    pub(crate) fn median(&self) -> f64 {
        let sorted = self.sorted();
        let (low, high) = (sorted.get(sorted.len().saturating_sub(1) / 2), sorted.get(sorted.len() / 2));
        (low.copied().unwrap_or(0.0) + high.copied().unwrap_or(0.0)) / 2.0
    }

    /// The smallest that at least 95 of 100 samples don't exceed (nearest rank). 0 without samples.
    pub(crate) fn p95(&self) -> f64 {
        self.percentile(95)
    }

    /// The smallest that at least 99 of 100 samples don't exceed (nearest rank). 0 without samples.
    pub(crate) fn p99(&self) -> f64 {
        self.percentile(99)
    }

    /// How many of them there were in each second of `time`.
    pub(crate) fn per_second(&self, time: Duration) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "the count is far below 2^52")]
        let count = self.0.len() as f64;
        count / time.as_secs_f64()
    }

    fn percentile(&self, percent: usize) -> f64 {
        let sorted = self.sorted();
        let rank = (sorted.len() * percent).div_ceil(100);
        sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
    }

    fn sorted(&self) -> Vec<f64> {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted
    }
}

/// What a server did while it was called without a pause.
#[derive(Debug)]
pub(crate) struct Load {
    /// Answers per second.
    pub(crate) rate: f64,
    /// From each call to its answer.
    pub(crate) times: Times,
}

#[cfg(test)]
mod tests {
    use super::Times;

    #[test]
    fn the_ranks_are_the_usual_ones() {
        assert!((Times(vec![3.0, 1.0, 2.0]).median() - 2.0).abs() < f64::EPSILON, "the middle of an odd number");
        assert!((Times(vec![4.0, 1.0, 2.0, 3.0]).median() - 2.5).abs() < f64::EPSILON, "the mean of the middle two");
        let hundred = Times((1..=100).map(f64::from).collect());
        assert!((hundred.p95() - 95.0).abs() < f64::EPSILON, "95 of the 100 don't exceed 95");
        assert!((hundred.p99() - 99.0).abs() < f64::EPSILON, "99 of the 100 don't exceed 99");
        assert!((Times(vec![7.0]).p95() - 7.0).abs() < f64::EPSILON, "one sample is its own percentile");
        assert!(Times::default().median().abs() < f64::EPSILON, "nothing measured is no panic");
    }
}
