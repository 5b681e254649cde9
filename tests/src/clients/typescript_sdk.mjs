// The official TypeScript SDK of the line before the client's: starts `review-gate mcp` over stdio,
// takes a call's arguments from each line of stdin, prints its result as a line of JSON.
// Arguments: the package's folder, the mode (unused), the path of review-gate.
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [folder, , reviewGate] = process.argv.slice(2);
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
const transport = new Transport({ command: reviewGate, args: ['mcp'], env: { ...process.env } });
await client.connect(transport);
const { tools } = await client.listTools();
say({ protocol: transport.protocol, tools: tools.map((tool) => tool.name) });
for await (const line of createInterface({ input: process.stdin })) {
  const result = await client.callTool({ name: 'review_gate_chat', arguments: JSON.parse(line) });
  say({ error: result.isError === true, structured: result.structuredContent, content: result.content });
}
await client.close();
