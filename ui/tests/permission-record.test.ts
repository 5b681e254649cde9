// Permission questions in the record: what became of them is said in words of their own.
import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, expect, it } from 'vitest';
import './lazy';
import MainApp from '../src/MainApp.svelte';
import type { MessageView } from '../src/generated/MessageView';
import { permittedWord } from '../src/conversation/permitted';
import { speak } from '../src/i18n/text.svelte';
import { Main } from '../src/state/main.svelte';
import { FakeGate } from './fake-gate';
import { FakeRecord, message } from './fake-record';

afterEach(cleanup);

async function shown(messages: MessageView[]) {
  const gate = new FakeGate();
  const record = new FakeRecord(1);
  record.messages = messages;
  gate.record = record.answer;
  render(MainApp, { main: new Main(gate, { page: 'history', at: null }) });
  await screen.findByTestId('messages');
}

const asked = (asks_there: boolean): MessageView['permission'] => ({ said: 'asked', asks_there });
const texts = (testid: string) =>
  screen.getAllByTestId(testid).map((each) => each.textContent?.replace(/[\u2066-\u2069]/g, '').trim());

it('a conversation says allowed and denied, and never a review’s words', async () => {
  const answer = (id: number, over: Partial<MessageView>) =>
    message(id, { answered_from: 'desktop', ...over });
  await shown([
    message(1, { permission: asked(true) }),
    answer(2, { decision: 'approved', permission: { said: 'once' } }),
    message(3, { permission: asked(true) }),
    answer(4, { decision: 'approved', permission: { said: 'rule', kind: 'allows', what: 'npm test *' } }),
    message(5, { permission: asked(true) }),
    answer(6, {
      ...{ decision: 'approved', permission: { said: 'edited' } },
      selected: ['Changed by the person, and allowed'],
    }),
    message(7, { permission: asked(true) }),
    answer(8, { decision: 'changes_requested', permission: { said: 'denied' } }),
    message(9, {}),
    answer(10, { decision: 'approved' }),
  ]);
  expect(texts('decision'), 'a review keeps its own').toEqual([
    'allowed',
    'allowed for npm test *',
    'allowed, changed',
    'denied',
    'approved',
  ]);
  const log = screen.getByTestId('messages').textContent;
  expect(log, 'what the badge says isn’t said again').not.toContain('Changed by the person');
});

it('one that wasn’t answered here says why, where that is known', async () => {
  await shown([
    message(1, { status: 'cancelled', permission: asked(true) }),
    message(3, { status: 'expired', permission: asked(false) }),
    message(5, { status: 'cancelled' }),
    message(7, { status: 'cancelled', permission: { said: 'asked', asks_there: true, ended: 'time_over' } }),
    message(9, { status: 'cancelled', permission: { said: 'asked', asks_there: false, ended: 'away' } }),
    message(11, {
      ...{ status: 'cancelled', permission: { said: 'asked', asks_there: true, ended: 'answered_there' } },
    }),
    message(13, { permission: { said: 'asked', asks_there: true } }),
    message(14, { answered_from: 'desktop', decision: 'approved', permission: { said: 'once' } }),
  ]);
  expect(texts('became')).toEqual([
    'not answered here',
    'not answered here; the agent takes that as a denial',
    'withdrawn',
    'not answered here: its time was over',
    'not answered here: you were away; the agent takes that as a denial',
    'answered at the agent’s own prompt',
  ]);
});

it('every language says each of them', async () => {
  await speak('zh-CN');
  const words = [
    permittedWord({ said: 'once' }),
    permittedWord({ said: 'edited' }),
    permittedWord({ said: 'denied' }),
    permittedWord({ said: 'asked', asks_there: true }),
    permittedWord({ said: 'asked', asks_there: true, ended: 'gone' }),
    permittedWord({ said: 'rule', kind: 'mode', what: 'plan' }).replace(/[\u2066-\u2069]/g, ''),
  ];
  await speak('en');
  expect(words).toEqual([
    '已允许',
    '修改后允许',
    '已拒绝',
    '未在这里回答',
    '未在这里回答：智能体不再等待',
    '已允许，之后使用模式 plan',
  ]);
});
