//! Words as people use them: a vocabulary in which a few are everywhere and most are seldom, and the
//! texts that are made of it. Knows nothing of conversations.

use std::collections::HashSet;

/// Words of the vocabulary.
const WORDS: usize = 5000;
/// How finely the frequencies are kept: the rarest word has one of these.
const SHARES: usize = 1 << 16;
/// The commonest words have nearly the same frequency, as in any language.
const FLATTENED: f64 = 2.7;
/// Every so many ranks stands a real word.
const REAL_EVERY: usize = 12;
/// The vocabulary is the same for every seed, so that searches are.
const VOCABULARY_SEED: u64 = 0x7265_7669_6577;

const REAL: &[&str] = &[
    "retry",
    "webhook",
    "payment",
    "idempotency",
    "queue",
    "migration",
    "index",
    "schema",
    "timeout",
    "cache",
    "token",
    "session",
    "endpoint",
    "rollback",
    "deploy",
    "branch",
    "commit",
    "merge",
    "conflict",
    "lint",
    "compiler",
    "runtime",
    "async",
    "await",
    "thread",
    "mutex",
    "deadlock",
    "latency",
    "throughput",
    "benchmark",
    "regression",
    "fixture",
    "mock",
    "parser",
    "lexer",
    "grammar",
    "unicode",
    "locale",
    "timezone",
    "cursor",
    "pagination",
    "socket",
    "proxy",
    "header",
    "cookie",
    "origin",
    "sandbox",
    "permission",
    "secret",
    "password",
    "encryption",
    "signature",
    "checksum",
    "backup",
    "restore",
    "snapshot",
    "replica",
    "shard",
    "partition",
    "transaction",
    "isolation",
    "constraint",
    "trigger",
    "vacuum",
    "allocator",
    "lifetime",
    "borrow",
    "trait",
    "generic",
    "macro",
    "module",
    "crate",
    "package",
    "registry",
    "lockfile",
    "dependency",
    "licence",
    "changelog",
    "release",
    "pipeline",
    "container",
    "image",
    "volume",
    "network",
    "firewall",
    "router",
    "balancer",
    "health",
    "probe",
    "metric",
    "trace",
    "span",
    "logger",
    "alert",
    "dashboard",
    "window",
    "widget",
    "layout",
    "theme",
    "shortcut",
    "clipboard",
    "tooltip",
    "dialog",
];
const SYLLABLES: &[&str] = &[
    "ba", "be", "bo", "da", "de", "di", "fa", "fe", "ga", "go", "ka", "ke", "ko", "la", "le", "li", "lo", "ma", "me",
    "mi", "mo", "na", "ne", "ni", "no", "pa", "pe", "po", "ra", "re", "ri", "ro", "sa", "se", "si", "so", "ta", "te",
    "ti", "to", "va", "ve", "vi", "zu", "shi", "tra", "ple", "gron", "stel", "mar", "ven", "dor",
];
const CHINESE: &[&str] = &[
    "修改",
    "配置",
    "文件",
    "测试",
    "部署",
    "数据库",
    "迁移",
    "请求",
    "回复",
    "会话",
    "接口",
    "超时",
    "重试",
    "缓存",
    "队列",
    "日志",
    "错误",
    "用户",
    "权限",
    "版本",
    "分支",
    "合并",
    "提交",
    "性能",
    "内存",
    "线程",
    "网络",
    "服务器",
    "窗口",
    "按钮",
    "可以",
    "需要",
    "我们",
    "这个",
    "现在",
    "应该",
    "是否",
    "已经",
    "继续",
    "完成",
];

/// Random numbers that are the same on every machine (SplitMix64, public domain).
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// The numbers of a seed and of a place in its work.
    pub(crate) fn new(seed: u64, place: u64) -> Self {
        let mut random = Self(seed);
        let start = random.next() ^ place.wrapping_mul(0xD134_2543_DE82_EF95);
        Self(start)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// From 0 to less than `end`, which is not 0.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    /// From `low` up to and with `high`.
    pub(crate) fn within(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }

    /// True in so many of 100 cases.
    pub(crate) fn in_percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn one_of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        let at = usize::try_from(self.below(all.len() as u64)).unwrap_or(0);
        all.get(at).copied().unwrap_or_default()
    }
}

/// The words and how often each is used.
pub(crate) struct Vocabulary {
    words: Vec<String>,
    /// The rank that each share of the frequencies belongs to.
    shares: Vec<usize>,
}

