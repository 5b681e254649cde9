// What every control of a setting is given.
import type { Field } from '../field.svelte';
import type { Port } from '../../state/port';
import type { Form } from '../forms';

export interface ControlProps {
  field: Field;
  /** Asks the gate for what isn't in a setting. */
  port: Port;
  /** The start of the ids around it: `ID-title` names it. */
  id: string;
  /** The ids of what describes it. */
  describedby: string;
  /** It holds something else now; `typing` while more of it may come. */
  onedit: (form: Form, typing: boolean) => void;
  /** The person has left it: what they typed is meant. */
  onleave: () => void;
}
