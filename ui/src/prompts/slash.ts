// How clients call a prompt as a slash command, and which of them the person copied for last.

export interface SlashForm {
  form: string;
  /** The client's name; null for all others, which the catalogue names. */
  name: string | null;
  command: (id: string) => string;
}

export const SLASH_FORMS: readonly SlashForm[] = [
  { form: 'claude-code', name: 'Claude Code', command: (id) => `/mcp__review-gate__${id}` },
  { form: 'vscode', name: 'VS Code', command: (id) => `/mcp.review-gate.${id}` },
  { form: 'others', name: null, command: (id) => `/${id}` },
];

const PLACE = 'review-gate.slash-form';

/** The form that was copied last; the first where none was, or the page may keep nothing. */
export function lastForm(): SlashForm {
  let kept: string | null = null;
  try {
    kept = localStorage.getItem(PLACE);
  } catch {
    // The first one is as good a guess as any.
  }
  return SLASH_FORMS.find((each) => each.form === kept) ?? (SLASH_FORMS[0] as SlashForm);
}

/** Keeps in mind which form was copied. */
export function keepForm(form: SlashForm): void {
  try {
    localStorage.setItem(PLACE, form.form);
  } catch {
    // It is asked for anew the next time.
  }
}
