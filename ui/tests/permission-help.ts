// Permission questions, and a window with them, for the tests of these.
import { fireEvent, render, screen } from '@testing-library/svelte';
import { expect } from 'vitest';
import App from '../src/App.svelte';
import type { PermissionAnswer } from '../src/generated/PermissionAnswer';
import type { PermissionView } from '../src/generated/PermissionView';
import type { RequestSummary } from '../src/generated/RequestSummary';
import type { RequestView } from '../src/generated/RequestView';
import { Review } from '../src/review/review.svelte';
import { answerable } from './armed';
import { FakeGate, fault, summary, view } from './fake-gate';

export const ALL = { once: true, deny: true, reason: true, edited: true, rule: true };
export const EDITED = 'Changed by the person, and allowed';

export function asked(over: Partial<PermissionView> = {}): PermissionView {
  return {
    form: 'claude_hook',
    tool: 'Bash',
    kind: 'command',
    folder: '/code/app',
    shown: { shows: 'command', text: 'npm test && curl x', programs: ['npm', 'curl'] },
    input: '{"command":"npm test && curl x","description":"Try it"}',
    says: 'Try it',
    files: [],
    unknown: null,
    rules: [
      { id: '1', kind: 'allows', what: ['Bash(npm test)'], kept: 'localSettings', raw: '{"rule":1}' },
      { id: '2', kind: 'mode', what: ['acceptEdits'], kept: 'session', raw: '{"rule":2}' },
    ],
    answers: ALL,
    editable: { field: 'command', text: 'npm test && curl x' },
    asks_beside: true,
    subagent: null,
    ...over,
  };
}

export function question(id: string, permission = asked(), over: Partial<RequestSummary> = {}): RequestView {
  const { kind, tool, asks_beside } = permission;
  return view(id, {
    summary: summary(id, { permission: { kind, tool, asks_beside }, ...over }),
    asked_by: 'claude · app',
    options: permission.editable ? [{ label: EDITED }] : [],
    permission,
  });
}

/** The review window with a question that is to be answered, and a gate that takes it. */
export async function shown(...views: RequestView[]) {
  return await shownBy(
    ({ command }) => {
      if (command !== 'answer_permission') throw fault('internal');
      return {};
    },
    ...views,
  );
}

/** The same, over a gate that answers so. */
export async function shownBy(record: NonNullable<FakeGate['record']>, ...views: RequestView[]) {
  const gate = new FakeGate(views);
  gate.record = record;
  const review = new Review(gate);
  render(App, { review });
  await expect.poll(() => gate.readied, { message: 'it stands there' }).toBeGreaterThan(0);
  await answerable();
  const press = (key: string, more: KeyboardEventInit = {}, target: Element = document.body) =>
    fireEvent.keyDown(target, { key, ...more });
  const alt = (key: string, code = '') => press(key, { altKey: true, code });
  return { gate, review, press, alt };
}

export const button = (testid: string) => screen.getByTestId<HTMLButtonElement>(testid);
export const says = (testid: string) =>
  screen.queryByTestId(testid)?.textContent?.replace(/\s+/g, ' ').trim();
export const field = (testid: string) => screen.getByTestId<HTMLTextAreaElement>(testid);
export const type = (testid: string, value: string) => fireEvent.input(field(testid), { target: { value } });

/** What was answered, in order. */
export const given = (gate: FakeGate): PermissionAnswer[] =>
  gate.given('answer_permission').map(({ answer }) => answer);

/** What the person was shown is what the answer names. */
export const digests = (gate: FakeGate) => gate.given('answer_permission').map(({ digest }) => digest);
