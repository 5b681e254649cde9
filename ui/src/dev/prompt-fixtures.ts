// Prompts of the mock gate: the person's own, a team's, and those that come with the program.

export const CODE_REVIEW = `---
title: Code review
description: Reviews a change as a senior engineer would, with what must be mended first.
category: Review
version: "2.1"
arguments:
  - name: change
    title: Change
    description: A branch, a commit or a description
    required: true
  - name: depth
    title: Depth
    type: enum
    values: [quick, thorough, exhaustive]
    default: thorough
  - name: focus
    title: Focus
    type: list
    values: [security, performance, tests, naming]
    default: [security, tests]
  - name: limit
    title: Most findings
    type: number
    default: 10
  - name: patch
    title: Propose patches
    type: boolean
    default: true
---
# Review {{change}}

Look at it **{{depth}}**ly, above all at {{focus}}. Tell at most {{limit}} findings:

1. what is wrong, with \`file:line\`
2. why it matters
3. what mends it

| level | means |
|---|---|
| must | it breaks something |
| may | it reads better |

Propose patches: {{patch}}. Ask me with \`review_gate_chat\` before you change anything.
`;

const RELEASE = `title: Release notes
description: Release notes for the people who use it, from the commits since the last tag.
category: Writing
arguments:
  - name: since
    title: Since
    default: the last tag
  - name: audience
    description: Who reads them
messages:
  - role: user
    content: |
      Write the release notes for everything since {{since}}, for {{audience}}.

      - Say what they can do now, not how it was built.
      - Breaking changes come first.
  - role: assistant
    content: |
      I will read the commits, group them by what they change for {{audience}}, and show you a draft.
`;

export const BROKEN = `---
title: Explain an error
description: What an error means and where it comes from.
category: Debugging
arguments:
  - name: error
    required: true
---
Explain this error to me: {{error

Begin with the line that raised it.
`;

const simple = (title: string, description: string, category: string, body: string) =>
  `---\ntitle: ${title}\ndescription: ${description}\n${category ? `category: ${category}\n` : ''}---\n${body}\n`;

export interface Fixture {
  id: string;
  origin: 'built_in' | 'synced' | 'local';
  format: 'markdown' | 'yaml';
  text: string;
  uses: number;
}

export const PROMPTS: readonly Fixture[] = [
  { id: 'code_review', origin: 'local', format: 'markdown', text: CODE_REVIEW, uses: 42 },
  { id: 'writing/release_notes', origin: 'local', format: 'yaml', text: RELEASE, uses: 3 },
  { id: 'debug/explain_error', origin: 'local', format: 'markdown', text: BROKEN, uses: 0 },
  {
    ...{ id: 'team/incident_report', origin: 'synced', format: 'markdown', uses: 7 },
    text: simple(
      'Incident report',
      'What happened, to whom, and what keeps it from happening again.',
      'Operations',
      'Write the report of the incident {{incident}}. Blame nobody.',
    ),
  },
  {
    ...{ id: 'team/migration_plan', origin: 'synced', format: 'markdown', uses: 1 },
    text: simple(
      'Migration plan',
      'Steps that can each be taken back, with how to tell that they worked.',
      'Operations',
      'Plan the migration of {{system}}. Each step says how it is undone.',
    ),
  },
  {
    ...{ id: 'code_review', origin: 'built_in', format: 'markdown', uses: 0 },
    text: simple('Code review', 'Reviews a change.', 'Review', 'Review {{change}}.'),
  },
  {
    ...{ id: 'plan_first', origin: 'built_in', format: 'markdown', uses: 12 },
    text: simple(
      'Plan first',
      'A plan to be approved before anything is changed.',
      'Review',
      'Write a plan for {{task}} and ask me with `review_gate_chat` before you begin.',
    ),
  },
  {
    ...{ id: 'write_tests', origin: 'built_in', format: 'markdown', uses: 0 },
    text: simple(
      'Write tests',
      'Tests that fail first, then pass.',
      'Testing',
      'Write tests for {{what}}. Show me that they fail before you make them pass.',
    ),
  },
];

/** Thousands, as a large team has them. */
export function many(count: number): Fixture[] {
  const areas = ['Review', 'Operations', 'Writing', 'Testing', 'Data', 'Security', 'Design'];
  return Array.from({ length: count }, (_, n) => ({
    ...{ id: `team/prompt_${n}`, origin: 'synced' as const, format: 'markdown' as const, uses: n % 7 },
    text: simple(
      `Prompt ${n}`,
      `What the team asks for the ${n}th time.`,
      areas[n % areas.length] ?? '',
      `Do what {{task}} says.`,
    ),
  }));
}
