//! `cargo xtask icons`: every size of the app's icon, and the tray's, from the drawings in `icons/`.
//!
//! librsvg draws the PNGs. An `.ico` and an `.icns` are only lists of PNGs, which are written here.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::process::{output, which};
use crate::workspace::Workspace;

/// The drawing for 48 pixels and fewer, whose lines are thicker.
const SMALL: &str = "icon-small.svg";
const LARGE: &str = "icon.svg";
const SMALL_UP_TO: u32 = 48;

/// The files, and their width and height in pixels. `@2x` is Tauri's name for twice that.
const FILES: &[(&str, u32)] = &[
    ("16x16.png", 16),
    ("24x24.png", 24),
    ("32x32.png", 32),
    ("48x48.png", 48),
    ("64x64.png", 64),
    ("128x128.png", 128),
    ("128x128@2x.png", 256),
    ("icon.png", 512),
    ("1024x1024.png", 1024),
];
/// The tray's drawings, for light and for dark panels and for the menu bar of macOS, and the size of their PNGs.
const TRAY: &[&str] = &["tray-light", "tray-light-waiting", "tray-dark", "tray-dark-waiting", "tray-template"];
const TRAY_SIZE: u32 = 64;

/// What Windows looks for.
const ICO: &[u32] = &[16, 24, 32, 48, 64, 256];
/// What macOS looks for: the type of each entry, and its size.
const ICNS: &[(&[u8; 4], u32)] = &[
    (b"icp4", 16),
    (b"icp5", 32),
    (b"icp6", 64),
    (b"ic07", 128),
    (b"ic08", 256),
    (b"ic09", 512),
    (b"ic10", 1024),
    (b"ic11", 32),
    (b"ic12", 64),
    (b"ic13", 256),
    (b"ic14", 512),
];

pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    ensure!(which("rsvg-convert").is_some(), "rsvg-convert is missing; install librsvg2-bin");
    let folder = workspace.root.join("icons");
    for (name, size) in FILES {
        let drawing = if *size <= SMALL_UP_TO { SMALL } else { LARGE };
        draw(&folder, drawing, *size, name)?;
    }
    for name in TRAY {
        draw(&folder, &format!("{name}.svg"), TRAY_SIZE, &format!("{name}.png"))?;
    }
    let sized = |size: u32| -> Result<(u32, Vec<u8>)> {
        let (name, _) = FILES.iter().find(|(_, of)| *of == size).with_context(|| format!("no PNG of {size} pixels"))?;
        Ok((size, std::fs::read(folder.join(name)).with_context(|| format!("can't read {name}"))?))
    };
    let pictures = ICO.iter().map(|size| sized(*size)).collect::<Result<Vec<_>>>()?;
    std::fs::write(folder.join("icon.ico"), ico(&pictures)).context("can't write icon.ico")?;
    let entries = ICNS.iter().map(|(kind, size)| Ok((*kind, sized(*size)?.1))).collect::<Result<Vec<_>>>()?;
    std::fs::write(folder.join("icon.icns"), icns(&entries)).context("can't write icon.icns")?;
    println!("icons/ is drawn anew: {} PNGs, icon.ico, icon.icns", FILES.len() + TRAY.len());
    Ok(())
}

fn draw(folder: &Path, drawing: &str, size: u32, name: &str) -> Result<()> {
    let size = size.to_string();
    let words = ["--width", &size, "--height", &size, "--output", name, drawing];
    output(Command::new("rsvg-convert").args(words).current_dir(folder)).map(drop)
}

/// Windows' format: a header, a directory with 16 bytes for each picture, the pictures.
fn ico(pictures: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let count = u16::try_from(pictures.len()).unwrap_or(u16::MAX);
    let mut directory = [0, 1, count].map(u16::to_le_bytes).concat();
    let mut bytes: Vec<u8> = Vec::new();
    let mut offset = 6 + 16 * u32::from(count);
    for (size, picture) in pictures {
        // 0 stands for 256.
        let side = u8::try_from(*size).unwrap_or(0);
        let length = u32::try_from(picture.len()).unwrap_or(u32::MAX);
        directory.extend([side, side, 0, 0]);
        directory.extend([1, 32].map(u16::to_le_bytes).concat());
        directory.extend([length, offset].map(u32::to_le_bytes).concat());
        bytes.extend(picture);
        offset = offset.saturating_add(length);
    }
    directory.extend(bytes);
    directory
}

