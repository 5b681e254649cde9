// The mock gate's clients: all that are known, in mixed states. Scenes: `empty` (none is here), `client-fault`,
// `client-folder` (one is connected in a folder only).
import type { ClientScope } from '../generated/ClientScope';
import type { ClientState } from '../generated/ClientState';
import type { Command } from '../generated/Command';
import { ago } from './build';
import type { Answer } from '../state/port';
import type { MakeDouble } from './double';

/** Which clients keep permission in a file, and what is said of the others. */
function permission(name: string): Pick<ClientState, 'permission' | 'permission_note'> {
  const note = { id: `client-${name}-allow` };
  switch (name) {
    case 'claude-code':
    case 'codex':
    case 'gemini':
      return { permission: 'not_given', permission_note: null };
    case 'cline':
      return { permission: 'not_given', permission_note: note };
    case 'goose':
    case 'opencode':
      return { permission: 'not_needed', permission_note: note };
    default:
      return { permission: 'by_hand', permission_note: note };
  }
}

/** Which clients can hand over their permission questions, and what is said of that. */
function questions(name: string): Pick<ClientState, 'asks_here' | 'can_ask_here' | 'asks_here_note'> {
  const can = ['claude-code', 'codex', 'opencode'].includes(name);
  const every = ['cursor', 'vscode'].includes(name);
  const why = name === 'gemini' ? 'own-prompt' : every ? 'every-call' : 'no-way';
  const id = can ? `client-${name}-questions` : `client-questions-${why}`;
  return { asks_here: [], can_ask_here: can, asks_here_note: { id } };
}

function client(
  name: string,
  title: string,
  path: string,
  over: Partial<ClientState> = {},
  project: string | null = null,
): ClientState {
  const connected = over.connected ?? false;
  const file = (scope: 'user' | 'project', at: string, here: boolean) => ({
    ...{ scope, path: at, exists: here, connected: here && connected, fault: null },
  });
  return {
    ...{ client: name, title, found: false, connected, folders: [], elsewhere: false },
    files: [file('user', path, true), ...(project ? [file('project', project, false)] : [])],
    ...{ last_spoke: null, sessions: 0, rules: connected ? 'written' : 'none', time_out: null },
    toolsets: connected ? ['gate'] : [],
    ...permission(name),
    ...questions(name),
    note: { id: `client-${name}-next` },
    ...over,
  };
}

const BROKEN = {
  code: 'unreadable_file' as const,
  message: '~/.config/zed/settings.json isn’t JSON: line 14, column 2.',
  mend: 'Mend that line; nothing is written until then.',
};

const ALL = (): ClientState[] => [
  client(
    'claude-code',
    'Claude Code',
    '~/.claude.json',
    {
      found: true,
      connected: true,
      last_spoke: ago(190),
      sessions: 2,
      time_out: '3600 s',
      permission: 'given',
      toolsets: ['gate', 'broker'],
      asks_here: [{ scope: 'user', path: '~/.claude/settings.json', trusted: null }],
    },
    '.mcp.json',
  ),
  client(
    'cursor',
    'Cursor',
    '~/.cursor/mcp.json',
    { found: true, connected: true, last_spoke: ago(200_000) },
    '.cursor/mcp.json',
  ),
  client('codex', 'Codex', '~/.codex/config.toml', { found: true }),
  client(
    'vscode',
    'VS Code',
    '~/.config/Code/User/mcp.json',
    { found: true, elsewhere: true },
    '.vscode/mcp.json',
  ),
  client('zed', 'Zed', '~/.config/zed/settings.json', {
    found: true,
    rules: 'unsupported',
    files: [
      { scope: 'user', path: '~/.config/zed/settings.json', exists: true, connected: false, fault: BROKEN },
    ],
  }),
  client('claude-desktop', 'Claude Desktop', '~/.config/Claude/claude_desktop_config.json', {
    rules: 'unsupported',
  }),
  client('windsurf', 'Windsurf', '~/.codeium/windsurf/mcp_config.json'),
  client('continue', 'Continue', '~/.continue/mcpServers/review-gate.yaml'),
  client(
    'cline',
    'Cline',
    '~/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
  ),
  client('gemini', 'Gemini CLI', '~/.gemini/settings.json'),
  client('jetbrains', 'JetBrains', '~/.junie/mcp/mcp.json'),
  client('goose', 'Goose', '~/.config/goose/config.yaml', { rules: 'unsupported' }),
  client('opencode', 'opencode', '~/.config/opencode/opencode.json'),
];

