// Approvals that take more than the act: what is told before, while it is waited for, and after; the security keys.
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import './lazy';
import App from '../src/App.svelte';
import MainApp from '../src/MainApp.svelte';
import type { ApprovalNeeds } from '../src/generated/ApprovalNeeds';
import type { Command } from '../src/generated/Command';
import type { SecurityKey } from '../src/generated/SecurityKey';
import '../src/reply/LevelLine.svelte';
import { Review } from '../src/review/review.svelte';
import '../src/settings/KeysPane.svelte';
import { Main } from '../src/state/main.svelte';
import { answerable } from './armed';
import { FakeGate, fault, summary, view } from './fake-gate';
import { FakeSettings } from './fake-settings';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const says = (testid: string) => screen.queryByTestId(testid)?.textContent?.replace(/\s+/g, ' ').trim();
const button = (testid: string) => screen.getByTestId<HTMLButtonElement>(testid);

async function shown(needs: ApprovalNeeds | undefined, meddle?: FakeGate['meddle']) {
  const gate = new FakeGate([view('a', { summary: summary('a', { approval: true }), needs })]);
  if (meddle) gate.meddle = meddle;
  const record = gate.record;
  gate.record = (command) => (command.command === 'cancel_signing' ? {} : record(command));
  const review = new Review(gate);
  render(App, { review });
  await expect.poll(() => gate.readied).toBe(1);
  await answerable();
  return { gate, review };
}

describe('an approval that takes a security key', () => {
  it('says so before the act, beside what approves', async () => {
    await shown({ level: 'L3' });
    await expect.poll(() => says('level')).toBe('This takes a touch of your security key (L3).');
    expect(button('approve').disabled).toBe(false);
    expect(button('approve').getAttribute('aria-describedby')).toBe('level');
  });

  it('says nothing where the act is enough', async () => {
    await shown(undefined);
    expect(screen.queryByTestId('level')).toBeNull();
    expect(button('approve').getAttribute('aria-describedby')).toBeNull();
  });

  it('can’t be given where no key is enrolled, and what to do about that stands there', async () => {
    await shown({ level: 'L3', missing: { id: 'level-no-key' } });
    await expect
      .poll(() => says('level'))
      .toBe('This needs a security key; none is enrolled. Settings → Security keys.');
    expect(button('approve').disabled).toBe(true);
    expect(button('request-changes').disabled, 'changes take nothing').toBe(false);
  });

  it('waits for the touch in the same step, and stays a draft where that is cancelled', async () => {
    let refuse: (thrown: unknown) => void = () => undefined;
    const touched = new Promise<unknown>((resolve) => (refuse = resolve));
    const { gate, review } = await shown({ level: 'L3' }, ({ command }: Command) =>
      command === 'send_reply' ? touched : undefined,
    );
    if (review.reply) review.reply.text = 'Go on.';
    await fireEvent.click(button('approve'));
    await expect.poll(() => says('level')).toBe('Touch your security key… Cancel');
    expect(button('approve').disabled, 'once is enough').toBe(true);
    await fireEvent.click(button('level-cancel'));
    expect(gate.given('cancel_signing').map((each) => each.request_id)).toEqual(['a']);
    refuse(fault('not_signed'));
    await expect.poll(() => says('fault')).toContain('It failed: not_signed.');
    expect(says('level'), 'it can be tried again').toContain('This takes a touch');
    expect(review.reply?.text, 'the reply is there still').toBe('Go on.');
    expect(button('approve').disabled).toBe(false);
  });

  it('says which digits the system’s prompt has to show, while it is waited for', async () => {
    let done: (thrown: unknown) => void = () => undefined;
    const confirmed = new Promise<unknown>((resolve) => (done = resolve));
    const { gate, review } = await shown({ level: 'L2' }, ({ command }: Command) =>
      command === 'send_reply' ? confirmed : undefined,
    );
    await expect
      .poll(() => says('level'))
      .toBe('This takes your system’s password or finger, in the system’s own prompt (L2).');
    await fireEvent.click(button('approve'));
    await expect.poll(() => says('level')).toBe('Confirm it in the system’s prompt… Cancel');
    gate.emit({ event: 'confirmation_asked', request_id: 'another', digits: '9999 9999' });
    gate.emit({ event: 'confirmation_asked', request_id: 'a', digits: '1234 5678' });
    await expect
      .poll(() => says('level'))
      .toBe('Confirm it in the system’s prompt only if that shows these digits: 1234 5678 Cancel');
    done(fault('not_signed'));
    await expect.poll(() => says('level')).toContain('This takes your system');
    void review.reply?.sending(review.reply.draft(), 'approved');
    expect(review.reply?.digits, 'the next prompt has others').toBeNull();
  });

  it('asks for no touch where changes are requested', async () => {
    let done: (thrown: unknown) => void = () => undefined;
    const sent = new Promise<unknown>((resolve) => (done = resolve));
    const { review } = await shown({ level: 'L3' }, ({ command }: Command) =>
      command === 'send_reply' ? sent : undefined,
    );
    if (review.reply) review.reply.text = 'Not so.';
    await fireEvent.click(button('request-changes'));
    await expect.poll(() => review.reply?.busy).toBe('sending');
    expect(screen.queryByTestId('level-cancel')).toBeNull();
    done(undefined);
  });
});

