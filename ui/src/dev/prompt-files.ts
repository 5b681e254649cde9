// Reads what a fixture's prompt says, as far as the fixtures need it. The gate's own reader is gate-prompts'.
import type { ArgumentType } from '../generated/ArgumentType';
import type { Prompt } from '../generated/Prompt';
import type { PromptArgument } from '../generated/PromptArgument';
import type { PromptFormat } from '../generated/PromptFormat';
import type { PromptMessage } from '../generated/PromptMessage';
import type { PromptOrigin } from '../generated/PromptOrigin';
import type { PromptPreview } from '../generated/PromptPreview';
import type { PromptProblem } from '../generated/PromptProblem';

export interface FileText {
  format: PromptFormat;
  text: string;
}

export interface Parsed {
  prompt: Prompt | null;
  messages: PromptMessage[];
  problems: PromptProblem[];
}

function scalar(text: string): string | number | boolean | string[] {
  const value = text.trim();
  if (value === 'true' || value === 'false') return value === 'true';
  if (/^-?\d+(?:\.\d+)?$/.test(value)) return Number(value);
  if (value.startsWith('['))
    return value
      .slice(1, -1)
      .split(',')
      .map((each) => each.trim())
      .filter(Boolean);
  return value.replace(/^"|"$/g, '');
}

function argument(fields: Map<string, ReturnType<typeof scalar>>): PromptArgument {
  const words = (name: string) => String(fields.get(name) ?? '');
  const values = fields.get('values');
  return {
    ...{ name: words('name'), title: words('title'), description: words('description') },
    type: (words('type') || 'string') as ArgumentType,
    required: fields.get('required') === true,
    default: fields.get('default') ?? null,
    values: Array.isArray(values) ? values : [],
    completes: 'nothing',
    secret: fields.get('secret') === true,
    inferred: false,
  };
}

/** What the file of a prompt says. */
export function parsed(id: string, origin: PromptOrigin, file: string, { format, text }: FileText): Parsed {
  const lines = text.split('\n');
  const problem = (line: number, column: number, message: string, mend: string): PromptProblem => ({
    ...{ file, origin, line, column, message, mend, served: false, warning: false },
  });
  const fields = new Map<string, string>();
  const declared: PromptArgument[] = [];
  const messages: PromptMessage[] = [];
  let current: Map<string, ReturnType<typeof scalar>> | null = null;
  let place: 'head' | 'arguments' | 'messages' = 'head';
  let body: string[] = [];
  let role: PromptMessage['role'] = 'user';
  const say = () => {
    const said = body.join('\n').trim();
    if (said) messages.push({ role, content: { type: 'text', text: said } });
    body = [];
  };
  let inHead = false;
  let past = format !== 'markdown';
  const problems: PromptProblem[] = [];
  lines.forEach((line, index) => {
    const open = line.lastIndexOf('{{');
    if (open !== -1 && !line.includes('}}', open))
      problems.push(problem(index + 1, open + 1, 'The expression isn’t closed.', 'End it with `}}`.'));
    if (format === 'markdown' && line === '---' && (index === 0 || inHead)) {
      past = inHead;
      inHead = !inHead;
      return;
    }
    if (format === 'markdown' && past) return void body.push(line);
    const top = /^(\w+):\s*(.*)$/.exec(line);
    if (top) {
      const [, name, value] = top as unknown as [string, string, string];
      place = name === 'arguments' ? 'arguments' : name === 'messages' ? 'messages' : 'head';
      if (place === 'head') fields.set(name, String(scalar(value)));
      return undefined;
    }
    const part = /^\s+(- )?(\w+):\s*(.*)$/.exec(line);
    if (place === 'arguments' && part) {
      if (part[1]) {
        current = new Map();
        declared.push(argument(current));
      }
      current?.set(part[2] ?? '', scalar(part[3] ?? ''));
      if (current) declared[declared.length - 1] = argument(current);
    } else if (place === 'messages' && part?.[2] === 'role') {
      say();
      role = part[3]?.trim() === 'assistant' ? 'assistant' : 'user';
    } else if (place === 'messages' && part?.[2] !== 'content') body.push(line.slice(6));
    return undefined;
  });
  say();
  if (problems.length === 0 && messages.length === 0)
    problems.push(problem(1, 1, 'The prompt has no message.', 'Write what the agent is to do.'));
  const used = new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name ?? ''));
  for (const name of used)
    if (!declared.some((each) => each.name === name))
      declared.push({ ...argument(new Map([['name', name]])), inferred: true });
  if (problems.length > 0) return { prompt: null, messages, problems };
  const folder = id.includes('/') ? (id.split('/')[0] ?? '') : '';
  const prompt: Prompt = {
    ...{ id, title: fields.get('title') || id, description: fields.get('description') ?? '' },
    ...{ category: fields.get('category') ?? folder, version: fields.get('version') ?? '', icon: '' },
    ...{ arguments: declared, origin, format },
  };
  return { prompt, messages, problems };
}

/** What it gives with these arguments. */
export function rendered(of: Parsed, given: Record<string, string | undefined>): PromptPreview {
  const nothing = { prompt: of.prompt, problems: of.problems, rendered: null, fault: null, argument: null };
  if (!of.prompt) return nothing;
  for (const { name, type, required } of of.prompt.arguments) {
    const value = given[name];
    const wrong =
      value === undefined
        ? required && 'is required.'
        : type === 'number' && !/^-?\d+(?:\.\d+)?$/.test(value) && 'is no number.';
    if (!wrong) continue;
    const message = `The argument \`${name}\` ${wrong}`;
    return { ...nothing, fault: { code: 'prompt', message, mend: 'Fill it in.' }, argument: name };
  }
  const put = (text: string) =>
    text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
      const standard = of.prompt?.arguments.find((each) => each.name === name)?.default ?? '';
      const value = given[name] ?? (Array.isArray(standard) ? standard.join(', ') : String(standard));
      return value.startsWith('[') ? (JSON.parse(value) as string[]).join(', ') : value;
    });
  const messages = of.messages.map((message) => ({
    ...message,
    content: { ...message.content, text: put(message.content.text) },
  }));
  return { ...nothing, rendered: { description: of.prompt.description, messages } };
}
