//! Where each window was on each monitor, kept in a file, and where it is to come up. Pixels are
//! physical ones. Knows no toolkit.

use std::path::{Path, PathBuf};

use gate_core::Fault;
use serde::{Deserialize, Serialize};

/// Places that are remembered; the one that was used longest ago goes first.
const PLACES: usize = 64;
/// The largest file that is read.
const FILE_BYTES: u64 = 64 * 1024;

/// A part of the desktop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Area {
    /// From the left.
    pub(crate) x: i32,
    /// From the top.
    pub(crate) y: i32,
    /// To the right of that.
    pub(crate) width: u32,
    /// Below that.
    pub(crate) height: u32,
}

impl Area {
    fn contains(&self, (x, y): (f64, f64)) -> bool {
        let within = |at: f64, from: i32, size: u32| at >= f64::from(from) && at < f64::from(from) + f64::from(size);
        within(x, self.x, self.width) && within(y, self.y, self.height)
    }

    /// How many pixels of it lie in the other.
    fn shared(&self, other: &Self) -> i64 {
        let length = |(a, a_size): (i32, u32), (b, b_size): (i32, u32)| {
            let end = (i64::from(a) + i64::from(a_size)).min(i64::from(b) + i64::from(b_size));
            (end - i64::from(a.max(b))).max(0)
        };
        length((self.x, self.width), (other.x, other.width)) * length((self.y, self.height), (other.y, other.height))
    }

    /// This area moved and, where it is too large, made smaller, so that all of it lies in the other.
    fn within(&self, other: &Self) -> Self {
        let (x, width) = fit((self.x, self.width), (other.x, other.width));
        let (y, height) = fit((self.y, self.height), (other.y, other.height));
        Self { x, y, width, height }
    }

    /// An area of this size in the middle of the other.
    fn centred((width, height): (u32, u32), other: &Self) -> Self {
        let start = |from: i32, room: u32, size: u32| from.saturating_add_unsigned(room.saturating_sub(size) / 2);
        let (x, y) = (start(other.x, other.width, width), start(other.y, other.height, height));
        Self { x, y, width, height }.within(other)
    }
}

/// One direction of [`Area::within`].
fn fit((start, size): (i32, u32), (from, room): (i32, u32)) -> (i32, u32) {
    let size = size.min(room);
    let last = from.saturating_add_unsigned(room - size);
    (start.clamp(from, last), size)
}

/// A monitor.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Monitor {
    /// What the system calls it; empty where it has no name.
    pub(crate) name: String,
    /// All of it.
    pub(crate) area: Area,
    /// What panels and docks leave of it.
    pub(crate) work_area: Area,
    /// Physical pixels for each logical one.
    pub(crate) scale: f64,
}

/// Where a window was on a monitor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct WindowPlacement {
    window: String,
    /// The monitors that there were.
    monitors: String,
    /// The one that it was on.
    monitor: String,
    /// Where, from the monitor's corner.
    area: Area,
    maximized: bool,
}

/// Where a window is to come up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spot {
    /// Its place: the frame's corner, and the size of what is in it.
    pub(crate) area: Area,
    /// Whether it fills its monitor; the place is where it goes back to then.
    pub(crate) maximized: bool,
}

/// The remembered places, the latest last.
#[derive(Debug)]
pub(crate) struct Places {
    file: PathBuf,
    places: Vec<WindowPlacement>,
}

impl Places {
    /// Reads them. A file that is missing, damaged or of another version counts as empty: windows come
    /// up in the middle then.
    #[must_use]
    pub(crate) fn read(file: &Path) -> Self {
        let small = std::fs::metadata(file).is_ok_and(|found| found.len() <= FILE_BYTES);
        let text = if small { std::fs::read_to_string(file).unwrap_or_default() } else { String::new() };
        let mut places: Vec<WindowPlacement> = serde_json::from_str(&text).unwrap_or_default();
        places.truncate(PLACES);
        Self { file: file.to_owned(), places }
    }

