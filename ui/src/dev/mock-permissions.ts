// The mock gate's permission questions: they take an answer, and end or are asked anew where the scene says so.
import type { Command } from '../generated/Command';
import type { Event } from '../generated/Event';
import type { Answer } from '../state/port';
import type { Double } from './double';

class MockPermissions implements Double {
  #emit: (event: Event) => void;
  #scene: string;

  constructor(scene: string, emit: (event: Event) => void) {
    this.#emit = emit;
    this.#scene = scene;
    const request_id = 'permission-1';
    if (scene === 'permission-over')
      setTimeout(() => {
        emit({ event: 'permission_over', request_id, why: 'answered_there' });
        emit({ event: 'request_closed', request_id, status: 'cancelled', undo_until: null });
      }, 300);
    if (scene === 'permission-replaced')
      setTimeout(() => {
        emit({ event: 'permission_replaced', request_id, by: 'permission-2' });
        emit({ event: 'request_closed', request_id, status: 'cancelled', undo_until: null });
      }, 300);
  }

  command(command: Command): Answer | null {
    if (command.command === 'permission_needs') {
      const more = this.#scene === 'permission-level' && command.answer.answer === 'rule';
      return more ? { needs: { level: 'L3' } } : {};
    }
    if (command.command !== 'answer_permission') return null;
    const { request_id } = command;
    this.#emit({ event: 'request_closed', request_id, status: 'answered', undo_until: null });
    return {};
  }
}

export default (scene: string, emit: (event: Event) => void): Double => new MockPermissions(scene, emit);