const BLUE: SecurityKey = { key: 'SHA256:abc', comment: 'the blue one', file: '/home/me/.ssh/id_ed25519_sk' };

/** The settings at the security keys. */
async function keys(enrolled: SecurityKey[], found: string[] = []) {
  const gate = new FakeGate();
  const settings = new FakeSettings();
  gate.record = (command) => {
    switch (command.command) {
      case 'security_keys':
        return { keys: enrolled, found };
      case 'add_security_key':
        if (command.file.includes('wrong')) throw fault('invalid_input');
        return { keys: [...enrolled, BLUE], found: [] };
      case 'remove_security_key':
        return { keys: [], found };
      default:
        return settings.answer(command);
    }
  };
  const main = new Main(gate, { page: 'settings', at: null });
  render(MainApp, { main });
  await fireEvent.click(await screen.findByTestId('settings-tab-keys'));
  await screen.findByTestId('security-file');
  return { gate };
}

describe('the security keys', () => {
  it('are added by their file, once that was confirmed', async () => {
    const { gate } = await keys([]);
    expect(says('security-none')).toBe('No key is enrolled yet.');
    await fireEvent.input(screen.getByTestId('security-file'), { target: { value: ' ~/.ssh/a_sk.pub ' } });
    await fireEvent.click(button('security-add'));
    expect(says('security-confirm')).toContain('Whoever touches it can approve for you at L3.');
    expect(document.activeElement?.getAttribute('data-testid'), 'the safe one has the keys').toBe(
      'security-no',
    );
    expect(gate.given('add_security_key'), 'nothing happens before').toEqual([]);
    await fireEvent.click(button('security-add-yes'));
    await expect.poll(() => says('security-key')).toContain('the blue one');
    expect(gate.given('add_security_key').map((each) => each.file)).toEqual(['~/.ssh/a_sk.pub']);
    expect(screen.queryByTestId('security-confirm')).toBeNull();
  });

  it('that are found are one click from being asked for', async () => {
    const { gate } = await keys([], ['/home/me/.ssh/id_ecdsa_sk.pub']);
    await fireEvent.click(button('security-found'));
    await fireEvent.click(button('security-no'));
    expect(screen.queryByTestId('security-confirm')).toBeNull();
    await fireEvent.click(button('security-found'));
    await fireEvent.click(button('security-add-yes'));
    expect(gate.given('add_security_key').map((each) => each.file)).toEqual([
      '/home/me/.ssh/id_ecdsa_sk.pub',
    ]);
  });

  it('say why a file can’t be added, and what was typed stays', async () => {
    await keys([BLUE]);
    await fireEvent.input(screen.getByTestId('security-file'), { target: { value: '/wrong.pub' } });
    await fireEvent.click(button('security-add'));
    await fireEvent.click(button('security-add-yes'));
    await expect.poll(() => says('fault')).toContain('It failed: invalid_input.');
    expect(screen.getByTestId<HTMLInputElement>('security-file').value).toBe('/wrong.pub');
  });

  it('are removed, once that was confirmed', async () => {
    const { gate } = await keys([BLUE, { ...BLUE, key: 'SHA256:other', comment: '', file: null }]);
    const [first, second] = screen.getAllByTestId('security-key');
    expect(second?.textContent).toContain('Its file isn’t known on this machine.');
    expect(first?.textContent).toContain('/home/me/.ssh/id_ed25519_sk');
    await fireEvent.click(screen.getAllByTestId('security-remove')[0] as HTMLElement);
    await fireEvent.click(button('security-remove-yes'));
    await screen.findByTestId('security-none');
    expect(gate.given('remove_security_key').map((each) => each.key)).toEqual(['SHA256:abc']);
  });
});
