//! A link to the gate's page on its way to a browser: in a file of the person's alone, since the arguments of a program are
//! everybody's to read.

use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

use gate_core::{Code, Fault};
use tempfile::NamedTempFile;

/// A page that leads on to a link, in a file that only its owner reads. The file lasts as long as this.
#[derive(Debug)]
pub struct LinkPage(NamedTempFile);

impl LinkPage {
    /// A page in this folder that leads to this link.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn leading_to(folder: &Path, url: &str) -> Result<Self, Fault> {
        written(folder, url).map(Self).map_err(|error| {
            let code = if error.kind() == ErrorKind::StorageFull { Code::DiskFull } else { Code::ReadOnly };
            let message = format!("No file for the link can be written to {}: {error}.", folder.display());
            Fault::new(code, message, "Give the folder back to your user, or free some space.")
        })
    }

    /// Its file.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

fn written(folder: &Path, url: &str) -> io::Result<NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix("link-").suffix(".html").tempfile_in(folder)?;
    writeln!(
        file,
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">\
         <meta http-equiv=\"refresh\" content=\"0;url={url}\"><title>Review Gate</title></head>\
         <body><a href=\"{url}\">Review Gate</a></body></html>"
    )?;
    file.flush()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_link_is_handed_over_by_a_file_that_only_its_owner_reads_and_that_goes()
    -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let page = LinkPage::leading_to(folder.path(), "http://localhost:8321/#code=abc")?;
        assert_eq!(std::fs::metadata(page.path())?.permissions().mode() & 0o777, 0o600);
        let text = std::fs::read_to_string(page.path())?;
        assert!(text.contains("content=\"0;url=http://localhost:8321/#code=abc\""), "{text}");
        assert!(!page.path().to_string_lossy().contains("abc"), "its name tells nothing");
        drop(page);
        assert_eq!(std::fs::read_dir(folder.path())?.count(), 0, "nothing is left");
        let fault = LinkPage::leading_to(&folder.path().join("gone"), "x").map(drop);
        assert_eq!(fault.map_err(|fault| fault.code), Err(Code::ReadOnly), "why it can't be is told");
        Ok(())
    }
}
