//! Files that make no prompt, or not the one that was meant: each is told with its place, in a sentence.

use gate_core::PromptFormat;

use crate::file::read;

/// Extension, text, line, column (0 for none), and how the message begins.
type Row = (&'static str, &'static str, u32, u32, &'static str);

const ROWS: &[Row] = &[
    ("yaml", "", 1, 1, "The file is empty."),
    ("yaml", "# nothing\n", 1, 1, "The file is empty."),
    ("yaml", "just text\n", 1, 1, "A prompt is a mapping of fields, and this is a single value."),
    ("yaml", "- a\n- b\n", 1, 1, "A prompt is a mapping of fields, and this is a list."),
    ("yaml", "title: x\n", 1, 1, "The prompt has no text: `template` and `messages` are missing."),
    ("yaml", "template: a\ncontent: b\n", 2, 1, "A prompt has `template` or `content`, not both."),
    ("yaml", "template: a\nmessages: []\n", 2, 1, "A prompt has `template` or `messages`, not both."),
    ("yaml", "template: ''\n", 1, 11, "`template` is empty."),
    ("yaml", "template: {{name}}\n", 1, 12, "A list or a mapping can't be the name of an entry."),
    ("yaml", "template: [a]\n", 1, 11, "`template` has to be a text, and is a list."),
    ("yaml", "title: a: b\ntemplate: x\n", 1, 9, "This is no YAML: mapping values are not allowed in this context."),
    ("yaml", "title: \"x\ntemplate: x\n", 1, 8, "This is no YAML: "),
    ("yaml", "title: [a\ntemplate: x\n", 2, 9, "This is no YAML: "),
    ("yaml", "title: *nobody\ntemplate: x\n", 1, 8, "This is no YAML: while parsing node, found unknown anchor."),
    ("yaml", "title: a\ntitle: b\ntemplate: x\n", 2, 1, "`title` stands here a second time."),
    ("yaml", "template: |\r  a\r  {{#if b}}\r", 3, 3, "`{{#if b}}` is never closed."),
    ("md", "---\rtitle: [a]\r---\rtext\r", 2, 8, "`title` has to be a text, and is a list."),
    ("yaml", "template: x\n---\ntemplate: y\n", 2, 1, "A second document begins here, and a prompt's file is one."),
    ("yaml", "title: [a, b]\ntemplate: x\n", 1, 8, "`title` has to be a text, and is a list."),
    ("yaml", "description: {a: b}\ntemplate: x\n", 1, 14, "`description` has to be a text, and is a mapping."),
    ("yaml", "title: \"a\\x07\"\ntemplate: x\n", 1, 8, "`title` holds a control character."),
    ("yaml", "icon: http://a.b/c.png\ntemplate: x\n", 1, 7, "This can't be the icon of a prompt."),
    ("yaml", "icon: javascript:x\ntemplate: x\n", 1, 7, "This can't be the icon of a prompt."),
    ("yaml", "template: x\nargments: []\n", 2, 1, "`argments` is no field of a prompt."),
    ("yaml", "template: x\nparameters: []\n", 2, 1, "`parameters` is no field of a prompt."),
    ("yaml", "template: x\nowner: me\n", 2, 1, "`owner` is no field of a prompt."),
    ("yaml", "template: x\narguments: file\n", 2, 12, "`arguments` has to be a list, and is a single value."),
    ("yaml", "template: x\narguments:\n  - title: a\n", 3, 5, "This argument has no name."),
    ("yaml", "template: x\narguments:\n  - [a]\n", 3, 5, "An argument can't be a list."),
    ("yaml", "template: x\narguments:\n  - a b\n", 3, 5, "`a b` can't be the name of an argument."),
    (
        "yaml",
        "template: x\narguments: [this]\n",
        2,
        13,
        "`this` means something else in a template, and can't be an argument.",
    ),
    ("yaml", "template: x\narguments: [a, a]\n", 2, 16, "The argument `a` is declared twice."),
    ("yaml", "template: x\narguments:\n  a: {name: b}\n", 3, 7, "The argument `a` has its name already."),
    ("yaml", "template: x\narguments:\n  a: [b]\n", 3, 6, "What is said of `a` can't be a list."),
    ("yaml", "template: x\narguments:\n  - name: a\n    type: date\n", 4, 11, "There is no type `date`."),
    ("yaml", "template: x\narguments:\n  - name: a\n    type: strin\n", 4, 11, "There is no type `strin`."),
    ("yaml", "template: x\narguments:\n  - name: a\n    type: enum\n", 4, 11, "`a` is an enum without values."),
    (
        "yaml",
        "template: x\narguments:\n  - name: a\n    type: number\n    values: [1]\n",
        5,
        5,
        "`a` can't have values: only `enum` and `list` do.",
    ),
    (
        "yaml",
        "template: x\narguments:\n  - name: a\n    values: low\n",
        4,
        13,
        "`values` has to be a list, and is a single value.",
    ),
    ("yaml", "template: x\narguments:\n  - name: a\n    values: []\n", 4, 13, "`values` is empty."),
    (
        "yaml",
        "template: x\narguments:\n  - name: a\n    values: [low, Low]\n",
        4,
        19,
        "The value `Low` stands here a second time.",
    ),
    (
        "yaml",
        "template: x\narguments:\n  - name: a\n    values: [[b]]\n",
        4,
        14,
        "A value has to be a text that isn't empty.",
    ),
    ("yaml", "template: x\narguments:\n  - name: a\n    required: maybe\n", 4, 15, "`required` is `true` or `false`."),
    ("yaml", "template: x\narguments:\n  - name: a\n    secret: very\n", 4, 13, "`secret` is `true` or `false`."),
    (
        "yaml",
        "template: x\narguments:\n  - name: a\n    completes: folders\n",
        4,
        16,
        "The only thing that `completes` knows is `files`.",
    ),
    (
        "yaml",
        "template: x\narguments:\n  - name: a\n    type: number\n    default: many\n",
        5,
        14,
        "This can't be the default of `a`.",
    ),
    (
        "yaml",
        "template: x\narguments:\n  - name: a\n    values: [b]\n    default: c\n",
        5,
        14,
        "This can't be the default of `a`.",
    ),
    ("yaml", "template: x\narguments:\n  - name: a\n    default: [b]\n", 4, 14, "This can't be the default of `a`."),
    (
        "yaml",
        "template: x\narguments:\n  - name: a\n    required: true\n    default: b\n",
        5,
        5,
        "`a` is required, so its default is never used.",
    ),
    (
        "yaml",
        "template: x\narguments:\n  - name: a\n    descripton: b\n",
        4,
        5,
        "`descripton` is no field of an argument.",
    ),
    ("yaml", "template: x\narguments:\n  - name: a\n    options: [b]\n", 4, 5, "`options` is no field of an argument."),
    ("yaml", "messages: hello\n", 1, 11, "`messages` has to be a list, and is a single value."),
    ("yaml", "messages: []\n", 1, 11, "`messages` is empty."),
    ("yaml", "messages:\n  - hello\n", 2, 5, "A message is a mapping, and this is a single value."),
    ("yaml", "messages:\n  - role: user\n", 2, 5, "This message has no content."),
    ("yaml", "messages:\n  - role: system\n    content: x\n", 2, 11, "A prompt's messages have no role `system`."),
    ("yaml", "messages:\n  - role: boss\n    content: x\n", 2, 11, "A role is `user` or `assistant`."),
    ("yaml", "messages:\n  - content: {type: image, text: x}\n", 2, 21, "There is no content of type `image`."),
    ("yaml", "messages:\n  - content: {type: text}\n", 2, 14, "This content has no `text`."),
    ("yaml", "messages:\n  - content: {type: resource, text: x}\n", 2, 14, "This content has no `uri`."),
    (
        "yaml",
        "messages:\n  - content: {type: resource, uri: x, text: y}\n",
        2,
        36,
        "A resource's `uri` needs a scheme, and no blanks.",
    ),
    ("yaml", "template: |\n  a\n  b {{#if x}} c\n", 3, 5, "`{{#if x}}` is never closed."),
    ("yaml", "template: |\n  a {{name\n  b\n", 2, 5, "This `{{` is never closed."),
    ("yaml", "template: |\n  a\n\n  {{/if}}\n", 4, 3, "`{{/if}}` closes a block that was never opened."),
    ("yaml", "template: |\n  {{#if x}}{{/each}}\n", 2, 12, "`{{#if}}` is closed by `{{/each}}`."),
    ("yaml", "template: |\n  x {{a b.}} y\n", 2, 5, "`{{a b.}}` can't be read."),
    ("yaml", "template: |\n  x {{uper name}} y\n", 2, 5, "There is no helper `uper`."),
    ("yaml", "template: |\n  {{#items}}x{{/items}}\n", 2, 3, "There is no helper `items`."),
    ("yaml", "template: \"a {{join}} {{join a b}}\"\n", 1, 11, "`join` takes one value, and is given 2."),
    ("yaml", "template: |\n  {{join a by=1}}\n", 2, 3, "`join` has no option `by`."),
    ("yaml", "template: |\n  {{#join a}}{{/join}}\n", 2, 3, "`join` is no block."),
    ("yaml", "template: |\n  {{each a}}\n", 2, 3, "`each` is a block."),
    (
        "yaml",
        "template: |\n  {{#each a}}{{b}}{{/each}}\n",
        2,
        14,
        "In a block of `each` or `with`, `b` is a part of the item, and items have none.",
    ),
    (
        "yaml",
        "template: |\n  {{> (lookup a b)}}\n",
        2,
        3,
        "A partial's name has to stand in the template; it can't be worked out.",
    ),
    ("yaml", "template: |\n  {{#*other \"x\"}}{{/other}}\n", 2, 3, "There is no decorator `other`."),
    ("md", "---\ntitle: x\n", 1, 1, "The front matter that begins here is never closed."),
    ("md", "---\ntitle: x\n---\n\n", 4, 1, "The prompt has no text."),
    ("md", "---\ntitle: a: b\n---\nx\n", 2, 9, "This is no YAML: mapping values are not allowed in this context."),
    (
        "md",
        "---\ntemplate: y\n---\nx\n",
        2,
        1,
        "In Markdown the text below the front matter is the template, not `template`.",
    ),
    ("md", "---\nauthor: me\n---\nx\n", 2, 1, "`author` is no field of a prompt."),
    ("md", "---\ntitle: x\n---\nä {{#if\n", 4, 3, "This `{{` is never closed."),
    ("json", "", 1, 1, "This is no JSON: EOF while parsing a value."),
    ("json", "{\"template\": \"x\",}", 1, 18, "This is no JSON: trailing comma."),
    ("json", "{template: \"x\"}", 1, 2, "This is no JSON: key must be a string."),
    ("json", "{\n \"template\": 'x'\n}", 2, 14, "This is no JSON: expected value."),
    ("json", "{\"template\": \"x\", \"template\": \"y\"}", 1, 19, "`template` stands here a second time."),
    ("json", "{\"tile\": \"x\",\n \"template\": \"y\"}", 1, 2, "`tile` is no field of a prompt."),
    ("json", "[1]", 1, 1, "A prompt is a mapping of fields, and this is a list."),
];

#[test]
fn every_broken_file_is_told_with_its_place_in_a_sentence() {
    assert!(ROWS.len() >= 60, "the table has {} rows", ROWS.len());
    let mut wrong = Vec::new();
    for (extension, text, line, column, message) in ROWS {
        let format = match *extension {
            "md" => PromptFormat::Markdown,
            "json" => PromptFormat::Json,
            _ => PromptFormat::Yaml,
        };
        let read = read(text, format);
        let Some(first) = read.troubles.first() else {
            wrong.push(format!("{text:?} is told nothing of"));
            continue;
        };
        let at = first.at.map_or((0, 0), |at| (at.line, at.column));
        if at != (*line, *column) || !first.message.starts_with(message) {
            wrong.push(format!("{text:?}\n  is {at:?} {}\n  not {:?} {message}", first.message, (line, column)));
        }
        let sentence = first.message.ends_with('.') && first.mend.ends_with(['.', '?']);
        if !sentence || read.draft.is_some() != first.warning {
            wrong.push(format!("{text:?}: {first:?}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "\n{}", wrong.join("\n"));
}

#[test]
fn what_is_over_a_bound_is_told_with_the_bound() {
    let yaml = |text: String| read(&text, PromptFormat::Yaml).troubles[0].message.clone();
    let arguments = (0..60).map(|n| format!("  - a{n}\n")).collect::<String>();
    assert_eq!(yaml(format!("template: x\narguments:\n{arguments}")), "The prompt has more than 50 arguments.");
    let values = (0..300).map(|n| format!("v{n}, ")).collect::<String>();
    let many = format!("template: x\narguments:\n  - name: a\n    values: [{values}]\n");
    assert_eq!(yaml(many), "An argument has more than 200 values.");
    assert_eq!(yaml(format!("template: x\ntitle: {}\n", "é".repeat(201))), "`title` has more than 200 characters.");
    assert_eq!(
        yaml(format!("template: x\ndescription: {}\n", "a".repeat(4001))),
        "`description` has more than 4000 characters."
    );
    let messages = "  - content: x\n".repeat(51);
    assert_eq!(yaml(format!("messages:\n{messages}")), "The prompt has more than 50 messages.");
    let icon = format!("template: x\nicon: data:image/png;base64,{}\n", "A".repeat(17 * 1024));
    assert_eq!(yaml(icon), "The icon has more than 16384 bytes.");
    let deep = format!("title: {}x{}\ntemplate: x\n", "[".repeat(60), "]".repeat(60));
    assert_eq!(yaml(deep), "Lists and mappings are nested more than 32 deep here.");
}
