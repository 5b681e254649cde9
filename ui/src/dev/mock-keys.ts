// The mock gate's security keys, and the system's prompt. Scenes: `level` (an approval takes a touch), `level-missing` (no
// key is enrolled), `level-page` (only one of the page is), `keys-page` (as the page in a browser has it), `level-system`
// (it takes a password), `level-absent` (nothing asks for that).
import type { Command } from '../generated/Command';
import type { Event } from '../generated/Event';
import type { Fault } from '../generated/Fault';
import type { SecurityKey } from '../generated/SecurityKey';
import type { Answer } from '../state/port';
import type { Double } from './double';

const BLUE: SecurityKey = {
  key: 'SHA256:Y8iNEU30f1EHBKSV90C5dyC/8i6UxiOAzW3cc0VRkts',
  comment: 'the blue one',
  file: '/home/you/.ssh/id_ed25519_sk',
};
const OLD: SecurityKey = {
  ...{ key: 'SHA256:0Pq8yU0xkMvS3bqjVwJ1p8v7v1lZr4c9mJc1a0bQm2E', comment: '' },
  file: null,
};
const PAGE: SecurityKey = {
  ...{ key: 'SHA256:7Hn0zVJr0nq2wqkq1VYf3l0Tn8m5j1oPpV3y4k9sXbQ', comment: 'the green one', file: null },
  page: 'http://localhost:8321',
};
const FOUND = '/home/you/.ssh/id_ecdsa_sk.pub';

class MockKeys implements Double {
  #keys: SecurityKey[];
  #found = [FOUND];
  #scene: string;
  #emit: (event: Event) => void;
  #cancel: (fault: Fault) => void = () => undefined;

  constructor(scene: string, emit: (event: Event) => void) {
    this.#scene = scene;
    this.#emit = emit;
    this.#keys = scene === 'empty' || scene === 'level-missing' ? [] : [BLUE, OLD];
    if (scene === 'keys-page') this.#keys = [BLUE, PAGE];
  }

  command(command: Command): Answer | Promise<Answer> | null {
    switch (command.command) {
      case 'security_keys':
        return this.#told();
      case 'add_security_key': {
        const file = command.file.replace(/\.pub$/, '');
        this.#keys = [...this.#keys, { ...BLUE, key: `SHA256:${'k'.repeat(43)}`, comment: 'new', file }];
        this.#found = this.#found.filter((path) => path !== command.file);
        return this.#told();
      }
      case 'remove_security_key':
        this.#keys = this.#keys.filter((each) => each.key !== command.key);
        return this.#told();
      case 'send_reply':
        if (this.#scene === 'level-system')
          this.#emit({ event: 'confirmation_asked', request_id: command.request_id, digits: '4071 8826' });
        // The key blinks, or the prompt stands there, until somebody cancels.
        return command.decision === 'approved' && command.request_id.startsWith('level')
          ? new Promise<Answer>((_, reject) => (this.#cancel = reject))
          : null;
      case 'cancel_signing':
        this.#cancel({
          code: 'not_signed',
          message: 'The approval wasn’t signed, and nothing was sent. It was cancelled.',
          mend: 'What you wrote is still there. Approve again where you meant to.',
        });
        return {};
      default:
        return null;
    }
  }

  #told(): Answer {
    return { keys: this.#keys, found: this.#found };
  }
}

export default (scene: string, emit: (event: Event) => void): Double => new MockKeys(scene, emit);
