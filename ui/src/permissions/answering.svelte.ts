// How far the person is with the answer to a permission question: they choose, say why not, or edit. What is written is
// the request's draft, so that it outlives being switched away from.
import type { ApprovalNeeds } from '../generated/ApprovalNeeds';
import type { PermissionAnswer } from '../generated/PermissionAnswer';
import type { PermissionView } from '../generated/PermissionView';
import type { ReplyDraft } from '../reply/reply-draft.svelte';
import type { Review } from '../review/review.svelte';
import { ask, type Port } from '../state/port';

const kept = new WeakMap<ReplyDraft, Answering>();

/** The answer to a request, made when it is first shown. */
export function answeringOf(reply: ReplyDraft, permission: PermissionView): Answering {
  let found = kept.get(reply);
  if (!found) kept.set(reply, (found = new Answering(reply, permission)));
  return found;
}

/** Whether a line stands open there. */
export const isWriting = (reply: ReplyDraft) => (kept.get(reply)?.mode ?? 'choose') !== 'choose';

export class Answering {
  mode = $state<'choose' | 'deny' | 'edit'>('choose');
  /** The sentence for the model. */
  reason = $state('');
  /** What is to be allowed instead. */
  edited = $state('');

  /** Whether some of what is to be allowed isn't shown yet. */
  cut = $state(false);

  /** What allowing with a rule takes besides the act; undefined while that isn't known. */
  ruleNeeds = $state.raw<ApprovalNeeds | null>();
  /** What allowing what is edited takes, as far as it was looked at. */
  #editNeeds = $state.raw<ApprovalNeeds | null>(null);
  #weighed: string | null = null;
  /** Whether the answer that is on its way is a rule. */
  #keeping = $state(false);

  readonly #reply: ReplyDraft;
  readonly #permission: PermissionView;
  /** The option that stands for an edited input: by it the draft's text is known to be one. */
  readonly #label: string | undefined;

  constructor(reply: ReplyDraft, permission: PermissionView) {
    this.#reply = reply;
    this.#permission = permission;
    this.#label = this.editable ? reply.view.options[0]?.label : undefined;
    this.edited = permission.editable?.text ?? '';
    this.restore();
  }

  /** Takes up what the draft holds. */
  restore(): void {
    const reply = this.#reply;
    if (reply.text === '') return;
    if (this.#label && reply.selected.includes(this.#label)) {
      this.edited = reply.text;
      this.mode = 'edit';
    } else if (this.#permission.answers.reason) {
      this.reason = reply.text;
      this.mode = 'deny';
    }
  }

  /** Whether something of it may be changed and allowed. */
  get editable(): boolean {
    return this.#permission.answers.edited && this.#permission.editable !== null;
  }

  /** Whether what is to be allowed is another text than was asked for. */
  get differs(): boolean {
    return this.edited !== this.#permission.editable?.text;
  }

  /** Takes what is typed into the open line. */
  write(text: string): void {
    const edits = this.mode === 'edit';
    if (edits) this.edited = text;
    else this.reason = text;
    if (this.#label && this.#reply.selected.includes(this.#label) !== edits) this.#reply.toggle(this.#label);
    this.#reply.write(text);
  }

  /** What the open line sends. */
  get written(): PermissionAnswer | null {
    if (this.mode === 'deny') return { answer: 'deny', reason: this.reason };
    return this.mode === 'edit' && this.differs ? { answer: 'edited', text: this.edited } : null;
  }

  /** What the answer that is about to be given takes besides the act; nothing where only the act counts. */
  get needs(): ApprovalNeeds | undefined {
    const more = this.#keeping ? this.ruleNeeds : this.mode === 'edit' ? this.#editNeeds : null;
    return more ?? this.#reply.view.needs;
  }

  /** Asks what an answer takes. Where the gate can't say, it says so when the answer is given. */
  async #ask(port: Port, answer: PermissionAnswer): Promise<ApprovalNeeds | null> {
    const asked = { command: 'permission_needs', request_id: this.#reply.id, answer } as const;
    return await ask(port, asked).then(
      ({ needs }) => needs ?? null,
      () => null,
    );
  }

  /** Looks what allowing with a rule takes: with any, all that it may allow later counts. */
  async weighRules(port: Port): Promise<void> {
    const [rule] = this.#permission.rules;
    if (rule) this.ruleNeeds = await this.#ask(port, { answer: 'rule', id: rule.id });
  }

  /** Looks what allowing what stands in the line takes. */
  async weigh(port: Port): Promise<void> {
    const { edited } = this;
    if (edited === this.#weighed || !this.differs) return;
    const needs = await this.#ask(port, { answer: 'edited', text: edited });
    if (edited === this.edited) [this.#weighed, this.#editNeeds] = [edited, needs];
  }

  /** Sends an answer to what is shown here. It can't be taken back: the agent goes on at once. */
  async send(review: Review, answer: PermissionAnswer): Promise<void> {
    const { id, view } = this.#reply;
    await review.renewing;
    // What was written in another window may stand here by now; not another question.
    const { reply } = review;
    if (!reply?.open || reply.id !== id || reply.view.digest !== view.digest) return;
    if (answer.answer === 'edited') {
      // What is sent while it is typed takes what was told, or is told first.
      const told = this.needs?.level;
      await this.weigh(review.port);
      if (this.needs?.level !== told || !reply.open) return;
    }
    this.#keeping = answer.answer === 'rule';
    reply.approving = answer.answer !== 'deny';
    reply.digits = null;
    await review.conclude(reply, 'sending', {
      command: 'answer_permission',
      request_id: id,
      digest: view.digest,
      answer,
    });
    this.#keeping = false;
  }
}
