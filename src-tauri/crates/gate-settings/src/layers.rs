//! Where a value comes from: defaults, then the file, then the environment, then arguments; each wins
//! over the ones before. What is wrong with a layer is reported, and leaves the layer below in force.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use config::{Config, ConfigError, Environment, Source, ValueKind};
use gate_api::SettingSource;
use gate_core::{Code, Fault, ask::excerpt};
use serde_json::{Map, Value};

use crate::check::{check, shown};
use crate::confirmed::held_guards;
use crate::document::{Broken, Document, Node, What};
use crate::guard::{Guard, Held};
use crate::migrate::{self, VERSION};
use crate::schema::Shape;
use crate::{SETTINGS, Settings, Values, defaults, entry};

/// How a variable's name begins that sets a setting.
const PREFIX: &str = "REVIEW_GATE";
/// What stands between the parts of its name.
const SEPARATOR: &str = "__";
/// Characters of a list that a message shows.
const SAID_CHARS: usize = 200;

/// What is laid over the file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Overlay {
    /// The variables `REVIEW_GATE__SECTION__KEY`, by their full name.
    pub environment: BTreeMap<String, String>,
    /// Arguments that the program was started with.
    pub flags: Values,
}

impl Overlay {
    /// The variables of this process, and these arguments.
    #[must_use]
    pub fn of_process(flags: Values) -> Self {
        let beginning = format!("{PREFIX}{SEPARATOR}");
        let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
        let all = std::env::vars_os().map(|(name, value)| (text(name), text(value)));
        Self { environment: all.filter(|(name, _)| name.to_uppercase().starts_with(&beginning)).collect(), flags }
    }
}

/// The settings in force, and what is known of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// The settings in force.
    pub settings: Settings,
    /// The same as JSON, every one of them.
    pub values: Values,
    /// Where each of them comes from.
    pub sources: BTreeMap<&'static str, SettingSource>,
    /// What the file says, where it is good.
    pub written: Values,
    /// What the file says, as it stands there.
    pub raw: Values,
    /// What is wrong with a setting, be it in the file or in the environment.
    pub faults: BTreeMap<&'static str, Fault>,
    /// Everything that is wrong, in the file's order, then the environment's.
    pub problems: Vec<Fault>,
    /// Why the file can't be read; then it can't be changed either.
    pub broken: Option<Fault>,
    /// The version that the file has; 0 for none. Absent where there is no file.
    pub version: Option<u32>,
    /// Which guards the file and the environment can't make weaker.
    pub held: Held,
}

/// One layer as it is read.
#[derive(Debug, Default)]
struct Layer {
    written: Values,
    raw: Values,
    faults: BTreeMap<&'static str, Fault>,
    problems: Vec<Fault>,
    version: Option<u32>,
}

impl Layer {
    fn wrong(&mut self, key: Option<&'static str>, message: String) {
        let mend = match key {
            Some(_) => "Another value holds in its place, and what is written was left as it is. Correct or remove it.",
            None => "It does nothing, and was left as it is. Correct or remove it.",
        };
        let fault = Fault::new(Code::InvalidSetting, message, mend);
        if let Some(key) = key {
            self.faults.entry(key).or_insert_with(|| fault.clone());
        }
        self.problems.push(fault);
    }

    /// Leaves out a guard's value that is weaker than it may be here, and says so. Whether it did.
    fn keep_safe(&mut self, key: &'static str, guard: Guard, floor: &Value, place: &str) -> bool {
        let Some(value) = self.written.get(key).filter(|value| guard.is_weaker(value, floor)) else { return false };
        let fault = Fault::new(
            Code::InvalidSetting,
            format!(
                "{place}: `{key}` is {} there, which is weaker than what the person has confirmed; it counts as {}.",
                said(value),
                said(floor)
            ),
            "A file or a variable can only make it safer. Make it weaker in the window's settings, or on a signed-in page.",
        );
        self.written.remove(key);
        self.faults.entry(key).or_insert_with(|| fault.clone());
        self.problems.push(fault);
        true
    }

    /// Takes up an entry; `place` says where a part of it stands.
    fn take(&mut self, key: &'static str, value: &Value, place: impl Fn(&[String]) -> String) {
        let Some(entry) = entry(key) else { return };
        let checked = check(entry, value);
        for wrong in checked.wrong {
            self.wrong(Some(key), format!("{}{}", place(&wrong.below), wrong.message));
        }
        if let Some(value) = checked.value {
            self.written.insert(key, value);
        }
        if !value.is_null() {
            self.raw.insert(key, value.clone());
        }
    }
}