    /// Where a window is to come up: on the monitor with the pointer, where it was when it was last
    /// there with these monitors, else in its middle. `size` is the usual one, in logical pixels.
    /// Absent where no monitor is known.
    #[must_use]
    pub(crate) fn spot(
        &self,
        window: &str,
        monitors: &[Monitor],
        pointer: Option<(f64, f64)>,
        size: (f64, f64),
    ) -> Option<Spot> {
        let under = |monitor: &&Monitor| pointer.is_some_and(|pointer| monitor.area.contains(pointer));
        let monitor = monitors.iter().find(under).or(monitors.first())?;
        let (all, name) = (all_of(monitors), name_of(monitor));
        let was = |place: &&WindowPlacement| place.window == window && place.monitors == all && place.monitor == name;
        let Some(place) = self.places.iter().find(was) else {
            let size = (pixels(size.0, monitor.scale), pixels(size.1, monitor.scale));
            return Some(Spot { area: Area::centred(size, &monitor.work_area), maximized: false });
        };
        let Area { x, y, .. } = place.area;
        let moved = Area { x: x.saturating_add(monitor.area.x), y: y.saturating_add(monitor.area.y), ..place.area };
        Some(Spot { area: moved.within(&monitor.work_area), maximized: place.maximized })
    }

    /// Remembers where a window is, and writes it down where that is new.
    ///
    /// # Errors
    /// When the file can't be written; it is remembered until the program ends.
    pub(crate) fn remember(&mut self, window: &str, monitors: &[Monitor], spot: Spot) -> Result<(), Fault> {
        let Some(monitor) = monitors.iter().max_by_key(|monitor| spot.area.shared(&monitor.area)) else {
            return Ok(());
        };
        let (x, y) = (spot.area.x.saturating_sub(monitor.area.x), spot.area.y.saturating_sub(monitor.area.y));
        let mut place = WindowPlacement {
            window: window.to_owned(),
            monitors: all_of(monitors),
            monitor: name_of(monitor),
            area: Area { x, y, ..spot.area },
            maximized: spot.maximized,
        };
        let same = |old: &WindowPlacement| {
            (&old.window, &old.monitors, &old.monitor) == (&place.window, &place.monitors, &place.monitor)
        };
        if let Some(at) = self.places.iter().position(same) {
            let old = self.places.remove(at);
            // What it goes back to when it no longer fills the monitor.
            if place.maximized {
                place.area = old.area;
            }
            if old == place {
                self.places.push(place);
                return Ok(());
            }
        }
        self.places.push(place);
        let surplus = self.places.len().saturating_sub(PLACES);
        self.places.drain(..surplus);
        self.write()
    }

    fn write(&self) -> Result<(), Fault> {
        let text = serde_json::to_string(&self.places).map_err(|error| Fault::internal(error.to_string()))?;
        // A file that is half written would be read as empty, which costs nothing but the places.
        std::fs::write(&self.file, text)
            .map_err(|error| Fault::internal(format!("{} can't be written: {error}.", self.file.display())))
    }
}

/// A monitor's name in its configuration: two of the same make differ in where they stand.
fn name_of(monitor: &Monitor) -> String {
    let Area { x, y, width, height } = monitor.area;
    format!("{} {width}x{height}+{x}+{y}*{}", monitor.name, monitor.scale)
}

