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

/** The connections, for the program at `command`; to another toolset than the gate's own as a server beside it. */
export function connections(command: string, toolset?: string): Connection[] {
  const name = toolset ? `review-gate-${toolset}` : 'review-gate';
  const args = toolset ? ['mcp', '--toolset', toolset] : ['mcp'];
  const server = { command, args };
  return [
    {
      name: 'Claude Code',
      where: '',
      // Without the scope it would be connected in the folder of that terminal alone.
      text: `claude mcp add --scope user ${name} -- ${shellWord(command)} ${args.join(' ')}`,
    },
    { name: 'Cursor', where: '~/.cursor/mcp.json', text: json({ mcpServers: { [name]: server } }) },
    {
      name: 'VS Code',
      where: '.vscode/mcp.json',
      text: json({ servers: { [name]: { type: 'stdio', ...server } } }),
    },
    {
      name: 'Codex',
      where: '~/.codex/config.toml',
      text: [
        `[mcp_servers.${name}]`,
        // A JSON string is a TOML basic string.
        `command = ${JSON.stringify(command)}`,
        `args = [${args.map((arg) => JSON.stringify(arg)).join(', ')}]`,
        'tool_timeout_sec = 3600',
      ].join('\n'),
    },
  ];
}