const ENTRY = `@@ -3,4 +3,8 @@
   "mcpServers": {
     "github": {
       "command": "github-mcp"
-    }
+    },
+    "review-gate": {
+      "command": "/home/you/.local/bin/review-gate",
+      "args": ["mcp"]
+    }
   }
`;

const RULE = `@@ -0,0 +1,3 @@
+# Review Gate
+Before you end your turn or do something risky, ask with review_gate_chat.
+On "pending", call it again with the same request_id.
`;

const HOOK = `@@ -1,3 +1,15 @@
 {
-  "model": "opus"
+  "model": "opus",
+  "hooks": {
+    "PermissionRequest": [
+      {
+        "matcher": "*",
+        "hooks": [
+          { "type": "command", "command": "review-gate permit", "timeout": 600 }
+        ]
+      }
+    ]
+  }
 }
`;

/** Where a client keeps the hook. */
const hookFile = (name: string) =>
  name === 'codex'
    ? '~/.codex/hooks.json'
    : name === 'opencode'
      ? '~/.config/opencode/plugin/review-gate.js'
      : '~/.claude/settings.json';

/** The same the other way round. */
const inverse = (diff: string) =>
  diff
    .split('\n')
    .map((line) =>
      line.startsWith('+') ? `-${line.slice(1)}` : line.startsWith('-') ? `+${line.slice(1)}` : line,
    )
    .join('\n');

/** A client as it is on a machine without it. */
const absent = (each: ClientState): ClientState => ({
  ...each,
  ...{ found: false, connected: false, folders: [], elsewhere: false },
  ...{ last_spoke: null, sessions: 0, time_out: null },
  files: each.files.map((file) => ({ ...file, exists: false, connected: false, fault: null })),
});

/** Claude Code as its own command connects it when nothing says for whom. */
const inFolder = (each: ClientState): ClientState =>
  each.client === 'claude-code'
    ? { ...absent(each), found: true, folders: ['~/code/payments', '~/code/shop'] }
    : each;

class MockClients {
  #clients: ClientState[];
  #scene: string;
  #project: string | null = null;

  constructor(scene: string) {
    this.#scene = scene;
    this.#clients = scene === 'empty' ? ALL().map(absent) : ALL();
    if (scene === 'client-folder') this.#clients = this.#clients.map(inFolder);
  }

  command(command: Command): Answer | null {
    switch (command.command) {
      case 'clients':
        this.#project = command.project;
        return this.#list();
      case 'preview_client': {
        if (this.#scene === 'client-fault') throw BROKEN;
        const found = this.#clients.find((each) => each.client === command.client);
        const path = found?.files.find((file) => file.scope === command.scope)?.path ?? '';
        const hook = { path: hookFile(command.client), diff: command.connect ? HOOK : inverse(HOOK) };
        const backup = '~/.local/share/review-gate/client-backups/2026-11-21T10-30-00';
        if (!command.connect && command.questions) return { files: [hook], backup };
        const diff = command.connect ? ENTRY : inverse(ENTRY);
        const asked = found?.asks_here.length === 0 && command.questions ? [hook] : [];
        const rules =
          command.rules && command.connect ? [{ path: '~/.config/review-gate-rules.md', diff: RULE }] : [];
        return {
          files: [{ path, diff }, ...asked, ...rules],
          backup,
        };
      }
      case 'connect_client':
        return this.#be(command.client, command.scope, true, command);
      case 'disconnect_client':
        return this.#be(command.client, command.scope, command.questions, { questions: false });
      default:
        return null;
    }
  }

  #be(
    name: string,
    scope: ClientScope,
    connected: boolean,
    { allow = false, questions, toolsets = [] }: { allow?: boolean; questions: boolean; toolsets?: string[] },
  ): Answer {
    this.#clients = this.#clients.map((each) =>
      each.client === name
        ? {
            ...each,
            connected,
            elsewhere: false,
            toolsets: toolsets.length > 0 ? toolsets : each.toolsets,
            permission: allow ? ('given' as const) : each.permission,
            asks_here: questions
              ? [{ scope, path: hookFile(name), trusted: name === 'codex' ? false : null }]
              : [],
            files: each.files.map((file) =>
              file.scope === scope ? { ...file, exists: true, connected } : file,
            ),
          }
        : each,
    );
    return this.#list();
  }

  #list(): Answer {
    const files = (each: ClientState) =>
      each.files.filter((file) => file.scope === 'user' || this.#project !== null);
    return {
      clients: this.#clients.map((each) => ({ ...each, files: files(each) })),
      takes_questions: true,
    };
  }
}

export default ((scene) => new MockClients(scene)) satisfies MakeDouble;
