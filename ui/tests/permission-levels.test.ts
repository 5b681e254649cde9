// How sure an answer to a permission question has to be: told before it is given, of each answer by itself.
import { cleanup, fireEvent, screen } from '@testing-library/svelte';
import { afterEach, describe, expect, it } from 'vitest';
import './lazy';
import type { ApprovalNeeds } from '../src/generated/ApprovalNeeds';
import type { PermissionAnswer } from '../src/generated/PermissionAnswer';
import type { Command } from '../src/generated/Command';
import type { Answer } from '../src/state/port';
import { armed } from './armed';
import { fault } from './fake-gate';
import { asked, button, given, question, says, shownBy, type } from './permission-help';

afterEach(cleanup);

type Weigh = (answer: PermissionAnswer) => ApprovalNeeds | undefined;

/** A window whose gate wants so much of each answer. */
async function weighed(weigh: Weigh, needs?: ApprovalNeeds, permission = asked()) {
  const looked: PermissionAnswer[] = [];
  const record = (command: Command): Answer => {
    if (['answer_permission', 'cancel_signing'].includes(command.command)) return {};
    if (command.command !== 'permission_needs') throw fault('internal');
    looked.push(command.answer);
    const found = weigh(command.answer);
    return found ? { needs: found } : {};
  };
  const window = await shownBy(record, { ...question('a', permission), ...(needs ? { needs } : {}) });
  return { ...window, looked };
}

const KEY: ApprovalNeeds = { level: 'L3' };
const NO_KEY: ApprovalNeeds = { level: 'L3', missing: { id: 'level-no-key' } };
const edits =
  (text: string): Weigh =>
  (answer) =>
    answer.answer === 'edited' && answer.text.includes(text) ? KEY : undefined;

async function edit(window: Awaited<ReturnType<typeof shownBy>>, text: string) {
  await window.alt('e');
  await expect.poll(() => screen.queryByTestId('permission-edit-field')).not.toBeNull();
  await type('permission-edit-field', text);
}

describe('an edited text', () => {
  it('says what it takes once typing rests, and not what another text took', async () => {
    const window = await weighed(edits('deploy'));
    await edit(window, 'npm run deploy');
    await expect.poll(() => says('level')).toBe('This takes a touch of your security key (L3).');
    expect(button('permission-edit-send').getAttribute('aria-describedby')).toBe('level');
    await type('permission-edit-field', 'npm run build');
    await expect.poll(() => says('level')).toBeUndefined();
    expect(window.looked.filter((each) => each.answer === 'edited').length, 'not at each letter').toBe(2);
    await window.press('Escape');
    expect(says('level'), 'allowing once takes the act alone').toBeUndefined();
  });

  it('that is sent while it is typed is told first, and goes at the next press', async () => {
    const window = await weighed(edits('deploy'));
    await edit(window, 'npm run deploy');
    await armed();
    await fireEvent.click(button('permission-edit-send'));
    await expect.poll(() => says('level')).toContain('security key');
    expect(given(window.gate), 'nothing is asked for that wasn’t told').toEqual([]);
    await armed();
    await fireEvent.click(button('permission-edit-send'));
    await expect.poll(() => given(window.gate)).toEqual([{ answer: 'edited', text: 'npm run deploy' }]);
  });

  it('that takes the act alone goes at once', async () => {
    const window = await weighed(() => undefined);
    await edit(window, 'npm run build');
    await armed();
    await fireEvent.click(button('permission-edit-send'));
    await expect.poll(() => given(window.gate)).toEqual([{ answer: 'edited', text: 'npm run build' }]);
  });

  it('that needs what isn’t there can’t be sent, and says so', async () => {
    const window = await weighed((answer) => (answer.answer === 'edited' ? NO_KEY : undefined));
    await edit(window, 'npm run deploy');
    await expect.poll(() => says('level')).toContain('none is enrolled');
    expect(button('permission-edit-send').disabled).toBe(true);
  });
});

describe('a rule', () => {
  const rule: Weigh = (answer) => (answer.answer === 'rule' ? KEY : undefined);

  it('says what it takes before it is allowed, and is waited for with a way out', async () => {
    const window = await weighed(rule);
    await expect
      .poll(() => says('permission-rule-level'))
      .toContain('takes a touch of your security key (L3)');
    expect(says('level'), 'allowing once takes the act alone').toBeUndefined();
    let touch: () => void = () => undefined;
    window.gate.meddle = ({ command }) =>
      command === 'answer_permission' ? new Promise<void>((resolve) => (touch = resolve)) : undefined;
    await armed();
    await window.alt('1', 'Digit1');
    await expect.poll(() => says('level')).toBe('Touch your security key… Cancel');
    await fireEvent.click(button('level-cancel'));
    expect(window.gate.given('cancel_signing').map((each) => each.request_id)).toEqual(['a']);
    touch();
    await expect.poll(() => given(window.gate)).toEqual([{ answer: 'rule', id: '1' }]);
  });

  it('that needs what isn’t there is off, and allowing once isn’t', async () => {
    const window = await weighed((answer) => (answer.answer === 'rule' ? NO_KEY : undefined));
    await expect.poll(() => says('permission-rule-level')).toContain('none is enrolled');
    expect(button('permission-rule-1').disabled).toBe(true);
    expect(button('permission-once').disabled).toBe(false);
    await armed();
    await window.alt('1', 'Digit1');
    expect(given(window.gate)).toEqual([]);
  });

  it('that takes no more than allowing once says nothing of its own', async () => {
    const window = await weighed(() => KEY, KEY);
    await expect.poll(() => window.looked.length).toBeGreaterThan(0);
    await expect.poll(() => says('level')).toContain('security key');
    expect(says('permission-rule-level')).toBeUndefined();
  });
});