/// Apple's format: a header with the whole length, then each picture after its type and length.
fn icns(entries: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
    let length = |bytes: usize| u32::try_from(bytes + 8).unwrap_or(u32::MAX).to_be_bytes();
    let mut bytes: Vec<u8> = Vec::new();
    for (kind, picture) in entries {
        bytes.extend(*kind);
        bytes.extend(length(picture.len()));
        bytes.extend(picture);
    }
    [b"icns".as_slice(), &length(bytes.len()), &bytes].concat()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Everything that the command makes.
    fn made() -> BTreeSet<String> {
        let tray = TRAY.iter().map(|name| format!("{name}.png"));
        let lists = ["icon.ico", "icon.icns"].map(str::to_owned);
        FILES.iter().map(|(name, _)| (*name).to_owned()).chain(tray).chain(lists).collect()
    }

    #[test]
    fn the_folder_holds_the_drawings_and_what_is_made_of_them() -> Result<()> {
        let tray = TRAY.iter().map(|name| format!("{name}.svg"));
        let all: BTreeSet<_> = made().into_iter().chain([SMALL, LARGE].map(str::to_owned)).chain(tray).collect();
        let mut there = BTreeSet::new();
        for entry in std::fs::read_dir(Workspace::find()?.root.join("icons"))? {
            there.insert(entry?.file_name().to_string_lossy().into_owned());
        }
        assert_eq!(there, all, "a file that no drawing makes would be forgotten when the drawings change");
        Ok(())
    }

    #[test]
    fn what_the_program_shows_is_made_here() -> Result<()> {
        for user in ["tauri.conf.json", "src-tauri/src/tray.rs"] {
            let text = std::fs::read_to_string(Workspace::find()?.root.join(user))?;
            let used: Vec<_> = text.split("icons/").skip(1).filter_map(|rest| rest.split('"').next()).collect();
            assert!(!used.is_empty(), "{user} names icons");
            let foreign: Vec<_> = used.into_iter().filter(|name| !made().contains(*name)).collect();
            assert_eq!(foreign, Vec::<&str>::new(), "{user} shows what the command draws");
        }
        Ok(())
    }

    /// The size that a PNG's header names.
    fn size_of(png: &[u8]) -> Option<(u32, u32)> {
        let number = |at: usize| Some(u32::from_be_bytes(png.get(at..at + 4)?.try_into().ok()?));
        png.starts_with(b"\x89PNG").then_some(())?;
        Some((number(16)?, number(20)?))
    }

    #[test]
    fn every_file_is_there_in_its_size() -> Result<()> {
        let folder = Workspace::find()?.root.join("icons");
        let tray = TRAY.iter().map(|name| (format!("{name}.png"), TRAY_SIZE));
        for (name, size) in FILES.iter().map(|(name, size)| ((*name).to_owned(), *size)).chain(tray) {
            let png = std::fs::read(folder.join(&name)).with_context(|| format!("{name} is missing"))?;
            assert_eq!(size_of(&png), Some((size, size)), "{name} has the size that its name promises");
        }
        let (ico, icns) = (std::fs::read(folder.join("icon.ico"))?, std::fs::read(folder.join("icon.icns"))?);
        assert_eq!(ico.get(4), u8::try_from(ICO.len()).ok().as_ref(), "Windows finds all of its sizes");
        assert_eq!(
            icns.get(4..8),
            Some(u32::try_from(icns.len())?.to_be_bytes().as_slice()),
            "an .icns begins with its length"
        );
        Ok(())
    }

    #[test]
    fn an_ico_says_where_each_picture_is() {
        let made = ico(&[(16, vec![1, 2]), (256, vec![3])]);
        assert_eq!(&made[..6], [0, 0, 1, 0, 2, 0], "an icon with two pictures");
        assert_eq!(&made[6..8], [16, 16], "the first is of 16 pixels");
        assert_eq!(&made[14..22], [2, 0, 0, 0, 38, 0, 0, 0], "two bytes long, behind the directory");
        assert_eq!(&made[22..24], [0, 0], "256 is written as 0");
        assert_eq!(&made[38..], [1, 2, 3], "the pictures follow one another");
    }
}
