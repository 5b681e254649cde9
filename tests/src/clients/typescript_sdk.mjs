// The official TypeScript SDK of the line before the client's: starts `review-gate mcp` over stdio,
// takes a call's arguments from each line of stdin, prints its result as a line of JSON.
// Arguments: the package's folder, the mode (unused), the path of review-gate and what its `mcp` is told besides.
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [folder, , reviewGate, ...more] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(`${folder}/dist/esm/client/${file}`).href);
const { Client } = await load('index.js');
const { StdioClientTransport } = await load('stdio.js');
const say = (value) => console.log(JSON.stringify(value));

class Transport extends StdioClientTransport {
  protocol = null;

  setProtocolVersion(version) {
    this.protocol = version;
  }
}

const client = new Client({ name: 'typescript-sdk', version: '1.0.0' });
const transport = new Transport({ command: reviewGate, args: ['mcp', ...more], env: { ...process.env } });
await client.connect(transport);
const { tools } = await client.listTools();
say({ protocol: transport.protocol, tools: tools.map((tool) => tool.name) });
async function call(name, given) {
  const result = await client.callTool({ name, arguments: given });
  return { error: result.isError === true, structured: result.structuredContent, content: result.content };
}
/** Something else: `call` of another tool, `prompts`, `prompt`, or `suggest` (an argument of a prompt). */
async function act({ do: what, ...task }) {
  if (what === 'call') {
    return call(task.tool, task.arguments);
  }
  if (what === 'prompts') {
    const { prompts, nextCursor } = await client.listPrompts(task.cursor ? { cursor: task.cursor } : {});
    return { prompts, next: nextCursor ?? null };
  }
  if (what === 'prompt') {
    const { messages } = await client.getPrompt({ name: task.name, arguments: task.arguments });
    return { texts: messages.map((message) => message.content.text) };
  }
  const argument = { name: task.name, value: task.value };
  const { completion } = await client.complete({ ref: { type: 'ref/prompt', name: task.prompt }, argument });
  return { values: completion.values };
}
for await (const line of createInterface({ input: process.stdin })) {
  const task = JSON.parse(line);
  if (task.do) {
    say(await act(task).catch((error) => ({ code: error.code, message: error.message })));
    continue;
  }
  say(await call('review_gate_chat', task));
}
await client.close();
