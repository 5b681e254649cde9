//! Writes `commands.md` into the folder given as the only argument. Run by `cargo xtask codegen`.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os().nth(1).ok_or("name the folder to write to")?;
    std::fs::write(std::path::Path::new(&folder).join("commands.md"), gate_api::page())?;
    Ok(())
}
