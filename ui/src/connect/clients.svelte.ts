// The Connect page's state: the clients of this machine, and connecting or disconnecting one of them, with
// what that would write shown first.
import type { ClientPreview } from '../generated/ClientPreview';
import type { ClientScope } from '../generated/ClientScope';
import type { ClientState } from '../generated/ClientState';
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
}

export class Clients {
  list = $state.raw<readonly ClientState[] | null>(null);
  /** The folder of a project whose files are looked at, too. */
  project = $state<string | null>(null);
  /** Why the list can't be had. */
  fault = $state.raw<Fault | null>(null);
  plan = $state.raw<Plan | null>(null);
  preview = $state.raw<ClientPreview | null>(null);
  /** Why the plan can't be shown or carried out. */
  refused = $state.raw<Fault | null>(null);
  busy = $state(false);
  /** What was done last. */
  done = $state.raw<{ client: string; connected: boolean; backup: string | null } | null>(null);
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
      const { clients } = await ask(this.#port, { command: 'clients', project });
      if (project !== this.project) return;
      this.list = clients;
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
    });
  }

  /** Shows what another plan would write. */
  async consider(plan: Plan): Promise<void> {
    const turn = (this.#turn += 1);
    // Of the same client the old one stands until the new one is there.
    if (this.plan?.client !== plan.client || this.plan.connect !== plan.connect) this.preview = null;
    this.plan = plan;
    this.refused = null;
    const { client, scope, connect, rules, takeOver, allow } = plan;
    try {
      const preview = await ask(this.#port, {
        command: 'preview_client',
        client,
        scope,
        connect,
        rules,
        take_over: takeOver,
        allow,
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
    const { client, scope, connect, rules, takeOver, allow } = plan;
    const backup = this.preview?.backup ?? null;
    this.busy = true;
    try {
      const { clients } = await ask(
        this.#port,
        connect
          ? { command: 'connect_client', client, scope, rules, take_over: takeOver, allow, project }
          : { command: 'disconnect_client', client, scope, project },
      );
      this.list = clients;
      this.done = { client, connected: connect, backup };
      this.cancel();
    } catch (thrown) {
      this.refused = toFault(thrown);
    } finally {
      this.busy = false;
    }
  }
}
