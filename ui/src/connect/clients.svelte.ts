// The Connect page's state: the clients of this machine, and connecting or disconnecting one of them, with
// what that would write shown first.
import type { ClientPreview } from '../generated/ClientPreview';
import type { ClientScope } from '../generated/ClientScope';
import type { ClientState } from '../generated/ClientState';
import type { Clients as Found } from '../generated/Clients';
import type { Fault } from '../generated/Fault';
import type { Finding } from '../generated/Finding';
import { ask, toFault, type Port } from '../state/port';

/** What somebody is about to do with a client. */
export interface Plan {
  client: string;
  connect: boolean;
  scope: ClientScope;
  /** Whether the file with the rules (when to ask) is written, too. */
  rules: boolean;
  /** Whether an entry of Review Gate V2 goes. */
  takeOver: boolean;
  /** Whether its agents may call the gate’s tools without asking the person before each call. */
  allow: boolean;
  /** Whether its questions whether an agent may do something come here. */
  questions: boolean;
  /** Whether its agents propose changes, and review those of others. */
  reviews: boolean;
}

/** The toolset of reviews, and the one that every agent has. */
const REVIEWS = 'broker';
const OF_ALL = 'gate';

/** Whether its agents take part in reviews already. */
export const takesPart = (client: ClientState): boolean => client.toolsets.includes(REVIEWS);

/** The toolsets that a plan names: none where it changes nothing about them. */
function toolsets(client: ClientState | undefined, { connect, reviews }: Plan): string[] {
  if (!client || !connect || reviews === takesPart(client)) return [];
  const others = client.toolsets.filter((each) => each !== REVIEWS);
  const kept = others.length > 0 ? others : [OF_ALL];
  return reviews ? [...kept, REVIEWS] : kept;
}

/** Whether they do in a scope already. */
export const asksHere = (client: ClientState, scope: ClientScope): boolean =>
  client.asks_here.some((each) => each.scope === scope);

/** Whether all that a plan does is that they don't come here any more. */
export const takesOut = (client: ClientState, { connect, scope, questions }: Plan): boolean =>
  connect && !questions && asksHere(client, scope);

export class Clients {
  list = $state.raw<readonly ClientState[] | null>(null);
  /** The folder of a project whose files are looked at, too. */
  project = $state<string | null>(null);
  /** Whether the gate takes questions whether an agent may do something. */
  takesQuestions = $state(true);
  /** Why the list can't be had. */
  fault = $state.raw<Fault | null>(null);
  plan = $state.raw<Plan | null>(null);
  preview = $state.raw<ClientPreview | null>(null);
  /** Why the plan can't be shown or carried out. */
  refused = $state.raw<Fault | null>(null);
  busy = $state(false);
  /** What was done last. */
  done = $state.raw<{
    client: string;
    connected: boolean;
    backup: string | null;
    /** Whether its permission questions come here now, or don't any more; null where nothing was done about them. */
    questions: boolean | null;
  } | null>(null);
  /** Whether a test question waits for the person. */
  trying = $state(false);
  /** What came of the last one. */
  tried = $state.raw<Finding | null>(null);
  /** Why none could be sent. */
  untried = $state.raw<Fault | null>(null);

  #port: Port;
  #turn = 0;

  constructor(port: Port) {
    this.#port = port;
  }

  readonly connected = $derived((this.list ?? []).filter((each) => each.connected));
  readonly found = $derived((this.list ?? []).filter((each) => each.found && !each.connected));
  readonly absent = $derived((this.list ?? []).filter((each) => !each.found && !each.connected));

  /** Looks at the files of another project, or of none. */
  async lookAt(project: string | null): Promise<void> {
    this.cancel();
    this.project = project;
    await this.load();
  }

  async load(): Promise<void> {
    const { project } = this;
    try {
      const found = await ask(this.#port, { command: 'clients', project });
      if (project !== this.project) return;
      this.#take(found);
      this.fault = null;
    } catch (thrown) {
      if (project === this.project) this.fault = toFault(thrown);
    }
  }

  /** Begins connecting a client, or disconnecting it, and shows what that would write. */
  async begin(client: ClientState, connect: boolean): Promise<void> {
    // What is connected is taken out where it stands.
    const file = connect ? undefined : client.files.find((each) => each.connected);
    this.done = null;
    await this.consider({
      client: client.client,
      connect,
      scope: file?.scope ?? 'user',
      rules: client.rules !== 'unsupported',
      takeOver: client.elsewhere,
      allow: false,
      questions: connect && asksHere(client, file?.scope ?? 'user'),
      reviews: takesPart(client),
    });
  }

  #take(found: Found): void {
    this.list = found.clients;
    this.takesQuestions = found.takes_questions;
  }

  #of(plan: Plan): ClientState | undefined {
    return this.list?.find((each) => each.client === plan.client);
  }

  /** Whether a plan takes out that permission questions come here, and nothing else. */
  #takesOut(plan: Plan): boolean {
    const client = this.#of(plan);
    return client !== undefined && takesOut(client, plan);
  }

  /** Shows what another plan would write. */
  async consider(plan: Plan): Promise<void> {
    const turn = (this.#turn += 1);
    // Of the same client the old one stands until the new one is there.
    if (this.plan?.client !== plan.client || this.plan.connect !== plan.connect) this.preview = null;
    this.plan = plan;
    this.refused = null;
    const { client, scope, rules, takeOver, allow } = plan;
    const out = this.#takesOut(plan);
    try {
      const preview = await ask(this.#port, {
        command: 'preview_client',
        client,
        scope,
        connect: plan.connect && !out,
        rules,
        take_over: takeOver,
        allow,
        questions: plan.questions || out,
        toolsets: out ? [] : toolsets(this.#of(plan), plan),
        project: this.project,
      });
      if (turn === this.#turn) this.preview = preview;
    } catch (thrown) {
      if (turn !== this.#turn) return;
      this.preview = null;
      this.refused = toFault(thrown);
    }
  }

  /** Has a question come up as an agent’s does, and waits until the person has done something with it. */
  async tryIt(): Promise<void> {
    if (this.trying) return;
    this.trying = true;
    this.tried = this.untried = null;
    try {
      this.tried = (await ask(this.#port, { command: 'test_request' })).finding;
    } catch (thrown) {
      this.untried = toFault(thrown);
    } finally {
      this.trying = false;
    }
  }

  cancel(): void {
    this.#turn += 1;
    this.plan = this.preview = this.refused = null;
  }

  /** Does what is planned. */
  async carryOut(): Promise<void> {
    const { plan, project } = this;
    if (!plan || this.busy) return;
    const { client, scope, connect, rules, takeOver, allow, questions } = plan;
    const out = this.#takesOut(plan);
    const before = this.#of(plan)?.asks_here ?? [];
    const backup = this.preview?.backup ?? null;
    this.busy = true;
    try {
      const found = await ask(
        this.#port,
        connect && !out
          ? {
              command: 'connect_client',
              client,
              scope,
              rules,
              take_over: takeOver,
              allow,
              questions,
              toolsets: toolsets(this.#of(plan), plan),
              project,
            }
          : { command: 'disconnect_client', client, scope, questions: out, project },
      );
      this.#take(found);
      const brought = connect && questions && !before.some((each) => each.scope === scope);
      this.done = { client, connected: connect && !out, backup, questions: brought || (out ? false : null) };
      this.cancel();
    } catch (thrown) {
      this.refused = toFault(thrown);
    } finally {
      this.busy = false;
    }
  }
}
