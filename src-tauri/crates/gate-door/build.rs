//! Packs the built UI, so that the gate serves it without a file of it being anywhere. Where it isn't
//! built yet nothing is packed, and the page says how to build it.

use std::fmt::Write as _;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const BUILT: &str = "../../../ui/dist";

fn main() -> Outcome<()> {
    println!("cargo::rerun-if-changed={BUILT}");
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let built = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?).join(BUILT);
    let mut files = Vec::new();
    if built.join("index.html").is_file() {
        find(&built, "", &mut files)?;
    }
    files.sort();
    let mut list = String::from("&[\n");
    for (number, (name, file)) in files.iter().enumerate() {
        let packed = format!("{number}.gz");
        let mut gzip = GzEncoder::new(fs::File::create(out.join(&packed))?, Compression::best());
        let mut bytes = Vec::new();
        fs::File::open(file)?.read_to_end(&mut bytes)?;
        gzip.write_all(&bytes)?;
        gzip.finish()?;
        let include = format!("include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{packed}\"))");
        writeln!(list, "    Asset {{ path: {name:?}, gzip: {include} }},")?;
    }
    list.push(']');
    fs::write(out.join("assets.rs"), list)?;
    Ok(())
}

/// Every file below a folder, with its path in the address.
fn find(folder: &Path, path: &str, files: &mut Vec<(String, PathBuf)>) -> Outcome<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().into_string().map_err(|name| format!("{name:?} is no UTF-8"))?;
        let path = format!("{path}/{name}");
        match entry.file_type()?.is_dir() {
            true => find(&entry.path(), &path, files)?,
            false => files.push((path, entry.path())),
        }
    }
    Ok(())
}
