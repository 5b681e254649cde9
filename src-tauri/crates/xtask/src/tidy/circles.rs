//! No circle between the files of a crate: what one of them knows, that one mustn't know it back.
//!
//! Looks at paths that begin with `crate` or `super` and follows what modules re-export. A module and the files in its
//! folder share their names, so only files that lie beside each other can form a circle. Tests may look anywhere.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::Violation;
use crate::workspace::Workspace;

/// What stands before an item that only tests have.
const TESTS: &str = "#[cfg(test)]";

/// A module's path from the crate's root.
type Module = Vec<String>;
/// Per folder and file in it, which files beside it it names, each with the file and the line that does.
type Edges = BTreeMap<Module, BTreeMap<String, BTreeMap<String, (String, usize)>>>;

pub(super) fn check(workspace: &Workspace) -> Vec<Violation> {
    let mut violations = Vec::new();
    for package in &workspace.packages {
        let is_root = |path: &&Path| path.file_name().is_some_and(|name| name == "lib.rs" || name == "main.rs");
        let roots = package.targets.iter().map(|target| target.src_path.as_std_path()).filter(is_root);
        let Some(folder) = roots.filter_map(Path::parent).next() else { continue };
        let mut files = Vec::new();
        read(folder, &mut files);
        let module = |path: &Path| module_of(path.strip_prefix(folder).unwrap_or(path));
        let of_tests: Vec<Module> = files.iter().flat_map(|(path, text)| of_tests(&module(path), text)).collect();
        let shown = |path: &Path| path.strip_prefix(&workspace.root).unwrap_or(path).to_string_lossy().into_owned();
        let sources = files.iter().map(|(path, text)| {
            let text = without_tests(&plain(text));
            Source { module: module(path), path: shown(path), text }
        });
        let is_product = |source: &Source| !of_tests.iter().any(|module| source.module.starts_with(module));
        let sources: Vec<_> = sources.filter(is_product).collect();
        violations.extend(judged(&sources));
    }
    violations
}

struct Source {
    module: Module,
    path: String,
    /// Without comments, texts and tests.
    text: String,
}

/// The circles of a crate.
fn judged(sources: &[Source]) -> impl Iterator<Item = Violation> {
    circles(&edges(sources)).into_iter().map(|Circle { way, at: (path, line) }| {
        let rule = format!("a circle between files: {}", way.join(" → "));
        Violation { path, line: Some(line), rule }
    })
}

fn read(folder: &Path, files: &mut Vec<(std::path::PathBuf, String)>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            read(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs")
            && let Ok(text) = std::fs::read_to_string(&path)
        {
            files.push((path, text));
        }
    }
    files.sort();
}

/// The module of a file below `src`.
fn module_of(file: &Path) -> Module {
    let mut module: Module = file.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if module.last().is_some_and(|name| ["lib", "main", "mod"].contains(&name.as_str())) {
        module.pop();
    }
    module
}

/// The files that a module has for its tests only.
fn of_tests(module: &Module, text: &str) -> Vec<Module> {
    let text = plain(text);
    let declared = text.match_indices(TESTS).filter_map(|(at, _)| {
        let mut item = text[at + TESTS.len()..].trim_start();
        while item.starts_with("#[") {
            item = item.split_once(']')?.1.trim_start();
        }
        let (name, _) = item.trim_start_matches("pub(crate) ").strip_prefix("mod ")?.split_once(';')?;
        (!name.contains('{')).then(|| module.iter().cloned().chain([name.to_owned()]).collect())
    });
    declared.collect()
}

/// The text with its comments and its literals blanked out, line by line.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let skipped = skipped(rest);
        let taken = if skipped > 0 { skipped } else { first.len_utf8() };
        let (piece, after) = rest.split_at(taken);
        match skipped {
            0 => plain.push_str(piece),
            _ => plain.extend(piece.chars().map(|c| if c == '\n' { c } else { ' ' })),
        }
        rest = after;
    }
    plain
}

/// How many bytes a comment or a literal takes that begins here; 0 where none does.
fn skipped(text: &str) -> usize {
    let upto = |end: &str, from: usize| text[from..].find(end).map_or(text.len(), |at| from + at + end.len());
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        return upto("*/", 2);
    }
    if let Some(raw) = text.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        if raw[hashes..].starts_with('"') {
            return upto(&format!("\"{}", "#".repeat(hashes)), hashes + 2);
        }
    }
    if text.starts_with('"') {
        let mut escaped = false;
        let end = text.char_indices().skip(1).find(|(_, c)| {
            let ends = *c == '"' && !escaped;
            escaped = *c == '\\' && !escaped;
            ends
        });
        return end.map_or(text.len(), |(at, _)| at + 1);
    }
    // A character, not a lifetime.
    for quoted in ["'\"'", "'\\''", "'\\\"'", "'{'", "'}'"] {
        if text.starts_with(quoted) {
            return quoted.len();
        }
    }
    0
}

