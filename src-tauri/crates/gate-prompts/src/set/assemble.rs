//! From layers of files to a version. A later layer hides what an earlier one has under the same id.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gate_core::prompt::PROBLEMS_TOLD;
use gate_core::{Fault, Prompt, PromptArgument, PromptFormat, PromptList, PromptOrigin, PromptProblem, bounds};

use super::{Entry, OnDisk, PromptSet};
use crate::file::{Draft, Read};
use crate::template::{Compiled, Partials, Uses};
use crate::trouble::{Trouble, nearest};

/// What a folder gives.
#[derive(Debug)]
pub(crate) struct Layer {
    pub(crate) origin: PromptOrigin,
    pub(crate) files: Vec<LayerFile>,
    pub(crate) partials: Vec<LayerPartial>,
    /// What isn't read at all, each with its path.
    pub(crate) troubles: Vec<(String, Trouble)>,
}

/// A prompt's file.
#[derive(Debug, Clone)]
pub(crate) struct LayerFile {
    pub(crate) id: String,
    pub(crate) file: String,
    pub(crate) format: PromptFormat,
    pub(crate) text: Arc<str>,
    pub(crate) sha256: String,
    pub(crate) read: Arc<Read>,
    /// What it was when it last made a prompt.
    pub(crate) good: Option<Good>,
}

/// A version of a file that made a prompt.
#[derive(Debug, Clone)]
pub(crate) struct Good {
    pub(crate) format: PromptFormat,
    pub(crate) file: String,
    pub(crate) text: Arc<str>,
    pub(crate) sha256: String,
    pub(crate) draft: Arc<Draft>,
}

/// The good version of each file, by its layer and the prompt's id.
pub(crate) type Goods = std::collections::HashMap<(PromptOrigin, String), Good>;

/// A partial's file.
#[derive(Debug, Clone)]
pub(crate) struct LayerPartial {
    pub(crate) name: String,
    pub(crate) file: String,
    /// What is put in: of a broken file, what it was when it last was good.
    pub(crate) compiled: Option<Arc<Compiled>>,
    pub(crate) troubles: Vec<Trouble>,
    /// Names its text.
    pub(crate) sha256: String,
}

/// The version that these layers make, the earliest layer first, and the good versions of every file.
pub(crate) fn assemble(layers: &[Layer], folder_fault: Option<Fault>) -> (PromptSet, Goods) {
    let mut compiled: BTreeMap<String, Arc<Compiled>> = BTreeMap::new();
    let mut problems: Vec<PromptProblem> = Vec::new();
    for layer in layers {
        for (file, trouble) in &layer.troubles {
            problems.push(trouble.of_file(file, layer.origin, false));
        }
        for partial in &layer.partials {
            let served = partial.compiled.is_some();
            problems.extend(partial.troubles.iter().map(|t| t.of_file(&partial.file, layer.origin, served)));
            if let Some(one) = &partial.compiled {
                compiled.insert(partial.name.clone(), one.clone());
            }
        }
    }
    let mut set = PromptSet {
        list: Arc::default(),
        folder_fault,
        entries: BTreeMap::new(),
        disk: BTreeMap::new(),
        partials: Partials::new(compiled.iter().map(|(name, one)| (name.as_str(), &**one))),
        compiled,
        problems: Vec::new(),
    };
    let mut goods = Goods::new();
    for layer in layers {
        for group in grouped(&layer.files) {
            let Some((file, others)) = group.split_first() else { continue };
            for other in others {
                let message = format!("`{}` and `{}` are both the prompt `{}`.", file.file, other.file, file.id);
                let mend = format!("Remove or rename one of them; `{}` is the one that counts.", file.file);
                problems.push(Trouble::new(None, message, mend).of_file(&other.file, layer.origin, false));
            }
            goods.extend(place(&mut set, layer.origin, file, &mut problems));
        }
    }
    set.list = Arc::new(PromptList { prompts: set.entries.values().map(|entry| entry.prompt.clone()).collect() });
    problems.sort_by(|a, b| {
        (a.warning, b.origin, &a.file, a.line, a.column).cmp(&(b.warning, a.origin, &b.file, b.line, b.column))
    });
    problems.truncate(PROBLEMS_TOLD);
    set.problems = problems;
    (set, goods)
}

/// Files of the same id together, the one that counts first.
fn grouped(files: &[LayerFile]) -> Vec<Vec<&LayerFile>> {
    let mut groups: BTreeMap<&str, Vec<&LayerFile>> = BTreeMap::new();
    for file in files {
        groups.entry(&file.id).or_default().push(file);
    }
    let rank = |file: &&LayerFile| match file.format {
        PromptFormat::Yaml => (0, file.file.clone()),
        PromptFormat::Json => (1, file.file.clone()),
        PromptFormat::Markdown => (2, file.file.clone()),
    };
    groups
        .into_values()
        .map(|mut group| {
            group.sort_by_key(rank);
            group
        })
        .collect()
}