fn all_of(monitors: &[Monitor]) -> String {
    let mut names: Vec<String> = monitors.iter().map(name_of).collect();
    names.sort();
    names.join(", ")
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a size of a window, cut to what fits")]
fn pixels(logical: f64, scale: f64) -> u32 {
    (logical * scale).round() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: (f64, f64) = (760.0, 860.0);

    fn monitor(name: &str, x: i32, width: u32) -> Monitor {
        let area = Area { x, y: 0, width, height: 1080 };
        let work_area = Area { y: 30, height: 1050, ..area };
        Monitor { name: name.to_owned(), area, work_area, scale: 1.0 }
    }

    fn two() -> [Monitor; 2] {
        [monitor("left", 0, 1920), monitor("right", 1920, 1600)]
    }

    fn at(x: i32, y: i32, width: u32, height: u32) -> Spot {
        Spot { area: Area { x, y, width, height }, maximized: false }
    }

    fn empty() -> (Places, Option<tempfile::TempDir>) {
        let folder = tempfile::tempdir().ok();
        let file = folder.as_ref().map(|folder| folder.path().join("windows.json")).unwrap_or_default();
        (Places::read(&file), folder)
    }

    #[test]
    fn a_window_comes_up_in_the_middle_of_the_monitor_with_the_pointer() {
        let (places, _folder) = empty();
        let spot = |pointer| places.spot("review", &two(), pointer, SIZE);
        assert_eq!(spot(Some((10.0, 10.0))), Some(at(580, 125, 760, 860)));
        assert_eq!(spot(Some((1920.0, 10.0))), Some(at(2340, 125, 760, 860)), "where the right one begins");
        assert_eq!(spot(None), Some(at(580, 125, 760, 860)), "where no pointer is known, on the first");
        assert_eq!(places.spot("review", &[], None, SIZE), None, "without a monitor there is no place");
    }

    #[test]
    fn a_window_is_where_it_was_on_that_monitor() {
        let (mut places, folder) = empty();
        assert_eq!(places.remember("review", &two(), at(100, 50, 700, 800)), Ok(()));
        assert_eq!(places.remember("review", &two(), at(2000, 60, 900, 900)), Ok(()));
        let file = folder.as_ref().map(|folder| folder.path().join("windows.json")).unwrap_or_default();
        for places in [&places, &Places::read(&file)] {
            let spot = |window, pointer| places.spot(window, &two(), Some(pointer), SIZE);
            assert_eq!(spot("review", (5.0, 5.0)), Some(at(100, 50, 700, 800)));
            assert_eq!(spot("review", (3000.0, 5.0)), Some(at(2000, 60, 900, 900)), "each monitor has its own");
            assert_eq!(spot("main", (5.0, 5.0)), Some(at(580, 125, 760, 860)), "and so has each window");
        }
        let alone = places.spot("review", &[monitor("left", 0, 1920)], Some((5.0, 5.0)), SIZE);
        assert_eq!(alone, Some(at(580, 125, 760, 860)), "with other monitors it hasn't been there yet");
    }

    #[test]
    fn a_window_is_never_out_of_sight() {
        let (mut places, _folder) = empty();
        for (was, comes) in [
            (at(-300, -200, 700, 800), at(0, 30, 700, 800)),
            (at(1500, 900, 700, 400), at(1220, 680, 700, 400)),
            (at(0, 0, 1900, 1900), at(0, 30, 1900, 1050)),
        ] {
            let single = [monitor("left", 0, 1920)];
            assert_eq!(places.remember("review", &single, was), Ok(()));
            assert_eq!(places.spot("review", &single, None, SIZE), Some(comes), "{was:?}");
        }
        let small = Monitor { work_area: Area { x: 0, y: 0, width: 500, height: 400 }, ..monitor("small", 0, 500) };
        assert_eq!(places.spot("review", &[small], None, SIZE), Some(at(0, 0, 500, 400)), "it fits a small monitor");
    }

    #[test]
    fn a_window_that_fills_its_monitor_goes_back_to_what_it_was() {
        let (mut places, _folder) = empty();
        assert_eq!(places.remember("main", &two(), at(100, 50, 700, 800)), Ok(()));
        let full = Spot { area: Area { x: 0, y: 0, width: 1920, height: 1050 }, maximized: true };
        assert_eq!(places.remember("main", &two(), full), Ok(()));
        let spot = places.spot("main", &two(), Some((5.0, 5.0)), SIZE);
        assert_eq!(spot, Some(Spot { maximized: true, ..at(100, 50, 700, 800) }));
    }

    #[test]
    fn sizes_follow_the_monitors_scale() {
        let (places, _folder) = empty();
        let fine = Monitor { scale: 2.0, ..monitor("fine", 0, 3840) };
        let fine = Monitor { work_area: Area { height: 2160, ..fine.work_area }, ..fine };
        let spot = places.spot("review", &[fine], None, SIZE);
        assert_eq!(spot.map(|spot| (spot.area.width, spot.area.height)), Some((1520, 1720)));
    }

    #[test]
    fn the_places_are_bounded_and_a_damaged_file_is_none() {
        let (mut places, _folder) = empty();
        for number in 0..100 {
            let single = [monitor(&format!("monitor {number}"), 0, 1920)];
            assert_eq!(places.remember("review", &single, at(100, 50, 700, 800)), Ok(()));
        }
        let read = Places::read(&places.file);
        assert_eq!(read.places.len(), PLACES);
        let last = [monitor("monitor 99", 0, 1920)];
        assert_eq!(read.spot("review", &last, None, SIZE), Some(at(100, 50, 700, 800)), "the latest is kept");
        assert!(std::fs::write(&places.file, "{").is_ok(), "the test's file can be written");
        assert!(Places::read(&places.file).places.is_empty(), "what can't be read is no place");
    }
}
