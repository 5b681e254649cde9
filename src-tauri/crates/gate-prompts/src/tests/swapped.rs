//! Versions are whole, and changes are noticed.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use super::{TestFolders, put, text};

/// How long a change may go unnoticed before the test gives up.
const PATIENCE: Duration = Duration::from_secs(10);

#[test]
fn under_load_each_result_belongs_to_exactly_one_version() {
    let test = TestFolders::new();
    let write = |version: usize| {
        let new = test.local.with_extension("new");
        let _ = std::fs::remove_dir_all(&new);
        for n in 0..5 {
            let body = format!("{version}:{n} {{{{> part}}}} {{{{> other/part}}}} {{{{n}}}}");
            put(&new, &[(&format!("p{n}.md"), &body)]);
        }
        put(&new, &[("_partials/part.hbs", &version.to_string()), ("_partials/other/part.hbs", &version.to_string())]);
        let old = test.local.with_extension("old");
        let _ = std::fs::remove_dir_all(&old);
        std::fs::rename(&test.local, &old).unwrap();
        std::fs::rename(&new, &test.local).unwrap();
    };
    write(0);
    let library = Arc::new(test.open());
    let (done, calls) = (AtomicBool::new(false), AtomicUsize::new(0));
    let start = Instant::now();
    /// Lets the workers end when the test fails as well.
    struct End<'a>(&'a AtomicBool);
    impl Drop for End<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    std::thread::scope(|scope| {
        let _end = End(&done);
        for worker in 0..4 {
            let (library, done, calls) = (&library, &done, &calls);
            scope.spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    let set = library.current();
                    let n = calls.fetch_add(1, Ordering::Relaxed) % 5;
                    let said = text(&set, &format!("p{n}"), &[("n", &worker.to_string())]).unwrap();
                    let parts: Vec<&str> = said.split([' ', ':']).collect();
                    assert_eq!((parts[0], parts[0]), (parts[2], parts[3]), "{said} is of one version");
                    assert_eq!((parts[1], parts[4]), (n.to_string().as_str(), worker.to_string().as_str()));
                }
            });
        }
        let mut version = 0;
        while version < 30 || calls.load(Ordering::Relaxed) < 400 {
            version += 1;
            write(version);
            library.reload();
            let said = text(&library.current(), "p1", &[]).unwrap();
            assert!(said.starts_with(&format!("{version}:1 {version} {version}")), "{said} is what was written");
        }
    });
    let count = calls.load(Ordering::Relaxed);
    println!("{count} renderings in {:?} while versions changed", start.elapsed());
}

#[test]
fn a_change_is_noticed_within_a_second_or_so_wherever_it_happens() {
    let test = TestFolders::with(&[("a.md", "one")]);
    std::fs::remove_dir_all(&test.local).unwrap();
    let library = Arc::new(test.open());
    let (tell, told) = mpsc::channel();
    let watch = library.watch(move || {
        // At the end of the test nobody listens.
        let _ = tell.send(());
    });
    let tellings = Cell::new(0);
    let until = |what: &str, condition: &dyn Fn() -> bool| {
        let start = Instant::now();
        while !condition() {
            told.recv_timeout(PATIENCE.saturating_sub(start.elapsed())).expect(what);
            tellings.set(tellings.get() + 1);
        }
    };
    let serves = |id: &str, wanted: &str| {
        let start = Instant::now();
        let becomes = || text(&library.current(), id, &[]).is_ok_and(|said| said == wanted);
        until(&format!("{id} becomes {wanted}"), &becomes);
        println!("{id}: {:?}", start.elapsed());
        start.elapsed()
    };
    put(&test.local, &[("a.md", "one")]);
    serves("a", "one");
    let mut slowest = Duration::ZERO;
    for text in ["two", "three", "four"] {
        put(&test.local, &[("a.md", text)]);
        slowest = slowest.max(serves("a", text));
    }
    assert!(slowest < Duration::from_secs(3), "a change of a watched file took {slowest:?}");
    put(&test.local, &[("new/deeper/b.md", "b")]);
    serves("new/deeper/b", "b");
    put(&test.local, &[("new/deeper/b.md", "{{> p}}"), ("_partials/p.hbs", "partial")]);
    serves("new/deeper/b", "partial");
    std::fs::remove_dir_all(&test.local).unwrap();
    until("the prompts are gone", &|| library.current().entry("a").is_none());
    put(&test.local, &[("a.md", "again")]);
    serves("a", "again");
    put(&test.synced, &[("s.md", "synced")]);
    serves("s", "synced");
    assert!(tellings.get() + told.try_iter().count() >= 6, "each was told of");
    drop(watch);
}
