// The agents and folders that the history can be narrowed down to, as the record has them, and their names.
import type { HistoryAgent } from '../generated/HistoryAgent';
import type { HistoryWorkspace } from '../generated/HistoryWorkspace';
import { t } from '../i18n/text.svelte';
import { workspaces } from '../sessions/workspaces.svelte';
import { agentName } from '../state/format';
import { kept } from '../state/kept.svelte';
import { ask } from '../state/port';
import type { History } from './history.svelte';

export class Choices {
  agents = $state.raw<readonly HistoryAgent[]>([]);
  workspaces = $state.raw<readonly HistoryWorkspace[]>([]);

  #history: History;

  constructor(history: History) {
    this.#history = history;
  }

  /** Looks which there are now. */
  async load(): Promise<void> {
    try {
      const found = await ask(this.#history.port, { command: 'history_choices' });
      this.agents = found.agents;
      this.workspaces = found.workspaces;
    } catch {
      // What was there is still offered; where the gate doesn't answer, the list says so.
    }
  }

  /** An agent's name; two that are called alike are told apart. */
  agent(client: string): string {
    const agent = this.agents.find((each) => each.client === client);
    if (!agent) return agentName(client);
    const alike = this.agents.filter((each) => each.name === agent.name).length;
    const name = agentName(agent.name);
    return alike > 1 ? t('history-agent-alike', { name, client }) : name;
  }

  /** A folder's name; of two that are called alike the whole folder. */
  workspace(workspace: string): string {
    const folder = this.workspaces.find((each) => each.workspace === workspace);
    if (!folder) return workspace;
    const called = (each: HistoryWorkspace) => workspaces.label(each.workspace, each.name);
    const alike = this.workspaces.filter((each) => called(each) === called(folder)).length;
    return alike > 1 ? folder.folder : called(folder);
  }
}

export const choicesOf = kept((history: History) => new Choices(history));