/// The text without the items that stand behind `#[cfg(test)]`.
fn without_tests(text: &str) -> String {
    let Some(at) = text.find(TESTS) else { return text.to_owned() };
    let (before, item) = text.split_at(at);
    let mut depth = 0_usize;
    let end = item.char_indices().find(|(_, c)| match c {
        '{' => {
            depth += 1;
            false
        }
        '}' => {
            depth = depth.saturating_sub(1);
            depth == 0
        }
        ';' => depth == 0,
        _ => false,
    });
    let (item, after) = item.split_at(end.map_or(item.len(), |(at, _)| at + 1));
    let blank: String = item.chars().map(|c| if c == '\n' { c } else { ' ' }).collect();
    format!("{before}{blank}{}", without_tests(after))
}

/// A path as it is written, and its line.
type Named = (Vec<String>, usize);

/// Every path in a text that begins with `crate` or `super`, each branch of a `use` by itself.
fn paths(text: &str) -> Vec<Named> {
    let mut found = Vec::new();
    for (number, start) in words(text) {
        let mut branches = Vec::new();
        branch(&text[start..], Vec::new(), &mut branches);
        found.extend(branches.into_iter().map(|path| (path, number)));
    }
    found
}

/// Where `crate` and `super` stand at the beginning of a path, with the line.
fn words(text: &str) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    for word in ["crate::", "super::"] {
        for (at, _) in text.match_indices(word) {
            let before = text[..at].trim_end_matches(' ');
            let glued = text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':' || c == '$');
            if !glued && !before.ends_with("::") {
                all.push((text[..at].matches('\n').count() + 1, at));
            }
        }
    }
    all
}

/// Reads one path, or the branches of a group, and gives what follows it.
fn branch<'a>(text: &'a str, mut path: Vec<String>, found: &mut Vec<Vec<String>>) -> &'a str {
    let mut rest = text.trim_start();
    loop {
        if let Some(group) = rest.strip_prefix('{') {
            rest = group.trim_start();
            while !rest.is_empty() && !rest.starts_with('}') {
                let after = branch(rest, path.clone(), found).trim_start();
                // What isn't a path has no place in a group: no further than this.
                let Some(next) = after.strip_prefix(',').or(after.starts_with('}').then_some(after)) else {
                    return after;
                };
                rest = next.trim_start();
            }
            return rest.strip_prefix('}').unwrap_or(rest);
        }
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        if name.is_empty() {
            found.push(path);
            return rest.strip_prefix('*').unwrap_or(rest);
        }
        path.push(name.to_owned());
        match after.trim_start().strip_prefix("::") {
            Some(further) => rest = further.trim_start(),
            None => {
                found.push(path);
                // A name that is given anew.
                let after = after.trim_start();
                let Some(renamed) = after.strip_prefix("as ") else { return after };
                return renamed.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
            }
        }
    }
}

/// What the modules of a crate name by `use`, so that a re-export leads to where a thing is.
fn exports(sources: &[Source]) -> BTreeMap<(Module, String), Vec<String>> {
    let mut exports = BTreeMap::new();
    for source in sources {
        for (at, _) in source.text.match_indices("use ") {
            let is_exported = source.text[..at].trim_end().ends_with(['b', ')']);
            let mut branches = Vec::new();
            if is_exported {
                branch(&source.text[at + "use ".len()..], Vec::new(), &mut branches);
            }
            for path in branches {
                if let Some(name) = path.last().cloned() {
                    exports.insert((source.module.clone(), name), path);
                }
            }
        }
    }
    exports
}

fn edges(sources: &[Source]) -> Edges {
    let modules: BTreeSet<Module> = sources.iter().map(|source| source.module.clone()).collect();
    let exports = exports(sources);
    let mut edges = Edges::new();
    for source in sources {
        for (path, line) in paths(&source.text) {
            let target = resolved(&source.module, &path, &modules, &exports, 0);
            let shared = source.module.iter().zip(&target).take_while(|(one, other)| one == other).count();
            if let (Some(from), Some(to)) = (source.module.get(shared), target.get(shared)) {
                let folder = edges.entry(source.module[..shared].to_vec()).or_default();
                let named = folder.entry(from.clone()).or_default();
                named.entry(to.clone()).or_insert((source.path.clone(), line));
            }
        }
    }
    edges
}

