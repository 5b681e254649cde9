// Short ways to write the parts of a request, for the fixtures.
import type { Block } from '../generated/Block';
import type { Inline } from '../generated/Inline';
import type { RequestSummary } from '../generated/RequestSummary';
import type { RequestView } from '../generated/RequestView';
import type { Row } from '../generated/Row';

export const text = (words: string): Inline => ({ kind: 'text', text: words });
export const code = (words: string): Inline => ({ kind: 'code', text: words });
export const strong = (words: string): Inline => ({ kind: 'strong', children: [text(words)] });
export const paragraph = (...children: Inline[]): Block => ({ kind: 'paragraph', children });
export const context = (old: number, now: number, words: string): Row => ({
  kind: 'context',
  old,
  new: now,
  segments: [{ text: words, changed: false }],
  fresh: false,
});
export const added = (now: number, ...segments: [string, boolean?][]): Row => ({
  kind: 'added',
  old: null,
  new: now,
  segments: segments.map(([words, changed]) => ({ text: words, changed: changed ?? false })),
  fresh: false,
});
export const removed = (old: number, ...segments: [string, boolean?][]): Row => ({
  kind: 'removed',
  old,
  new: null,
  segments: segments.map(([words, changed]) => ({ text: words, changed: changed ?? false })),
  fresh: false,
});

export const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();

export function summary(id: string, over: Partial<RequestSummary>): RequestSummary {
  return {
    request_id: id,
    session_uuid: `session-${id}`,
    title: 'Retry webhook deliveries with backoff?',
    client: 'Claude Code',
    workspace: '/home/you/code/payments-api',
    workspace_name: 'payments-api',
    urgent: false,
    approval: true,
    created_at: ago(12),
    waits_until: new Date(Date.now() + 240_000).toISOString(),
    caller_waiting: true,
    excerpt: '',
    options: 0,
    files: 0,
    snoozed: null,
    ...over,
  };
}

export function view(summary: RequestSummary, over: Partial<RequestView>): RequestView {
  return {
    summary,
    status: 'pending',
    digest: `digest of ${summary.request_id}`,
    message: { blocks: [], rest: null },
    context: null,
    options: [],
    allow_multiple: false,
    diff: null,
    draft: { text: '', selected: [], comments: [], attachments: [], remarks: [] },
    attachments: [],
    ...over,
  };
}
