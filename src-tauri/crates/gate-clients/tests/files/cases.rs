//! Configuration files as people have them, and as they shouldn't be.

use gate_clients::Client;

/// A file that can be merged into, byte for byte.
pub(crate) struct Good {
    pub(crate) name: &'static str,
    pub(crate) client: Client,
    pub(crate) before: &'static str,
}

/// A file that has to be left alone.
pub(crate) struct Bad {
    pub(crate) name: &'static str,
    pub(crate) client: Client,
    pub(crate) before: &'static [u8],
    /// What the fault says.
    pub(crate) says: &'static str,
}

const fn good(name: &'static str, client: Client, before: &'static str) -> Good {
    Good { name, client, before }
}

const fn bad(name: &'static str, client: Client, before: &'static [u8], says: &'static str) -> Bad {
    Bad { name, client, before, says }
}

use Client::{
    ClaudeCode, ClaudeDesktop, Cline, Codex, Cursor, Gemini, Goose, JetBrains, OpenCode, VsCode, Windsurf, Zed,
};

pub(crate) const GOOD: &[Good] = &[
    good("empty file", Cursor, ""),
    good("blanks only", Cursor, " \n\n"),
    good("empty object", Cursor, "{}"),
    good("empty object with a line end", Cursor, "{}\n"),
    good("empty object over lines", Cursor, "{\n}\n"),
    good("empty object with blanks", Cursor, "{   }"),
    good("no servers yet", Cursor, "{\n  \"theme\": \"dark\"\n}\n"),
    good("empty group", Cursor, "{\n  \"mcpServers\": {}\n}\n"),
    good("empty group over lines", Cursor, "{\n  \"mcpServers\": {\n  }\n}\n"),
    good("another setting only", Cursor, "{\n  \"a\": 1\n}"),
    good("one server", Cursor, "{\n  \"mcpServers\": {\n    \"a\": { \"command\": \"x\" }\n  }\n}\n"),
    good("no line end at the end", Cursor, "{\n  \"mcpServers\": {\n    \"a\": { \"command\": \"x\" }\n  }\n}"),
    good("many line ends at the end", Cursor, "{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n\n\n"),
    good("tabs", Cursor, "{\n\t\"mcpServers\": {\n\t\t\"a\": {\n\t\t\t\"command\": \"x\"\n\t\t}\n\t}\n}\n"),
    good("four blanks", Cursor, "{\n    \"mcpServers\": {\n        \"a\": {}\n    }\n}\n"),
    good("three blanks", Cursor, "{\n   \"mcpServers\": {\n      \"a\": {}\n   }\n}\n"),
    good("CRLF", Cursor, "{\r\n  \"mcpServers\": {\r\n    \"a\": {}\r\n  }\r\n}\r\n"),
    good("CRLF without servers", Cursor, "{\r\n  \"b\": [1,\r\n 2]\r\n}\r\n"),
    good("byte order mark", Cursor, "\u{feff}{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n"),
    good("byte order mark and CRLF", Cursor, "\u{feff}{\r\n  \"mcpServers\": {}\r\n}\r\n"),
    good("byte order mark alone", Cursor, "\u{feff}"),
    good("minified", Cursor, "{\"mcpServers\":{\"a\":{\"command\":\"x\",\"args\":[\"-y\"]}}}"),
    good("minified, empty group", Cursor, "{\"mcpServers\":{},\"b\":[1,2]}"),
    good("minified, no group", Cursor, "{\"a\":1}"),
    good("one line with blanks", Cursor, "{ \"mcpServers\": { \"a\": { \"command\": \"x\" } }, \"b\": 2 }\n"),
    good("group on one line of many", Cursor, "{\n  \"mcpServers\": { \"a\": {} },\n  \"b\": 1\n}\n"),
    good("group in the middle", Cursor, "{\n  \"z\": 1,\n  \"mcpServers\": {\n    \"a\": {}\n  },\n  \"b\": 2\n}\n"),
    good(
        "group at the end",
        Cursor,
        "{\n  \"z\": 1,\n  \"b\": { \"c\": [] },\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n",
    ),
    good("brace on the last line", Cursor, "{\n  \"mcpServers\": {\n    \"a\": {} } }\n"),
    good(
        "brackets as in Allman's style",
        Cursor,
        "{\n  \"mcpServers\":\n  {\n    \"a\":\n    {\n      \"command\": \"x\"\n    }\n  }\n}\n",
    ),
    good(
        "non-ASCII names",
        Cursor,
        "{\n  \"mcpServers\": {\n    \"Bücher 书\": { \"command\": \"/home/you/Büro/书\" }\n  }\n}\n",
    ),
    good(
        "escapes",
        Cursor,
        "{\n  \"mcpServers\": {\n    \"a\\u00e9\\n\\\"\": { \"command\": \"C:\\\\x\\\\y\" }\n  }\n}\n",
    ),
    good(
        "numbers of every kind",
        Cursor,
        "{\n  \"n\": [1.50, -0, 1e400, 12345678901234567890123],\n  \"mcpServers\": { }\n}\n",
    ),
    good(
        "two groups of one name",
        Cursor,
        "{\n  \"mcpServers\": {\n    \"a\": {}\n  },\n  \"mcpServers\": {\n    \"b\": {}\n  }\n}\n",
    ),
    good(
        "deep nesting",
        Cursor,
        "{\n  \"a\": {\"b\": {\"c\": {\"d\": {\"e\": [[[[{\"mcpServers\": {}}]]]]}}}},\n  \"mcpServers\": {\n    \"x\": {}\n  }\n}\n",
    ),
    good(
        "server names like ours",
        Cursor,
        "{\n  \"mcpServers\": {\n    \"review-gate-2\": {},\n    \"Review-Gate\": { \"command\": \"y\" }\n  }\n}\n",
    ),
    good(
        "Review Gate V2 beside it",
        Cursor,
        "{\n  \"mcpServers\": {\n    \"review-gate-v2\": {\n      \"command\": \"/home/you/cursor-extensions/review-gate-v2/venv/bin/python\",\n      \"args\": [\n        \"/home/you/cursor-extensions/review-gate-v2/review_gate_v2_mcp.py\"\n      ],\n      \"env\": {\n        \"PYTHONPATH\": \"/home/you/cursor-extensions/review-gate-v2\",\n        \"REVIEW_GATE_MODE\": \"cursor_integration\"\n      }\n    }\n  }\n}\n",
    ),
    good(
        "an older entry of ours",
        Cursor,
        "{\n  \"mcpServers\": {\n    \"review-gate\": {\n      \"command\": \"/old/place/review-gate\",\n      \"args\": [\"mcp\"],\n      \"env\": { \"REVIEW_GATE_HOME\": \"/home/you/rg\" }\n    },\n    \"z\": {}\n  }\n}\n",
    ),
    good(
        "an older entry without arguments",
        Cursor,
        "{\n  \"mcpServers\": {\n    \"review-gate\": { \"command\": \"review-gate\" }\n  }\n}\n",
    ),
    good(
        "Claude Code's state",
        ClaudeCode,
        "{\n  \"numStartups\": 12,\n  \"projects\": {\n    \"/home/you/x\": {\n      \"mcpServers\": {},\n      \"history\": [{ \"display\": \"say \\\"hi\\\" // no\" }]\n    }\n  },\n  \"mcpServers\": {\n    \"github\": {\n      \"type\": \"http\",\n      \"url\": \"https://example.com\"\n    }\n  },\n  \"userID\": \"f00\"\n}",
    ),
    good("Claude Code's state without servers", ClaudeCode, "{\n  \"numStartups\": 12,\n  \"projects\": {}\n}"),
    good(
        "Claude Desktop's preferences",
        ClaudeDesktop,
        "{\n  \"globalShortcut\": \"\",\n  \"preferences\": {\n    \"menuBarEnabled\": false\n  }\n}\n",
    ),
    good(
        "Claude Desktop's servers",
        ClaudeDesktop,
        "{\n  \"mcpServers\": {\n    \"filesystem\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"@modelcontextprotocol/server-filesystem\", \"/home/you\"]\n    }\n  }\n}",
    ),
    good(
        "VS Code with inputs",
        VsCode,
        "{\n\t\"inputs\": [\n\t\t{ \"type\": \"promptString\", \"id\": \"key\", \"password\": true }\n\t],\n\t\"servers\": {\n\t\t\"a\": {\n\t\t\t\"type\": \"stdio\",\n\t\t\t\"command\": \"x\",\n\t\t\t\"env\": { \"KEY\": \"${input:key}\" }\n\t\t}\n\t}\n}",
    ),
    good(
        "VS Code with comments",
        VsCode,
        "// my servers\n{\n\t/* all of them */\n\t\"servers\": {\n\t\t// the first\n\t\t\"a\": { \"command\": \"x\" }, // and only\n\t\t// \"b\": { \"command\": \"y\" }\n\t},\n}\n// end\n",
    ),
    good(
        "VS Code, trailing commas",
        VsCode,
        "{\n\t\"servers\": {\n\t\t\"a\": {\n\t\t\t\"command\": \"x\",\n\t\t\t\"args\": [\"1\",],\n\t\t},\n\t},\n}\n",
    ),
    good("VS Code, only a comment in the group", VsCode, "{\n\t\"servers\": {\n\t\t// none yet\n\t}\n}\n"),
    good("VS Code, only a comment in the file", VsCode, "// nothing\n"),
    good("VS Code, a comment behind a comma", VsCode, "{\n\t\"servers\": {\n\t\t\"a\": {}, /* one */ // two\n\t}\n}\n"),
    good("VS Code, a comment in braces on one line", VsCode, "{ \"servers\": { /* none, } */ } }\n"),
    good(
        "Windsurf",
        Windsurf,
        "{\n  \"mcpServers\": {\n    \"a\": {\n      \"serverUrl\": \"https://example.com/mcp\"\n    }\n  }\n}\n",
    ),
    good(
        "Cline",
        Cline,
        "{\n  \"mcpServers\": {\n    \"a\": {\n      \"autoApprove\": [],\n      \"disabled\": false,\n      \"timeout\": 60,\n      \"type\": \"stdio\",\n      \"command\": \"x\"\n    }\n  }\n}",
    ),
    good(
        "Zed's settings",
        Zed,
        "// Zed settings\n//\n// For information on how to configure Zed, see the documentation.\n{\n  \"theme\": {\n    \"mode\": \"system\",\n    \"dark\": \"One Dark\",\n  },\n  // servers\n  \"context_servers\": {\n    \"a\": { \"source\": \"custom\", \"command\": \"x\", \"args\": [], \"env\": {} },\n  },\n  \"vim_mode\": true,\n}\n",
    ),
    good("Zed's settings without servers", Zed, "// Zed settings\n{\n  \"vim_mode\": true, // yes\n}\n"),
    good(
        "Gemini's settings",
        Gemini,
        "{\n  \"security\": { \"auth\": { \"selectedType\": \"oauth-personal\" } },\n  // theirs\n  \"mcpServers\": {\n    \"a\": { \"httpUrl\": \"https://example.com\", \"timeout\": 5000 }\n  }\n}",
    ),
    good("Junie", JetBrains, "{\n  \"mcpServers\": {\n  }\n}\n"),
    good(
        "opencode",
        OpenCode,
        "{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"mcp\": {\n    \"a\": {\n      \"type\": \"local\",\n      \"command\": [\"bun\", \"x\"],\n    },\n  },\n}\n",
    ),
    good(
        "opencode 2",
        OpenCode,
        "{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"mcp\": {\n    \"servers\": {\n      \"a\": { \"type\": \"local\", \"command\": [\"bun\", \"x\"], },\n    },\n  },\n}\n",
    ),
    good("Codex, empty", Codex, ""),
    good("Codex, without servers", Codex, "model = \"gpt-5\"\napproval_policy = \"on-request\"\n"),
    good("Codex, no line end", Codex, "model = \"gpt-5\""),
    good(
        "Codex, servers and profiles",
        Codex,
        "# mine\nmodel = \"gpt-5\" # the best\n\n[mcp_servers.a]\ncommand = \"npx\"\nargs = [\n  \"-y\", # yes\n  \"a\",\n]\n\n[mcp_servers.a.env]\nKEY = 'x'\n\n[profiles.fast]\nmodel = \"gpt-5-mini\"\n",
    ),
    good("Codex, CRLF", Codex, "model = \"gpt-5\"\r\n\r\n[mcp_servers.a]\r\ncommand = \"x\"\r\n"),
    good("Codex, byte order mark", Codex, "\u{feff}model = \"gpt-5\"\n"),
    good("Codex, a group with a header", Codex, "[mcp_servers]\n\n[mcp_servers.a]\ncommand = \"x\"\n\n\n"),
    good(
        "Codex, quoted and dotted keys",
        Codex,
        "[\"mcp_servers\".'b c']\ncommand = 'x'\n[mcp_servers]\na.command = \"y\"\n",
    ),
    good(
        "Codex, a server on one line",
        Codex,
        "[mcp_servers]\na = { command = \"x\", args = [\"1\"] }\n[other]\nwhen = 2026-11-21T10:00:00Z\n",
    ),
    good("Codex, all servers on one line", Codex, "mcp_servers = { a = { command = \"x\" } }\n"),
    good(
        "Codex, an older entry",
        Codex,
        "[mcp_servers.review-gate]\ncommand = \"/old/review-gate\"\nargs = [\"mcp\"]\n# keep\nenabled = true\n\n[tui]\ntheme = \"dark\"\n",
    ),
    good("Codex, non-ASCII", Codex, "[projects.\"/home/you/Bücher/书\"]\ntrust_level = \"trusted\"\n"),
    good("Goose, empty", Goose, ""),
    good(
        "Goose, as it writes it",
        Goose,
        "GOOSE_PROVIDER: anthropic\nGOOSE_MODEL: claude-sonnet\nextensions:\n  developer:\n    bundled: true\n    display_name: Developer\n    enabled: true\n    name: developer\n    timeout: 300\n    type: builtin\nGOOSE_MODE: auto\n",
    ),
    good(
        "Goose, extensions at the end",
        Goose,
        "model: x\nextensions:\n  a:\n    type: stdio\n    cmd: npx\n    args:\n    - -y\n    - a\n    envs: {}\n",
    ),
    good("Goose, without extensions", Goose, "# mine\nGOOSE_MODEL: x # yes\n"),
    good("Goose, no line end", Goose, "GOOSE_MODEL: x"),
    good("Goose, no extension yet", Goose, "extensions: {}\nGOOSE_MODEL: x\n"),
    good("Goose, nothing after the colon", Goose, "extensions:\nGOOSE_MODEL: x\n"),
    good(
        "Goose, comments and four blanks",
        Goose,
        "# top\nextensions:\n    # first\n    a:\n        enabled: true\n    # second\n    b:\n        enabled: false # off\n\n# models\nGOOSE_MODEL: x\n",
    ),
    good("Goose, CRLF", Goose, "extensions:\r\n  a:\r\n    enabled: true\r\nGOOSE_MODEL: x\r\n"),
    good(
        "Goose, document marks and texts",
        Goose,
        "---\nextensions:\n  a:\n    description: |\n      # not a comment\n      extensions:\n        b: 1\n    enabled: true\nnote: >\n  folded\n  text\n",
    ),
    good(
        "Goose, an older entry",
        Goose,
        "extensions:\n  review-gate:\n    enabled: false\n    type: stdio\n    name: review-gate\n    cmd: /old/review-gate\n    args: [mcp]\n  z:\n    enabled: true\n",
    ),
    good("Goose, non-ASCII", Goose, "extensions:\n  书:\n    cmd: /home/you/Büro/书\n    enabled: true\n"),
];