/// Puts a file into the version, and gives back the good version of it.
fn place(
    set: &mut PromptSet,
    origin: PromptOrigin,
    file: &LayerFile,
    problems: &mut Vec<PromptProblem>,
) -> Option<((PromptOrigin, String), Good)> {
    let mut troubles = file.read.troubles.clone();
    let now = file.read.draft.as_ref().and_then(|draft| {
        let prompt = made(&file.id, origin, file.format, draft, &set.compiled, &mut troubles)?;
        let good = Good {
            format: file.format,
            file: file.file.clone(),
            text: file.text.clone(),
            sha256: file.sha256.clone(),
            draft: draft.clone(),
        };
        Some((prompt, good))
    });
    let broken = now.is_none();
    let before = || {
        let good = file.good.clone()?;
        let prompt = made(&file.id, origin, good.format, &good.draft, &set.compiled, &mut Vec::new())?;
        Some((prompt, good))
    };
    let served = now.or_else(before);
    let own: Vec<_> = troubles.iter().map(|t| t.of_file(&file.file, origin, broken && served.is_some())).collect();
    problems.extend(own.iter().cloned());
    set.disk.insert(
        file.id.clone(),
        OnDisk {
            file: file.file.clone(),
            origin,
            format: file.format,
            text: file.text.clone(),
            sha256: file.sha256.clone(),
            problems: own,
        },
    );
    let (prompt, good) = served?;
    let hides = set.entries.get(&file.id).map(|hidden| hidden.prompt.origin);
    set.entries.insert(
        file.id.clone(),
        Entry {
            prompt: Arc::new(prompt),
            file: good.file.clone(),
            text: good.text.clone(),
            sha256: good.sha256.clone(),
            hides,
            broken,
            draft: good.draft.clone(),
        },
    );
    Some(((origin, file.id.clone()), good))
}

/// The prompt that a draft makes with these partials. What is wrong goes to `troubles`; absent where it
/// can't be rendered.
pub(crate) fn made(
    id: &str,
    origin: PromptOrigin,
    format: PromptFormat,
    draft: &Draft,
    partials: &BTreeMap<String, Arc<Compiled>>,
    troubles: &mut Vec<Trouble>,
) -> Option<Prompt> {
    let mut gather = Gather { partials, names: Vec::new(), seen: BTreeSet::new(), missing: Vec::new() };
    for template in draft.templates() {
        gather.uses(&template.uses, &Inside::default());
    }
    let Gather { names, missing, .. } = gather;
    let mut arguments = draft.arguments.clone();
    for name in names {
        if !arguments.iter().any(|argument| argument.name == name) {
            arguments.push(PromptArgument { inferred: true, ..PromptArgument::plain(&name) });
        }
    }
    let too_many = (arguments.len() > bounds::PROMPT_ARGUMENTS).then(|| {
        let message = format!("The template uses more than {} arguments.", bounds::PROMPT_ARGUMENTS);
        Trouble::new(None, message, "Use a list, or divide it into several prompts.")
    });
    if !missing.is_empty() || too_many.is_some() {
        troubles.extend(missing);
        troubles.extend(too_many);
        return None;
    }
    let (folder, name) = id.rsplit_once('/').unwrap_or(("", id));
    Some(Prompt {
        id: id.to_owned(),
        title: if draft.title.is_empty() { spoken(name) } else { draft.title.clone() },
        description: draft.description.clone(),
        category: if draft.category.is_empty() { folder.to_owned() } else { draft.category.clone() },
        version: draft.version.clone(),
        icon: draft.icon.clone(),
        arguments,
        origin,
        format,
    })
}

/// `code_review` as `Code review`.
fn spoken(name: &str) -> String {
    let words = name.replace(['_', '-'], " ");
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// What holds where a partial is put in.
#[derive(Debug, Clone, Default)]
struct Inside {
    /// The prompt's own use of a partial that led here.
    by: Option<(String, Option<crate::trouble::Spot>)>,
    given: Vec<String>,
    /// The partials that templates around it bring along.
    inline: BTreeSet<String>,
    /// Whether the arguments can't be seen from here.
    apart: bool,
}

/// Follows what templates use through the partials.
struct Gather<'a> {
    partials: &'a BTreeMap<String, Arc<Compiled>>,
    names: Vec<String>,
    seen: BTreeSet<(String, bool, Vec<String>)>,
    missing: Vec<Trouble>,
}

impl Gather<'_> {
    fn uses(&mut self, uses: &Uses, inside: &Inside) {
        if !inside.apart {
            for name in &uses.variables {
                let nameable = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
                if nameable && !inside.given.contains(name) && !self.names.contains(name) {
                    self.names.push(name.clone());
                }
            }
        }
        let inline: BTreeSet<String> = inside.inline.union(&uses.inline).cloned().collect();
        for partial in &uses.partials {
            let Some(compiled) = self.partials.get(&partial.name) else {
                if !inline.contains(&partial.name) && !partial.fallback {
                    self.absent(&partial.name, partial.at, inside);
                }
                continue;
            };
            let mut given = inside.given.clone();
            given.extend(partial.given.iter().filter(|name| !inside.given.contains(name)).cloned());
            let apart = inside.apart || !partial.outer;
            if self.seen.len() < 1000 && self.seen.insert((partial.name.clone(), apart, given.clone())) {
                let by = inside.by.clone().unwrap_or_else(|| (partial.name.clone(), partial.at));
                self.uses(&compiled.uses, &Inside { by: Some(by), given, inline: inline.clone(), apart });
            }
        }
    }

    fn absent(&mut self, name: &str, at: Option<crate::trouble::Spot>, inside: &Inside) {
        let mend = match nearest(name, self.partials.keys().map(String::as_str)) {
            Some(near) => format!("Did you mean `{near}`?"),
            None => format!("Write it to `_partials/{name}.hbs`."),
        };
        let trouble = match &inside.by {
            None => Trouble::new(at, format!("There is no partial `{name}`."), mend),
            Some((by, at)) => {
                Trouble::new(*at, format!("There is no partial `{name}`, which the partial `{by}` leads to."), mend)
            }
        };
        if !self.missing.contains(&trouble) {
            self.missing.push(trouble);
        }
    }
}
