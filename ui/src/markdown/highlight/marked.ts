// What a highlighter says of a code: where each run of it ends and what kind of thing it is.
import type { createLowlight } from 'lowlight';

/** The runs of a code, one after the other: `ends` ascending up to the code's length, `kinds` from {@link Kind} or empty. */
export interface Marked {
  ends: number[];
  kinds: string[];
}

/** A question to a highlighter's thread, and its answer. */
export interface Question {
  id: number;
  language: string;
  code: string;
}
export interface Reply {
  id: number;
  /** Null where the language isn't known there or the code can't be read. */
  marked: Marked | null;
}

/** What a highlighter's classes look like on the page: few enough kinds to tell them apart. */
const KINDS: Record<string, string> = {
  keyword: 'keyword',
  operator: 'keyword',
  built_in: 'type',
  type: 'type',
  class: 'type',
  literal: 'number',
  number: 'number',
  symbol: 'number',
  bullet: 'number',
  string: 'string',
  regexp: 'string',
  char: 'number',
  code: 'string',
  comment: 'comment',
  quote: 'comment',
  doctag: 'meta',
  meta: 'meta',
  title: 'name',
  section: 'name',
  link: 'string',
  attr: 'property',
  attribute: 'property',
  property: 'property',
  'template-variable': 'property',
  variable: 'property',
  name: 'tag',
  tag: '',
  'selector-tag': 'tag',
  'selector-id': 'name',
  'selector-class': 'name',
  'selector-attr': 'property',
  'selector-pseudo': 'keyword',
  addition: 'added',
  deletion: 'removed',
  params: '',
  subst: '',
  punctuation: '',
};

type Tree = ReturnType<ReturnType<typeof createLowlight>['highlight']>;
type Node = Tree['children'][number];

/** The runs of a highlighter's tree; neighbours of the same kind are one. */
export function markedOf(tree: Tree): Marked {
  const ends: number[] = [];
  const kinds: string[] = [];
  let at = 0;
  const visit = (node: Node, kind: string): void => {
    if (node.type === 'text') {
      if (node.value === '') return;
      at += node.value.length;
      if (kinds.at(-1) === kind) ends[ends.length - 1] = at;
      else {
        ends.push(at);
        kinds.push(kind);
      }
    } else if (node.type === 'element') {
      const inner = kindOf(node.properties['className'], kind);
      for (const child of node.children) visit(child, inner);
    }
  };
  for (const node of tree.children) visit(node, '');
  return { ends, kinds };
}

function kindOf(classes: unknown, outer: string): string {
  if (!Array.isArray(classes)) return outer;
  const [name, ...more] = classes.map((each) => String(each).replace(/^hljs-/, ''));
  if (more.includes('class_')) return 'type';
  if (more.includes('language_')) return 'keyword';
  if (more.includes('constant_')) return 'number';
  return KINDS[name ?? ''] ?? outer;
}