/// Lays everything over each other.
///
/// Of guards that are held, nothing counts that is weaker than what is `confirmed`, or than the default; without that,
/// all of them do.
pub(crate) fn load(
    read: &Result<Option<String>, Fault>,
    file: &Path,
    overlay: &Overlay,
    confirmed: Option<(&Values, Held)>,
) -> Loaded {
    let (mut layer, broken) = match read {
        Ok(None) => (Layer::default(), None),
        Ok(Some(text)) => match of_file(text, file) {
            Ok(layer) => (layer, None),
            Err(broken) => (Layer::default(), Some(unreadable(file, &broken))),
        },
        Err(fault) => (Layer::default(), Some(fault.clone())),
    };
    let mut environment = of_environment(overlay);
    let mut in_file = Values::new();
    let held = confirmed.map(|(_, held)| held).unwrap_or_default();
    if let Some((confirmed, held)) = confirmed {
        for (entry, guard) in held_guards(held) {
            let default = (entry.default)();
            let floor = confirmed.get(entry.key).unwrap_or(&default);
            let left_out = layer.keep_safe(entry.key, guard, floor, &file.display().to_string());
            let written = layer.written.get(entry.key);
            environment.keep_safe(entry.key, guard, written.unwrap_or(floor), &variable(entry.key));
            if left_out || (written.is_none() && guard.is_weaker(&default, floor)) {
                in_file.insert(entry.key, floor.clone());
            }
        }
    }
    in_file.extend(layer.written.clone());
    let (values, sources) = merged(&in_file, &environment.written, &overlay.flags);
    let mut faults = layer.faults;
    faults.extend(environment.faults);
    let problems = broken.iter().cloned().chain(layer.problems).chain(environment.problems).collect();
    Loaded {
        settings: Settings::of(&values),
        values,
        sources,
        written: layer.written,
        raw: layer.raw,
        faults,
        problems,
        broken,
        version: layer.version,
        held,
    }
}

/// A guard's value as a message says it: of a list, what is in it.
fn said(value: &Value) -> String {
    if value.is_array() { excerpt(&crate::written(value), SAID_CHARS) } else { shown(value) }
}

/// The fault of a file that is no settings file.
pub(crate) fn unreadable(file: &Path, broken: &Broken) -> Fault {
    Fault::new(
        Code::SettingsFile,
        format!("{} can't be read: {} ({}).", file.display(), broken.cause, broken.at),
        "Nothing of it is in force, and it was left as it is. Correct it; a running gate reads it at once.",
    )
}

fn of_file(text: &str, file: &Path) -> Result<Layer, Broken> {
    let document = Document::parse(text)?;
    let sections = match &document.root.what {
        What::Map { entries, .. } => entries.as_slice(),
        What::Value(Value::Null) => &[],
        What::Value(_) | What::List { .. } => {
            let cause = "settings are a table of sections, e.g. `window:`".to_owned();
            return Err(Broken { cause, at: crate::Spot::of(text, document.root.span.start) });
        }
    };
    let mut layer = Layer { version: Some(0), ..Layer::default() };
    let place = |path: &[&str]| match document.spot(path) {
        Some(spot) => format!("{}, {spot}: ", file.display()),
        None => format!("{}: ", file.display()),
    };
    if let Some(version) = document.root.at(&["version"]).map(|node| node.value()) {
        match version.as_u64().and_then(|version| u32::try_from(version).ok()) {
            Some(version) => layer.version = Some(version),
            None => {
                layer.version = Some(VERSION);
                let place = place(&["version"]);
                layer.wrong(None, format!("{place}`version` is {}; it may be {VERSION}.", shown(&version)));
            }
        }
    }
    let version = layer.version.unwrap_or_default();
    if version > VERSION {
        layer.wrong(None, format!("{}version {version} is newer than this program, which knows {VERSION}; what it knows of the file holds.", place(&["version"])));
    }
    for (name, section) in sections {
        let name = name.name();
        if name == "version" {
            continue;
        }
        let is_known = SETTINGS.iter().any(|entry| entry.path().0 == name) || migrate::knows_section(&name, version);
        if !is_known {
            layer.wrong(None, format!("{}`{}` is no section of the settings.", place(&[&name]), excerpt(&name, 60)));
            continue;
        }
        match table(section) {
            Ok(entries) => {
                for (key, value) in entries {
                    let full = format!("{name}.{key}");
                    let known = entry(migrate::present_name(&full, version)).map(|entry| entry.key);
                    let Some(known) = known else {
                        let spot = place(&[&name, &key]);
                        layer.wrong(None, format!("{spot}`{}` is no setting.", excerpt(&full, 100)));
                        continue;
                    };
                    layer.take(known, &value, |below| {
                        let below = below.iter().map(String::as_str);
                        let path: Vec<&str> = [name.as_str(), key.as_str()].into_iter().chain(below).collect();
                        place(&path)
                    });
                }
            }
            Err(found) => {
                let spot = place(&[&name]);
                let found = shown(&found);
                layer.wrong(None, format!("{spot}`{name}` is {found}; it may be a table of settings."));
            }
        }
    }
    Ok(layer)
}

