// What stands in the fields of a prompt's arguments, and what is given to the gate for it. Pure.
import type { PromptArgument } from '../generated/PromptArgument';

/** What was put in, by the argument's name; an argument that isn't there was left alone. */
export type Values = ReadonlyMap<string, string>;

export type Control = 'text' | 'number' | 'switch' | 'choice' | 'several' | 'list' | 'secret';

/** The control that fits what an argument may be. */
export function controlOf(argument: PromptArgument): Control {
  // What it may be stands in the file.
  const open = argument.type === 'boolean' || argument.values.length > 0;
  if (argument.secret && !open) return 'secret';
  switch (argument.type) {
    case 'string':
      return 'text';
    case 'number':
      return 'number';
    case 'boolean':
      return 'switch';
    case 'enum':
      return argument.values.length > 0 ? 'choice' : 'text';
    case 'list':
      return argument.values.length > 0 ? 'several' : 'list';
  }
}

/** The default as a person reads it; null for none. */
export function defaultText(argument: PromptArgument): string | null {
  const { default: value } = argument;
  if (value === null) return null;
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/** Whether a switch is on. */
export function isOn(argument: PromptArgument, value: string | undefined): boolean {
  return value === undefined ? argument.default === true : value === 'true';
}

/** What is chosen of a list with values. */
export function chosenOf(argument: PromptArgument, value: string | undefined): readonly string[] {
  if (value === undefined) return Array.isArray(argument.default) ? argument.default : [];
  try {
    const read: unknown = JSON.parse(value);
    return Array.isArray(read) ? read.map(String) : [];
  } catch {
    return [];
  }
}

/** The choice with one entry added, or without it; in the order of the values. */
export function toggled(argument: PromptArgument, value: string | undefined, entry: string): string {
  const chosen = new Set(chosenOf(argument, value));
  if (!chosen.delete(entry)) chosen.add(entry);
  return JSON.stringify(argument.values.filter((each) => chosen.has(each)));
}

/** What is put in for these arguments. A field that was emptied counts as left alone. */
export function given(declared: readonly PromptArgument[], values: Values): Record<string, string> {
  return Object.fromEntries(
    declared.flatMap(({ name }) => {
      const value = values.get(name);
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}
