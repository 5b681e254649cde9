//! What templates give.

use gate_core::{ArgumentType, Code, PromptContent, PromptRole};

use super::{NOW, TestFolders, given, text};

type Given = &'static [(&'static str, &'static str)];

fn one(template: &str, arguments: &[(&str, &str)]) -> String {
    let test = TestFolders::with(&[("p.md", template)]);
    let set = test.open().current();
    assert_eq!(set.problems(), [], "{template}");
    text(&set, "p", arguments).unwrap_or_else(|refused| panic!("{template}: {refused:?}"))
}

#[test]
fn helpers_give_what_the_documentation_says() {
    let list = "---\narguments: [{name: a, type: list}]\n---\n";
    let rows: &[(&str, Given, &str)] = &[
        ("{{a}} <b> & \"c\"", &[("a", "<x> & 'y'")], "<x> & 'y' <b> & \"c\""),
        ("{{{a}}}", &[("a", "<x>")], "<x>"),
        ("{{upper a}} {{lower a}}", &[("a", "Größe")], "GRÖSSE größe"),
        ("{{default a \"none\"}}", &[], "none"),
        ("{{default a b}}", &[("b", "B")], "B"),
        ("{{#if (and a (not b))}}yes{{else}}no{{/if}}", &[("a", "1")], "yes"),
        ("{{#if (or (eq a \"x\") (ne b \"y\"))}}yes{{else}}no{{/if}}", &[("a", "z"), ("b", "y")], "no"),
        ("{{#eq a \"x\"}}same{{else}}other{{/eq}}", &[("a", "x")], "same"),
        ("{{code a lang=\"rust\"}}", &[("a", "let x = 1;")], "```rust\nlet x = 1;\n```"),
        ("{{code a}}", &[("a", "````\nx\n````\n")], "`````\n````\nx\n````\n`````"),
        ("{{json a}}", &[("a", "x\"y")], "\"x\\\"y\""),
        ("{{indent a by=4}}", &[("a", "x\n\ny")], "    x\n\n    y"),
        (
            "{{date}} {{date format=\"DD.MM.YYYY HH:mm:ss, dddd, MMMM\"}}",
            &[],
            "2026-11-21 21.11.2026 03:49:21, Saturday, November",
        ),
        ("{{code}} {{list}}", &[("code", "c"), ("list", "l")], "c l"),
        ("\\{{a}} {{!-- not seen --}}{{! nor this }}x", &[], "{{a}} x"),
        ("{{{{raw}}}}{{a}}{{{{/raw}}}}", &[], "{{a}}"),
        ("{{#*inline \"i\"}}<{{x}}>{{/inline}}{{> i x=a}}", &[("a", "1")], "<1>"),
    ];
    for (template, arguments, wanted) in rows {
        assert_eq!(one(template, arguments), *wanted, "{template}");
    }
    let given = [("a", "x, y")];
    assert_eq!(one(&format!("{list}{{{{list a}}}}"), &given), "- x\n- y");
    assert_eq!(one(&format!("{list}{{{{join a sep=\" + \"}}}}"), &given), "x + y");
    assert_eq!(
        one(
            &format!(
                "{list}{{{{#each a}}}}{{{{@index}}}}={{{{this}}}}{{{{#unless @last}}}};{{{{/unless}}}}{{{{/each}}}}"
            ),
            &given
        ),
        "0=x;1=y"
    );
    assert_eq!(
        one(
            &format!("{list}{{{{#each a as |i|}}}}{{{{i}}}}{{{{@root.b}}}}{{{{/each}}}}"),
            &[("a", "[\"x,y\", 2]"), ("b", "!")]
        ),
        "x,y!2!"
    );
}

#[test]
fn an_argument_is_a_secret_where_its_file_says_so() {
    let prompt = "arguments:\n  - {name: a, secret: true}\n  - {name: b, secret: no}\ntemplate: '{{a}} {{b}} {{c}}'\n";
    let test = TestFolders::with(&[("p.yaml", prompt)]);
    let set = test.open().current();
    assert_eq!(set.problems(), []);
    let arguments = &set.entry("p").unwrap().prompt.arguments;
    let secrets: Vec<_> = arguments.iter().filter(|argument| argument.secret).map(|argument| &*argument.name).collect();
    assert_eq!(secrets, ["a"]);
    assert_eq!(text(&set, "p", &[("a", "x"), ("b", "y")]).unwrap(), "x y", "the agent gets it as any other");
}

