// A conversation as it is read: messages under their days, checkpoints between them, and runs of
// superseded messages folded together. Pure; the present is passed in.
import type { CheckpointView } from '../generated/CheckpointView';
import type { MessageView } from '../generated/MessageView';
import { day } from '../state/format';

export type FlowItem =
  | { kind: 'day'; key: string; label: string }
  | { kind: 'message'; key: string; message: MessageView }
  | { kind: 'checkpoint'; key: string; view: CheckpointView; later: number };

export type FlowPart = FlowItem | { kind: 'superseded'; key: string; count: number; items: FlowItem[] };

/** How many messages restoring this checkpoint would mark: the later ones that aren't marked yet. */
export function laterThan(messages: readonly MessageView[], checkpoint: CheckpointView): number {
  return messages.filter((message) => message.message_id > checkpoint.after_message && !message.superseded)
    .length;
}

/**
 * The parts in order. Checkpoints that stand before the first of these messages are left out while
 * there are older messages (`more`) between which they belong.
 */
export function flowOf(
  messages: readonly MessageView[],
  checkpoints: readonly CheckpointView[],
  more: boolean,
  now: number,
): FlowPart[] {
  const parts: FlowPart[] = [];
  const first = messages[0]?.message_id ?? 0;
  let waiting = checkpoints.filter((each) => !(more && each.after_message < first));
  let fold: Extract<FlowPart, { kind: 'superseded' }> | null = null;
  let lastDate = '';

  const put = (item: FlowItem) => (fold ? fold.items : parts).push(item);
  const putCheckpoints = (before: number) => {
    for (const view of waiting.filter((each) => each.after_message < before)) {
      const { checkpoint_id: id } = view.checkpoint;
      put({ kind: 'checkpoint', key: `checkpoint ${id}`, view, later: laterThan(messages, view) });
    }
    waiting = waiting.filter((each) => each.after_message >= before);
  };

  for (const message of messages) {
    putCheckpoints(message.message_id);
    const key = String(message.message_id);
    if (message.superseded) {
      if (!fold) {
        fold = { kind: 'superseded', key: `superseded ${key}`, count: 0, items: [] };
        parts.push(fold);
      }
      fold.count += 1;
    } else fold = null;
    const date = new Date(message.created_at).toDateString();
    if (date !== lastDate) put({ kind: 'day', key: `day ${key}`, label: day(message.created_at, now) });
    lastDate = date;
    put({ kind: 'message', key, message });
  }
  putCheckpoints(Infinity);
  return parts;
}