/// The entries of a section, in the file's order; the value itself where it is no table.
fn table(section: &Node) -> Result<Vec<(String, Value)>, Value> {
    match &section.what {
        What::Map { entries, .. } => Ok(entries.iter().map(|(key, value)| (key.name(), value.value())).collect()),
        What::Value(Value::Null) => Ok(Vec::new()),
        // What an alias stands for.
        What::Value(Value::Object(entries)) => Ok(entries.clone().into_iter().collect()),
        What::Value(_) | What::List { .. } => Err(section.value()),
    }
}

/// The variable that sets a setting.
fn variable(key: &str) -> String {
    format!("{PREFIX}{SEPARATOR}{}", key.replace('.', SEPARATOR).to_uppercase())
}

fn of_environment(overlay: &Overlay) -> Layer {
    let mut layer = Layer::default();
    let mut environment = Environment::with_prefix(PREFIX)
        .prefix_separator(SEPARATOR)
        .separator(SEPARATOR)
        .try_parsing(true)
        .list_separator(",");
    for entry in SETTINGS.iter().filter(|entry| entry.shape.is_list()) {
        environment = environment.with_list_parse_key(entry.key);
    }
    let names: BTreeMap<String, String> = overlay.environment.clone();
    let collected = match environment.source(Some(names.into_iter().collect())).collect() {
        Ok(collected) => collected,
        Err(error) => {
            layer.wrong(None, format!("The environment can't be read: {error}."));
            return layer;
        }
    };
    let mut tables: BTreeMap<&'static str, Map<String, Value>> = BTreeMap::new();
    for (name, value) in collected.into_iter().collect::<BTreeMap<_, _>>() {
        let Ok(mut value) = value.try_deserialize::<Value>() else { continue };
        // A list that is written as nothing is an empty one.
        if let Some(items) = value.as_array_mut() {
            items.retain(|item| item.as_str().is_none_or(|text| !text.trim().is_empty()));
        }
        match (entry(&name), table_of(&name)) {
            (Some(entry), _) if entry.shape.is_list() && value.as_str() == Some("") => {
                layer.take(entry.key, &Value::Array(Vec::new()), |_| String::new());
            }
            (Some(entry), _) => layer.take(entry.key, &value, |_| format!("{}: ", variable(entry.key))),
            (None, Some((key, below))) => drop(tables.entry(key).or_default().insert(below.to_owned(), value)),
            (None, None) => layer.wrong(None, format!("{} names no setting.", excerpt(&variable(&name), 100))),
        }
    }
    for (key, table) in tables {
        layer.take(key, &Value::Object(table), |_| format!("{}: ", variable(key)));
    }
    layer
}

/// The setting that is a table, and the name in it, that a variable means.
fn table_of(name: &str) -> Option<(&'static str, &str)> {
    let mut tables = SETTINGS.iter().filter(|entry| matches!(entry.shape, Shape::Waiting { .. }));
    tables.find_map(|entry| Some((entry.key, name.strip_prefix(entry.key)?.strip_prefix('.')?)))
}

/// Values that the layers' library takes.
#[derive(Debug, Clone)]
struct Given(Values);

impl Source for Given {
    fn clone_into_box(&self) -> Box<dyn Source + Send + Sync> {
        Box::new(self.clone())
    }

    fn collect(&self) -> Result<config::Map<String, config::Value>, ConfigError> {
        Ok(self.0.iter().map(|(key, value)| ((*key).to_owned(), layered(value))).collect())
    }
}

fn layered(value: &Value) -> config::Value {
    let kind = match value {
        Value::Null => ValueKind::Nil,
        Value::Bool(on) => ValueKind::Boolean(*on),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => ValueKind::I64(whole),
            None => ValueKind::Float(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => ValueKind::String(text.clone()),
        Value::Array(items) => ValueKind::Array(items.iter().map(layered).collect()),
        Value::Object(entries) => {
            ValueKind::Table(entries.iter().map(|(name, value)| (name.clone(), layered(value))).collect())
        }
    };
    config::Value::new(None, kind)
}

fn merged(file: &Values, environment: &Values, flags: &Values) -> (Values, BTreeMap<&'static str, SettingSource>) {
    let given = |values: &Values| Given(values.clone());
    let defaults = defaults();
    let layers = Config::builder()
        .add_source(Given(defaults.clone()))
        .add_source(given(file))
        .add_source(given(environment))
        .add_source(given(flags))
        .build()
        .unwrap_or_default();
    let value = |key: &'static str| {
        let found = layers.get::<Value>(key).ok();
        found.or_else(|| defaults.get(key).cloned()).unwrap_or_default()
    };
    let has = |values: &Values| values.keys().copied().collect::<BTreeSet<_>>();
    let (in_file, in_environment, in_flags) = (has(file), has(environment), has(flags));
    let source = |key| match key {
        key if in_flags.contains(key) => SettingSource::Flag,
        key if in_environment.contains(key) => SettingSource::Environment,
        key if in_file.contains(key) => SettingSource::File,
        _ => SettingSource::Default,
    };
    let keys = || SETTINGS.iter().map(|entry| entry.key);
    (keys().map(|key| (key, value(key))).collect(), keys().map(|key| (key, source(key))).collect())
}