/// The module that a path which stands in `from` leads to.
fn resolved(
    from: &[String],
    path: &[String],
    modules: &BTreeSet<Module>,
    exports: &BTreeMap<(Module, String), Vec<String>>,
    followed: usize,
) -> Module {
    let mut at = from.to_vec();
    for name in path {
        match name.as_str() {
            "crate" => at.clear(),
            "super" => drop(at.pop()),
            "self" => {}
            name => {
                let mut inner = at.clone();
                inner.push(name.to_owned());
                if modules.contains(&inner) {
                    at = inner;
                    continue;
                }
                let export = exports.get(&(at.clone(), name.to_owned())).filter(|_| followed < 8);
                return export.map_or(at.clone(), |export| resolved(&at, export, modules, exports, followed + 1));
            }
        }
    }
    at
}

struct Circle {
    /// One way round.
    way: Vec<String>,
    /// Where that begins.
    at: (String, usize),
}

fn circles(edges: &Edges) -> Vec<Circle> {
    let mut circles = Vec::new();
    for (folder, graph) in edges {
        let named = |name: &str| folder.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join("::");
        let mut seen = BTreeSet::new();
        for start in graph.keys() {
            let Some(way) = way_round(graph, start).filter(|_| !seen.contains(start)) else { continue };
            let back = |name: &&String| reaches(graph, start, name) && reaches(graph, name, start);
            let members: BTreeSet<&String> = graph.keys().filter(back).chain([start]).collect();
            let at = graph[start].get(&way[1]).cloned().unwrap_or_default();
            circles.push(Circle { way: way.iter().map(|name| named(name)).collect(), at });
            seen.extend(members);
        }
    }
    circles
}

type Graph = BTreeMap<String, BTreeMap<String, (String, usize)>>;

fn reaches(graph: &Graph, from: &str, to: &str) -> bool {
    shortest(graph, from, to).is_some()
}

/// The shortest way from a file back to itself.
fn way_round(graph: &Graph, start: &str) -> Option<Vec<String>> {
    shortest(graph, start, start)
}

fn shortest(graph: &Graph, from: &str, to: &str) -> Option<Vec<String>> {
    let mut ways = vec![vec![from.to_owned()]];
    let mut known = BTreeSet::new();
    while !ways.is_empty() {
        let mut further = Vec::new();
        for way in ways {
            for next in way.last().and_then(|last| graph.get(last)).into_iter().flat_map(BTreeMap::keys) {
                let mut longer = way.clone();
                longer.push(next.clone());
                if next == to {
                    return Some(longer);
                }
                if known.insert(next.clone()) {
                    further.push(longer);
                }
            }
        }
        ways = further;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(module: &str, text: &str) -> Source {
        let module = module.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect();
        Source { module, path: "a.rs".to_owned(), text: without_tests(&plain(text)) }
    }

    fn rules(sources: &[(&str, &str)]) -> Vec<String> {
        let sources: Vec<_> = sources.iter().map(|(module, text)| source(module, text)).collect();
        judged(&sources).map(|violation| violation.rule).collect()
    }

    #[test]
    fn files_that_know_each_other_are_a_circle() {
        let one_way = [("a", "use crate::b::B;"), ("b", "pub struct B;")];
        assert_eq!(rules(&one_way), [""; 0], "one of them knows the other");
        let round = [("a", "use crate::b::B;"), ("b", "fn f() { crate::c::g() }"), ("c", "use super::{a::A, d};")];
        assert_eq!(rules(&round), ["a circle between files: a → b → c → a"]);
        let inner = [("a::x", "use super::y::Y;"), ("a::y", "use super::x::X;"), ("a", "use x::X;")];
        assert_eq!(rules(&inner), ["a circle between files: a::x → a::y → a::x"], "in a folder, too");
    }

    #[test]
    fn what_a_module_re_exports_leads_on() {
        let round = [("", "pub use b::B;"), ("a", "use crate::B;"), ("b", "use crate::a::A;")];
        assert_eq!(rules(&round), ["a circle between files: a → b → a"], "the root is no way round the rule");
    }

    #[test]
    fn comments_texts_and_tests_are_no_knowledge() {
        let text = "//! [`crate::b`]\nconst A: &str = \"crate::b::B\";\n#[cfg(test)]\nmod tests { use crate::b::B; }\n";
        assert_eq!(rules(&[("a", text), ("b", "use crate::a::A;")]), [""; 0]);
        let later = format!("{text}use crate::b::B;\n");
        assert_eq!(rules(&[("a", &later), ("b", "use crate::a::A;")]).len(), 1, "what follows tests counts");
        let text = "#[cfg(test)]\n#[path = \"x.rs\"]\nmod gate_tests;\nmod b;\n#[cfg(test)]\nmod tests { fn f() {} }";
        assert_eq!(of_tests(&vec!["a".to_owned()], text), [["a", "gate_tests"]], "and neither are files of tests");
    }

    #[test]
    fn a_folder_shares_its_names_with_the_file_that_it_belongs_to() {
        let sources = [("a", "mod x; use x::X; pub struct A;"), ("a::x", "use super::A; use crate::a::A as B;")];
        assert_eq!(rules(&sources), [""; 0]);
    }
}
