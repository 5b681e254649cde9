// The official TypeScript client: starts `review-gate mcp` over stdio, or connects over HTTP; takes a
// call's arguments from each line of stdin, prints its result as a line of JSON.
// Arguments: the package's folder, the mode, the path of review-gate and what its `mcp` is told besides, or a URL and the
// token.
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [folder, mode, place, ...more] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(`${folder}/dist/${file}`).href);
const { Client, StreamableHTTPClientTransport } = await load('index.mjs');
const { StdioClientTransport } = await load('stdio.mjs');
const say = (value) => console.log(JSON.stringify(value));

const client = new Client({ name: 'typescript-client', version: '1.0.0' }, { versionNegotiation: { mode } });
const overHttp = () =>
  new StreamableHTTPClientTransport(new URL(place), { requestInit: { headers: { Authorization: `Bearer ${more[0]}` } } });
// The client passes on only a handful of variables by itself.
const overStdio = () => new StdioClientTransport({ command: place, args: ['mcp', ...more], env: { ...process.env } });
await client.connect(place.startsWith('http://') ? overHttp() : overStdio());
const { tools } = await client.listTools();
say({ protocol: client.getNegotiatedProtocolVersion(), tools: tools.map((tool) => tool.name) });
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