#[test]
fn arguments_are_what_they_are_declared_to_be() {
    let prompt = "arguments:\n  - {name: n, type: number}\n  - {name: b, type: boolean, default: no}\n  \
        - {name: e, values: [Low, High], default: low}\n  - {name: l, type: list, values: [a, B]}\n  \
        - {name: r, required: true, description: what to read}\n\
        template: '{{n}}|{{b}}|{{e}}|{{join l}}|{{r}}|{{extra}}'\n";
    let test = TestFolders::with(&[("p.yaml", prompt)]);
    let set = test.open().current();
    assert_eq!(set.problems(), []);
    let served = &set.entry("p").unwrap().prompt;
    let kinds: Vec<_> =
        served.arguments.iter().map(|argument| (argument.name.as_str(), argument.kind, argument.inferred)).collect();
    assert_eq!(
        kinds,
        [
            ("n", ArgumentType::Number, false),
            ("b", ArgumentType::Boolean, false),
            ("e", ArgumentType::Enum, false),
            ("l", ArgumentType::List, false),
            ("r", ArgumentType::String, false),
            ("extra", ArgumentType::String, true),
        ]
    );
    assert_eq!(text(&set, "p", &[("r", "x")]).unwrap(), "|false|Low||x|", "defaults hold, and none is nothing");
    let all = [("n", " 2.5 "), ("b", "Yes"), ("e", "HIGH"), ("l", "b,A"), ("r", "x"), ("extra", "y")];
    assert_eq!(text(&set, "p", &all).unwrap(), "2.5|true|High|B, a|x|y");
    let later = [("n", "$1"), ("b", "$2"), ("e", "$3"), ("l", "$4"), ("r", "$5"), ("extra", "$6")];
    assert_eq!(text(&set, "p", &later).unwrap(), "|false|Low||$5|$6", "a client puts values in where they fit");
    let refused: &[(Given, &str, &str, &str)] = &[
        (&[], "r", "The argument `r` is missing.", "It is for: what to read."),
        (&[("r", "")], "r", "The argument `r` is missing.", "It is for: what to read."),
        (&[("r", "x"), ("n", "many")], "n", "The argument `n` can't be `many`.", "It is a number."),
        (&[("r", "x"), ("n", "$1.50")], "n", "The argument `n` can't be `$1.50`.", "It is a number."),
        (&[("r", "x"), ("b", "2")], "b", "The argument `b` can't be `2`.", "It is `true` or `false`."),
        (
            &[("r", "x"), ("e", "hihg")],
            "e",
            "The argument `e` can't be `hihg`.",
            "Did you mean `High`? It is one of `Low` and `High`.",
        ),
        (&[("r", "x"), ("l", "a,c")], "l", "The argument `l` can't be `a,c`.", "It holds any of `a` and `B`."),
        (
            &[("r", "x"), ("extr", "c")],
            "extr",
            "The prompt `p` has no argument `extr`.",
            "Did you mean `extra`? It takes `n`, `b`, `e`, `l`, `r` and `extra`.",
        ),
    ];
    for (arguments, argument, message, mend) in refused {
        let told = text(&set, "p", arguments).unwrap_err();
        assert_eq!((told.fault.code, told.argument.as_deref()), (Code::Prompt, Some(*argument)));
        assert_eq!((told.fault.message.as_str(), told.fault.mend.as_str()), (*message, *mend));
    }
    let long = "x".repeat(gate_core::bounds::PROMPT_ARGUMENT_BYTES + 1);
    assert_eq!(text(&set, "p", &[("r", &long)]).unwrap_err().fault.code, Code::TooLarge);
    let unknown = text(&set, "code_reviw", &[]).unwrap_err();
    assert_eq!((unknown.fault.code, unknown.fault.mend.as_str()), (Code::UnknownPrompt, "Did you mean `code_review`?"));
}

#[test]
fn messages_and_resources_are_rendered_in_order() {
    let prompt = "messages:\n  - role: user\n    content: Hello {{name}}\n  - role: assistant\n    content: {type: text, text: Yes}\n  \
        - content: {type: resource, uri: 'file:///{{name}}.md', mime_type: text/markdown, text: '# {{name}}'}\n";
    let test = TestFolders::with(&[("p.yaml", prompt)]);
    let set = test.open().current();
    let rendered = set.render("p", &given(&[("name", "x")]), NOW).unwrap();
    let said: Vec<_> = rendered.messages.into_iter().map(|message| (message.role, message.content)).collect();
    let text = |text: &str| PromptContent::Text { text: text.into() };
    let resource =
        PromptContent::Resource { uri: "file:///x.md".into(), mime_type: "text/markdown".into(), text: "# x".into() };
    assert_eq!(
        said,
        [(PromptRole::User, text("Hello x")), (PromptRole::Assistant, text("Yes")), (PromptRole::User, resource)]
    );
}

#[test]
fn the_arguments_of_partials_are_the_prompts_own() {
    let files = [
        ("p.md", "{{> a}} {{> b who=me}} {{#> layout}}{{inside}}{{/layout}}"),
        ("_partials/a.hbs", "{{from_a}}{{> deep/c}}"),
        ("_partials/b.md", "{{who}}{{from_b}}"),
        ("_partials/deep/c.txt", "{{from_c}}"),
        ("_partials/layout.hbs", "[{{> @partial-block}}]"),
    ];
    let test = TestFolders::with(&files);
    let set = test.open().current();
    assert_eq!(set.problems(), []);
    let names: Vec<_> = set.entry("p").unwrap().prompt.arguments.iter().map(|argument| argument.name.clone()).collect();
    assert_eq!(names, ["me", "inside", "from_a", "from_c", "from_b"]);
    let all = [("me", "M"), ("inside", "I"), ("from_a", "A"), ("from_b", "B"), ("from_c", "C")];
    assert_eq!(text(&set, "p", &all).unwrap(), "AC MB [I]");
    let source = set.source("p").unwrap();
    assert_eq!(
        source.instructions, "{{from_a}}{{from_c}} {{me}}{{from_b}} [{{inside}}]",
        "each argument stands as its name"
    );
}
