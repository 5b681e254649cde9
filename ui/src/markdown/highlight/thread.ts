// The part that the threads share: a question with code comes in, its runs go out.
import type { LanguageFn } from 'highlight.js';
import { createLowlight } from 'lowlight';
import { markedOf, type Question, type Reply } from './marked';

/** What a thread needs of its surroundings. */
interface Surroundings {
  onmessage: ((event: MessageEvent<Question>) => void) | null;
  postMessage(reply: Reply): void;
}

/** Answers every question that comes to this thread, one after the other. */
export function answer(grammars: Record<string, LanguageFn>): void {
  const highlighter = createLowlight(grammars);
  const thread = self as unknown as Surroundings;
  thread.onmessage = ({ data: { id, language, code } }) => {
    let marked: Reply['marked'] = null;
    try {
      marked = markedOf(highlighter.highlight(language, code));
    } catch {
      // A grammar that fails on some code leaves it as it was.
    }
    thread.postMessage({ id, marked });
  };
}
