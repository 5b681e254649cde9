// What a new prompt's text begins with: short enough to be overwritten, whole enough to learn from.
import type { PromptFormat } from '../generated/PromptFormat';
import { t } from '../i18n/text.svelte';

/** The formats that a new prompt may be written in; the first is offered. */
export const NEW_FORMATS = ['markdown', 'yaml'] as const satisfies readonly PromptFormat[];

/** The extension of a file of this format. */
export const EXTENSIONS: Record<PromptFormat, string> = { yaml: 'yaml', markdown: 'md', json: 'json' };

/** The text that teaches the format, in the language of the windows. */
export function startingText(format: PromptFormat): string {
  const head = [
    `title: ${t('prompts-start-title')}`,
    `description: ${t('prompts-start-description')}`,
    'arguments:',
    '  - name: topic',
    `    description: ${t('prompts-start-topic')}`,
    '    required: true',
  ];
  const body = [t('prompts-start-ask', { topic: '{{topic}}' }), '', t('prompts-start-more')];
  if (format === 'markdown') return ['---', ...head, '---', ...body, ''].join('\n');
  const indented = body.map((line) => (line === '' ? '' : `      ${line}`));
  return [...head, 'messages:', '  - role: user', '    content: |', ...indented, ''].join('\n');
}
