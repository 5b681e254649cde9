//! The table of settings against the file that people write, as it should be and as it is found.

mod agree;
mod odd_files;
