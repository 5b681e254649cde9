//! The speech models that can be had: their names, sizes and hashes as they are published.
//!
//! Sizes and SHA-256 sums are those of the repository `ggerganov/whisper.cpp` of Hugging Face, revision
//! 5359861c739e955e79d9a303bcbc70fb988958b1, which also serves whisper.cpp's own `download-ggml-model.sh`; those of
//! the voice detector are of `ggml-org/whisper-vad`.

/// A file that is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Published {
    /// Its name, e.g. `base-q8_0`.
    pub name: &'static str,
    /// The size of its file in bytes.
    pub bytes: u64,
    /// The SHA-256 of its file, in small hexadecimal digits.
    pub sha256: &'static str,
}

/// What a newcomer should take: quick and right enough, in every language.
pub const RECOMMENDED: &str = "base-q8_0";

/// Where the models are published.
const MODELS: &str = "https://huggingface.co/ggerganov/whisper.cpp/resolve/main";
/// Where the voice detector is published.
const DETECTORS: &str = "https://huggingface.co/ggml-org/whisper-vad/resolve/main";

/// The model that tells speech from silence, which every other one needs beside it.
pub const VAD: Published =
    published("silero-v6.2.0", 885_098, "2aa269b785eeb53a82983a20501ddf7c1d9c48e33ab63a41391ac6c9f7fb6987");

/// The models, small ones first.
pub const CATALOGUE: [Published; 27] = [
    published("tiny-q5_1", 32_152_673, "818710568da3ca15689e31a743197b520007872ff9576237bda97bd1b469c3d7"),
    published("tiny.en-q5_1", 32_166_155, "c77c5766f1cef09b6b7d47f21b546cbddd4157886b3b5d6d4f709e91e66c7c2b"),
    published("tiny-q8_0", 43_537_433, "c2085835d3f50733e2ff6e4b41ae8a2b8d8110461e18821b09a15c40c42d1cca"),
    published("tiny.en-q8_0", 43_550_795, "5bc2b3860aa151a4c6e7bb095e1fcce7cf12c7b020ca08dcec0c6d018bb7dd94"),
    published("base-q5_1", 59_707_625, "422f1ae452ade6f30a004d7e5c6a43195e4433bc370bf23fac9cc591f01a8898"),
    published("base.en-q5_1", 59_721_011, "4baf70dd0d7c4247ba2b81fafd9c01005ac77c2f9ef064e00dcf195d0e2fdd2f"),
    published("tiny", 77_691_713, "be07e048e1e599ad46341c8d2a135645097a538221678b7acdd1b1919c6e1b21"),
    published("tiny.en", 77_704_715, "921e4cf8686fdd993dcd081a5da5b6c365bfde1162e72b08d75ac75289920b1f"),
    published("base-q8_0", 81_768_585, "c577b9a86e7e048a0b7eada054f4dd79a56bbfa911fbdacf900ac5b567cbb7d9"),
    published("base.en-q8_0", 81_781_811, "a4d4a0768075e13cfd7e19df3ae2dbc4a68d37d36a7dad45e8410c9a34f8c87e"),
    published("base", 147_951_465, "60ed5bc3dd14eea856493d334349b405782ddcaf0028d4b5df4088345fba2efe"),
    published("base.en", 147_964_211, "a03779c86df3323075f5e796cb2ce5029f00ec8869eee3fdfb897afe36c6d002"),
    published("small-q5_1", 190_085_487, "ae85e4a935d7a567bd102fe55afc16bb595bdb618e11b2fc7591bc08120411bb"),
    published("small.en-q5_1", 190_098_681, "bfdff4894dcb76bbf647d56263ea2a96645423f1669176f4844a1bf8e478ad30"),
    published("small-q8_0", 264_464_607, "49c8fb02b65e6049d5fa6c04f81f53b867b5ec9540406812c643f177317f779f"),
    published("small.en-q8_0", 264_477_561, "67a179f608ea6114bd3fdb9060e762b588a3fb3bd00c4387971be4d177958067"),
    published("small", 487_601_967, "1be3a9b2063867b937e64e2ec7483364a79917e157fa98c5d94b5c1fffea987b"),
    published("small.en", 487_614_201, "c6138d6d58ecc8322097e0f987c32f1be8bb0a18532a3f88f734d1bbf9c41e5d"),
    published("medium-q5_0", 539_212_467, "19fea4b380c3a618ec4723c3eef2eb785ffba0d0538cf43f8f235e7b3b34220f"),
    published("medium.en-q5_0", 539_225_533, "76733e26ad8fe1c7a5bf7531a9d41917b2adc0f20f2e4f5531688a8c6cd88eb0"),
    published("large-v3-turbo-q5_0", 574_041_195, "394221709cd5ad1f40c46e6031ca61bce88931e6e088c188294c6d5a55ffa7e2"),
    published("medium-q8_0", 823_369_779, "42a1ffcbe4167d224232443396968db4d02d4e8e87e213d3ee2e03095dea6502"),
    published("medium.en-q8_0", 823_382_461, "43fa2cd084de5a04399a896a9a7a786064e221365c01700cea4666005218f11c"),
    published("large-v3-turbo-q8_0", 874_188_075, "317eb69c11673c9de1e1f0d459b253999804ec71ac4c23c17ecf5fbe24e259a1"),
    published("medium", 1_533_763_059, "6c14d5adee5f86394037b4e4e8b59f1673b6cee10e3cf0b11bbdbee79c156208"),
    published("medium.en", 1_533_774_781, "cc37e93478338ec7700281a7ac30a10128929eb8f427dda2e865faa8f6da4356"),
    published("large-v3-turbo", 1_624_555_275, "1fc70f774d38eb169993ac391eea357ef47c88757ef72ee5943879b7e8e2bc69"),
];