impl Vocabulary {
    pub(crate) fn new() -> Self {
        let mut random = Random::new(VOCABULARY_SEED, 0);
        let mut real = REAL.iter();
        let mut known: HashSet<String> = REAL.iter().map(|word| (*word).to_owned()).collect();
        let mut words = Vec::with_capacity(WORDS);
        while words.len() < WORDS {
            if words.len() % REAL_EVERY == REAL_EVERY - 1
                && let Some(word) = real.next()
            {
                words.push((*word).to_owned());
                continue;
            }
            let word: String = (0..random.within(2, 4)).map(|_| random.one_of(SYLLABLES)).collect();
            if known.insert(word.clone()) {
                words.push(word);
            }
        }
        Self { words, shares: shares() }
    }

    /// The word of this rank, 0 for the commonest.
    pub(crate) fn ranked(&self, rank: usize) -> &str {
        self.words.get(rank).map_or("", String::as_str)
    }

    /// A word, the common ones more often.
    pub(crate) fn word(&self, random: &mut Random) -> &str {
        let share = usize::try_from(random.below(SHARES as u64)).unwrap_or(0);
        self.ranked(self.shares.get(share).copied().unwrap_or(0))
    }

    /// So many words, without a full stop.
    pub(crate) fn words(&self, random: &mut Random, count: u64) -> String {
        let mut text = String::new();
        for number in 0..count {
            if number > 0 {
                text.push(' ');
            }
            text.push_str(self.word(random));
        }
        text
    }

    /// So many words as sentences.
    pub(crate) fn sentences(&self, random: &mut Random, mut count: u64) -> String {
        let mut text = String::new();
        while count > 0 {
            let length = random.within(5, 14).min(count);
            if !text.is_empty() {
                text.push(' ');
            }
            let sentence = self.words(random, length);
            let mut letters = sentence.chars();
            text.extend(letters.next().map(|first| first.to_ascii_uppercase()));
            text.push_str(letters.as_str());
            text.push(if random.in_percent(15) { '?' } else { '.' });
            count -= length;
        }
        text
    }
}

/// A text of so many Chinese words.
pub(crate) fn chinese(random: &mut Random, count: u64) -> String {
    let mut text = String::new();
    for number in 1..=count {
        text.push_str(random.one_of(CHINESE));
        if number == count {
            text.push('。');
        } else if number % 7 == 0 {
            text.push('，');
        }
    }
    text
}

/// Zipf's law: a word's frequency is nearly the inverse of its rank.
fn shares() -> Vec<usize> {
    #[expect(clippy::cast_precision_loss, reason = "a rank is far below 2^52")]
    let weight = |rank: usize| 1.0 / (rank as f64 + FLATTENED);
    let all: f64 = (0..WORDS).map(weight).sum();
    let (mut shares, mut sum) = (Vec::with_capacity(SHARES), 0.0);
    for rank in 0..WORDS {
        sum += weight(rank);
        #[expect(clippy::cast_precision_loss, reason = "a share is far below 2^52")]
        while (shares.len() as f64) < sum / all * SHARES as f64 && shares.len() < SHARES {
            shares.push(rank);
        }
    }
    shares.resize(SHARES, WORDS - 1);
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vocabulary_is_skewed_as_a_language_is() {
        let (vocabulary, mut random) = (Vocabulary::new(), Random::new(1, 1));
        let different: HashSet<&String> = vocabulary.words.iter().collect();
        assert_eq!(different.len(), WORDS, "each word has one rank");
        let text = vocabulary.words(&mut random, 20_000);
        let count = |word: &str| text.split(' ').filter(|each| *each == word).count();
        let (first, tenth) = (count(vocabulary.ranked(0)), count(vocabulary.ranked(10)));
        assert!(first > 3 * tenth, "the commonest word is used {first} times, the eleventh {tenth} times");
        assert!(tenth > 0 && count(vocabulary.ranked(WORDS - 1)) < 10, "and the last one hardly at all");
    }

    #[test]
    fn every_word_is_used_by_some_share() {
        let used: HashSet<usize> = shares().into_iter().collect();
        assert_eq!(used.len(), WORDS, "a word without a share would never be written");
    }

    #[test]
    fn a_text_has_as_many_words_as_were_asked_for() {
        let (vocabulary, mut random) = (Vocabulary::new(), Random::new(7, 0));
        for count in [1, 20, 120] {
            let text = vocabulary.sentences(&mut random, count);
            assert_eq!(text.split(' ').count() as u64, count, "{text}");
            assert!(text.ends_with(['.', '?']), "it ends as a sentence does: {text}");
        }
    }
}
