// What stands for one subject of the gate in the fixtures.
import type { Command } from '../generated/Command';
import type { Event } from '../generated/Event';
import type { Answer } from '../state/port';

/** Answers what belongs to its subject; null for other commands. */
export interface Double {
  command(command: Command): Answer | Promise<Answer> | null;
}

/** What a `mock-*.ts` gives by default where its subject needs nothing of the others. */
export type MakeDouble = (scene: string, emit: (event: Event) => void) => Double;

/** Each of them, for a scene. */
export function doubles(...given: Parameters<MakeDouble>): Double[] {
  const found = import.meta.glob<{ default?: MakeDouble }>('./mock-*.ts', { eager: true });
  return Object.values(found).flatMap((module) => module.default?.(...given) ?? []);
}