const fn published(name: &'static str, bytes: u64, sha256: &'static str) -> Published {
    Published { name, bytes, sha256 }
}

/// The model of this name.
#[must_use]
pub fn model(name: &str) -> Option<&'static Published> {
    CATALOGUE.iter().find(|model| model.name == name)
}

impl Published {
    /// Its file's name.
    #[must_use]
    pub fn file(&self) -> String {
        format!("ggml-{}.bin", self.name)
    }

    /// Where it is: below `mirror` where one is given, else where it is published.
    #[must_use]
    pub fn url(&self, mirror: Option<&str>) -> String {
        let usual = if *self == VAD { DETECTORS } else { MODELS };
        format!("{}/{}", mirror.unwrap_or(usual).trim_end_matches('/'), self.file())
    }

    /// Whether it knows English only.
    #[must_use]
    pub fn english_only(&self) -> bool {
        self.name.contains(".en")
    }

    /// Memory that it needs while it is loaded, in bytes, roughly: its file and what whisper.cpp says that a
    /// model of this size computes in.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        const MB: u64 = 1_000_000;
        let work = match self.name.split(['.', '-']).next() {
            Some("tiny") => 100 * MB,
            Some("base") => 130 * MB,
            Some("small") => 300 * MB,
            Some("medium") => 600 * MB,
            _ => 800 * MB,
        };
        self.bytes + work
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = &'static Published> {
        CATALOGUE.iter().chain([&VAD])
    }

    #[test]
    fn the_catalogue_is_whole_and_in_order() {
        assert!(CATALOGUE.is_sorted_by_key(|model| model.bytes), "small ones first");
        for kind in ["tiny", "base", "small", "medium", "large-v3-turbo"] {
            assert!(model(kind).is_some(), "{kind} is there as it was trained");
            let quantised = CATALOGUE.iter().filter(|model| model.name.starts_with(&format!("{kind}-q")));
            assert_eq!(quantised.count(), 2, "{kind} is there in two smaller sizes");
        }
        for (at, one) in all().enumerate() {
            assert!(
                all().skip(at + 1).all(|other| other.name != one.name && other.sha256 != one.sha256),
                "{}",
                one.name
            );
            let digits = one.sha256.bytes().all(|digit| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit));
            assert!(one.sha256.len() == 64 && digits, "{}: a SHA-256 in small digits", one.name);
            assert!(one.memory_bytes() > one.bytes, "{}", one.name);
        }
        assert!(model(RECOMMENDED).is_some_and(|model| !model.english_only()), "for whoever speaks any language");
    }

    #[test]
    fn a_mirror_holds_all_files_in_one_folder() {
        let base = model("base-q8_0").expect("it is in the catalogue");
        assert_eq!(base.url(None), format!("{MODELS}/ggml-base-q8_0.bin"));
        assert_eq!(base.url(Some("https://models.example/w/")), "https://models.example/w/ggml-base-q8_0.bin");
        assert_eq!(VAD.url(None), format!("{DETECTORS}/ggml-silero-v6.2.0.bin"));
        assert_eq!(VAD.url(Some("http://127.0.0.1:1")), "http://127.0.0.1:1/ggml-silero-v6.2.0.bin");
    }
}