pub(crate) const BAD: &[Bad] = &[
    bad("cut off", Cursor, b"{\n  \"mcpServers\": {\n    \"a\": {", "line"),
    bad("a comma missing", Cursor, b"{\n  \"a\": 1\n  \"mcpServers\": {}\n}\n", "line 2, column 9"),
    bad("single quotes", Cursor, b"{\n  'a': 1\n}\n", "line 2, column 3"),
    bad("a bare word", Cursor, b"{\n  a: 1\n}\n", "line 2, column 3"),
    bad("two documents", Cursor, b"{}\n{}\n", "line 2, column 1"),
    bad("an open comment", VsCode, b"{\n  /* \"servers\": {}\n}\n", "line 2, column 3"),
    bad("a list", Cursor, b"[]\n", "holds no group"),
    bad("a text", Cursor, b"\"mcp\"\n", "holds no group"),
    bad("servers as a list", Cursor, b"{\"mcpServers\": []}\n", "`mcpServers`"),
    bad("servers as a text", VsCode, b"{\"servers\": \"none\"}\n", "`servers`"),
    bad("UTF-16", Cursor, b"\xff\xfe{\x00}\x00", "no UTF-8 text in line 1"),
    bad("Latin-1", Cursor, b"{\n  \"name\": \"B\xfccher\"\n}\n", "no UTF-8 text in line 2"),
    bad("zero bytes", Cursor, b"\0\0\0\0", "line 1"),
    bad("merge conflict", Cursor, b"{\n<<<<<<< HEAD\n  \"a\": 1\n=======\n>>>>>>> b\n}\n", "line 2"),
    bad("TOML with a value missing", Codex, b"model = \"x\"\n[mcp_servers.a]\ncommand =\n", "line 3"),
    bad("TOML with a key twice", Codex, b"a = 1\na = 2\n", "line 2, column 1"),
    bad("TOML with a table twice", Codex, b"[a]\n[b]\n[a]\n", "line 3"),
    bad("TOML, servers as a number", Codex, b"mcp_servers = 3\n", "`mcp_servers`"),
    bad("TOML, servers as a list", Codex, b"[[mcp_servers]]\ncommand = \"x\"\n", "`mcp_servers`"),
    bad("JSON in a TOML file", Codex, b"{\"mcp_servers\": {}}\n", "line 1, column"),
    bad("YAML with a tab", Goose, b"extensions:\n\ta: 1\n", "line 2"),
    bad("YAML with a key twice", Goose, b"a: 1\nextensions: {}\na: 2\n", "line 3, column 1"),
    bad("YAML with a bracket open", Goose, b"extensions:\n  a: [1\nb: 2\n", "line"),
    bad("YAML, extensions as a list", Goose, b"extensions:\n- a\n", "`extensions`"),
    bad("YAML, extensions in braces", Goose, b"extensions: {a: {enabled: true}}\n", "`extensions`"),
    bad("YAML with two documents", Goose, b"a: 1\n---\nb: 2\n", "without risk"),
    bad("YAML, a list", Goose, b"- a\n- b\n", "holds no group"),
];
