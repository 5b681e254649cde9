// What connects an agent to the gate, for each agent that is known here.

export interface Connection {
  name: string;
  /** The file that the text belongs in; empty for a terminal. */
  where: string;
  text: string;
}

const json = (value: unknown) => JSON.stringify(value, null, 2);

/** A word for a POSIX shell; left bare where nothing in it needs quoting. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The connections, for the program at `command`. */
export function connections(command: string): Connection[] {
  const server = { command, args: ['mcp'] };
  return [
    {
      name: 'Claude Code',
      where: '',
      // Without the scope it would be connected in the folder of that terminal alone.
      text: `claude mcp add --scope user review-gate -- ${shellWord(command)} mcp`,
    },
    { name: 'Cursor', where: '~/.cursor/mcp.json', text: json({ mcpServers: { 'review-gate': server } }) },
    {
      name: 'VS Code',
      where: '.vscode/mcp.json',
      text: json({ servers: { 'review-gate': { type: 'stdio', ...server } } }),
    },
    {
      name: 'Codex',
      where: '~/.codex/config.toml',
      text: [
        '[mcp_servers.review-gate]',
        // A JSON string is a TOML basic string.
        `command = ${JSON.stringify(command)}`,
        'args = ["mcp"]',
        'tool_timeout_sec = 3600',
      ].join('\n'),
    },
  ];
}
