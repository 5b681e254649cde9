//! Takes in the catalogues that the gate and the shell speak from: each folder in `ui/locales` with each file of
//! English but the windows' common words, so that a language is such a folder, an area such a file, and nothing else.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const LOCALES: &str = "../../../ui/locales";
/// What every text falls back to.
const ENGLISH: &str = "en";
/// The words that only windows say, in many places: their ids have no area's name.
const COMMON: &str = "common";

fn main() -> Outcome<()> {
    println!("cargo::rerun-if-changed={LOCALES}");
    let locales = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?).join(LOCALES);
    let mut tags = Vec::new();
    for entry in fs::read_dir(&locales)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            tags.push(entry.file_name().into_string().map_err(|name| format!("{name:?} is no language's tag"))?);
        }
    }
    tags.sort_by_key(|tag| (tag != ENGLISH, tag.clone()));
    let mut areas = Vec::new();
    for entry in fs::read_dir(locales.join(ENGLISH))? {
        let file = entry?.file_name();
        let area = file.to_str().and_then(|file| file.strip_suffix(".ftl")).filter(|area| *area != COMMON);
        areas.extend(area.map(str::to_owned));
    }
    areas.sort();
    let mut code = String::new();
    writeln!(code, "/// The tags of all languages (BCP 47), English first.")?;
    writeln!(code, "pub const LANGUAGES: [&str; {}] = {tags:?};", tags.len())?;
    writeln!(code, "/// How many areas each language has.")?;
    writeln!(code, "const AREAS: usize = {};", areas.len())?;
    writeln!(code, "static CATALOGUES: [Catalogue; {}] = [", tags.len())?;
    for tag in &tags {
        writeln!(code, "    Catalogue {{ tag: {tag:?}, areas: [")?;
        for area in &areas {
            writeln!(code, "        Area::new({area:?}, {}),", text(&locales.join(tag).join(format!("{area}.ftl"))))?;
        }
        writeln!(code, "    ] }},")?;
    }
    writeln!(code, "];")?;
    fs::write(PathBuf::from(std::env::var("OUT_DIR")?).join("catalogues.rs"), code)?;
    Ok(())
}

/// The expression for a file's text. What a language lacks is said in English.
fn text(file: &Path) -> String {
    if file.is_file() { format!("include_str!({file:?})") } else { "\"\"".to_owned() }
}
