//! Which test this is.

/// The name of the test that runs, as its program knows it, e.g. `start::homes_are_apart`. nextest says it; without
/// nextest it is its thread's, unless there is only one thread.
pub(crate) fn this_test() -> Option<String> {
    let said = std::env::var("NEXTEST_TEST_NAME").ok();
    said.or_else(|| std::thread::current().name().filter(|name| *name != "main").map(str::to_owned))
}
