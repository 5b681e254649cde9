// Checks JSON against schemas of draft 2020-12. Argument: the `node_modules` with MCP's TypeScript SDK, which brings ajv. A
// line in is `{schema, value, formats}`, or `{schema}` to look at the schema itself; a line out is the list of what is
// broken.
import { createRequire } from 'node:module';

const require = createRequire(`${process.argv[2]}/@modelcontextprotocol/sdk/package.json`);
const { default: Ajv } = require('ajv/dist/2020.js');
const { default: addFormats } = require('ajv-formats');

function broken({ schema, value, formats }) {
  // One for each: two schemas may have the same id.
  const ajv = addFormats(new Ajv({ allErrors: true, strict: false, validateFormats: formats }));
  if (!ajv.validateSchema(schema)) return said(ajv.errors);
  if (value === undefined) return [];
  const keeps = ajv.compile(schema);
  return keeps(value) ? [] : said(keeps.errors);
}

const said = (errors) => errors.map((error) => `${error.instancePath}: ${error.message} ${JSON.stringify(error.params)}`);

let rest = '';
process.stdin.setEncoding('utf8');
for await (const piece of process.stdin) {
  const lines = (rest + piece).split('\n');
  rest = lines.pop();
  for (const line of lines) {
    let answer;
    try {
      answer = broken(JSON.parse(line));
    } catch (error) {
      answer = [String(error)];
    }
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
}
