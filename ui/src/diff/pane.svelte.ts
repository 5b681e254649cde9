// A diff that is being reviewed: what of it is folded, viewed and shown, where everything stands, and which
// of it is drawn. Knows no elements; the page is a `Stage` that tells what is seen and scrolls.
import { tick } from 'svelte';
import type { DiffFile } from '../generated/DiffFile';
import { t } from '../i18n/text.svelte';
import type { OpenComment } from '../reply/reply-draft.svelte';
import { FileBody } from './body';
import { Cursor } from './cursor.svelte';
import { Finder } from './finder.svelte';
import { Ink } from './ink';
import { Column, NOTHING, slicesOf, type Measures, type Slice } from './measure';
import { keepViewed, look, viewedIn } from './memory.svelte';
import type { Part } from './parts';
import { pathOf, pathOn } from './rows';
import { sinceText } from './since';
import type { Talk } from './talk';

/** Stands for a line's number in `Pane.words`. */
export const LINE = '\u0001';
/** Drawn beyond what is seen at first; the rest comes with the next picture, so that none takes long. */
const FIRST = 160;
/** Drawn beyond what is seen, above and below, in pixels. */
const MORE = 560;
/** Once less than this is left of it, more is drawn. */
const LEAST = 300;
/** A diff narrower than this has no room for two sides, in pixels. */
export const SPLIT_WIDTH = 760;

/** The page around a diff. Lengths in pixels, from the top of the diff's first file. */
export interface Stage {
  /** What is seen: where it begins, and how high it is. `cover`: what sticks to its top, without a file's head. */
  seen(): { top: number; height: number; cover: number };
  scrollBy(distance: number): void;
  /** Does something after the next picture. */
  soon(act: () => void): void;
  /** Gives the diff the focus of the keyboard. */
  focus(): void;
}

const panes = new WeakMap<Talk, Pane>();

/** The diff of a request, as it was left when the request was looked at before. */
export function paneOf(reply: Talk, files: readonly DiffFile[]): Pane {
  const known = panes.get(reply);
  if (known) return known;
  let pane: Pane | undefined;
  // It outlives the component that asks for it, and so must what it derives.
  $effect.root(() => {
    pane = new Pane(reply, files);
  });
  panes.set(reply, pane as unknown as Pane);
  return pane as unknown as Pane;
}

/** What is drawn: files, and of each of them its parts. */
export interface DrawnFile {
  key: string;
  body: FileBody;
  slices: readonly Slice[];
}
export type Drawn = { kind: 'space'; key: string; height: number } | ({ kind: 'file' } & DrawnFile);

/** A place that is to stay where it is on the screen. */
interface Anchor {
  file: number;
  hunk: number;
  row: number;
  /** The part; null for the file's head. */
  key: number | null;
  /** How far below the top of what is seen. */
  below: number;
}

export class Pane {
  readonly reply: Talk;
  readonly bodies: readonly FileBody[];
  readonly cursor = new Cursor(this);
  readonly finder = new Finder(this);
  readonly ink = new Ink((act) => this.#stage?.soon(act));
  folded = $state.raw<ReadonlySet<number>>(new Set());
  viewed = $state.raw<ReadonlySet<number>>(new Set());
  /** Only what isn't as it was when the person last answered. */
  freshOnly = $state(false);
  /** Whether there is room for two sides. */
  wide = $state(false);
  drawn = $state.raw<readonly Drawn[]>([]);
  /** Files whose end was on the screen, or that the person marked as viewed here. */
  seen = $state.raw<ReadonlySet<number>>(new Set());
  /** Counts every change of what stands where. */
  stamp = $state(0);
  /** Counts how often more was drawn of a long line. */
  reached = $state(0);
  /** The file at the top of what is seen. */
  current = $state(0);
  /** The comment that takes the focus once it is drawn. */
  opening = $state<number | null>(null);
  measures: Measures = NOTHING;

  readonly split = $derived(look.split && this.wide);
  /** Whether the agent has asked about these files before. */
  readonly again: boolean;
  readonly count = $derived.by(() => {
    void this.stamp;
    return this.bodies.reduce((sum, body) => sum + 1 + (this.isFolded(body) ? 0 : body.parts.length), 0);
  });

  /** What rows are called; made once, since there are many rows. `LINE` stands for the line's number. */
  readonly words = $derived.by(() => {
    const of = (id: string) => t(id, { line: LINE });
    const [added, removed, context] = [of('diff-row-added'), of('diff-row-removed'), of('diff-row-same')];
    const [old, add] = [of('diff-row-old'), of('diff-comment-add')];
    return {
      added,
      removed,
      context,
      outside: t('diff-outside'),
      old,
      add,
      fresh: `, ${sinceText(this.reply, 'diff-fresh')}`,
    };
  });

  #stage: Stage | null = null;
  #shown: readonly FileBody[] = [];
  #column = new Column([]);
  #from = 0;
  #to = 0;
  /** Whether the rest is drawn with the next picture. */
  #soon = false;
  #pinned: { file: number; key: number } | null = null;
  /** What the last change of how all looks kept in its place, and how far below the top that came to be. */
  #held: { anchor: Anchor; below: number; at: unknown } | null = null;
  #byPath = new Map<string, number>();

  constructor(reply: Talk, files: readonly DiffFile[]) {
    this.reply = reply;
    this.bodies = files.map((file, index) => new FileBody(index, file));
    this.again = files.some((file) => file.since !== null);
    for (const [index, file] of files.entries())
      for (const side of ['old', 'new'] as const) {
        const name = `${side}:${pathOn(file, side)}`;
        if (!this.#byPath.has(name)) this.#byPath.set(name, index);
      }
    this.#recall();
  }

  get files(): readonly FileBody[] {
    void this.stamp;
    return this.#shown;
  }

  isFolded(body: FileBody): boolean {
    return this.folded.has(body.index);
  }

  /** Whether the file has anything below its head, with where its lines can be scrolled sideways. */
  isScrolled(body: FileBody): boolean {
    const { wrap, cell, text } = this.measures;
    return !wrap && body.longest * cell > text && body.parts.length > 0;
  }

  /** Lays the diff out for a page and draws what is seen of it. Answers how to leave the page. */
  enter(stage: Stage, measures: Measures, wide: boolean): () => void {
    this.#stage = stage;
    this.measures = measures;
    this.wide = wide;
    this.take(this.reply.comments, false);
    this.#build();
    this.place(true);
    return () => {
      this.#stage = null;
      this.ink.stop();
    };
  }

  /** The page was scrolled. */
  scrolled(): void {
    this.ink.moved();
    this.place();
  }

  // Changes of what is shown

  /** Other fonts, widths, or choices of how diffs look. */
  resize(measures: Measures, wide: boolean): void {
    const held = this.#held;
    // Where nobody has moved since the last time, to and fro leads back to the same place.
    const stays = held?.at === this.cursor.at && Math.abs(this.#below(held?.anchor) - (held?.below ?? 0)) < 2;
    const anchor = held && stays ? held.anchor : this.#anchor(true);
    this.#held = anchor && { anchor, below: NaN, at: this.cursor.at };
    this.#keep(
      () => {
        this.measures = measures;
        this.wide = wide;
        this.#build();
        // All of it is drawn anew, what is seen first.
        this.#from = this.#to = -Infinity;
      },
      false,
      anchor ?? undefined,
    );
  }

  fold(index: number, folded: boolean): void {
    if (this.folded.has(index) === folded) return;
    const body = this.bodies[index];
    // Whoever folds a long file from within finds its head where it stuck.
    const anchor = body && this.#headAnchor(body);
    this.#keep(
      () => {
        const next = new Set(this.folded);
        if (folded) next.add(index);
        else next.delete(index);
        this.folded = next;
      },
      false,
      anchor ?? undefined,
    );
    if (folded) this.cursor.toHead(index);
  }

  foldAll(folded: boolean): void {
    const top = this.bodies[this.current];
    const anchor = top && this.#headAnchor(top);
    this.#keep(() => (this.folded = new Set(folded ? this.bodies.keys() : [])), false, anchor ?? undefined);
    if (folded && this.cursor.at) this.cursor.toHead(this.cursor.at.file);
  }

  /** Marks a file as viewed, and folds it away; or neither. */
  view(index: number, viewed: boolean): void {
    const next = new Set(this.viewed);
    if (viewed) next.add(index);
    else next.delete(index);
    this.viewed = next;
    if (viewed) this.#see([index]);
    const { session_uuid, request_id } = this.reply.summary;
    keepViewed(
      session_uuid,
      request_id,
      [...next].flatMap((each) => this.bodies[each]?.file ?? []).map(pathOf),
    );
    this.fold(index, viewed);
  }

  showFresh(only: boolean): void {
    this.#keep(() => {
      this.freshOnly = only;
      this.#build();
    }, true);
  }

  /** Opens or closes folded rows. */
  toggleFold(body: FileBody, part: Part): void {
    if (part.kind !== 'fold') return;
    this.#keep(() => {
      const first =
        part.start + body.file.hunks.slice(0, part.hunk).reduce((sum, each) => sum + each.rows.length, 0);
      if (part.open) body.opened.delete(first);
      else body.opened.add(first);
      this.#build(body);
    });
  }

  /** Draws more of a long line. */
  showMore(body: FileBody, key: number, until?: number): void {
    body.showMore(key, until);
    this.reached += 1;
  }

  /** The comments that there are now. */
  take(comments: readonly OpenComment[], lay = true): void {
    const byFile = new Map<number, OpenComment[]>();
    for (const comment of comments) {
      const file = this.fileOf(comment);
      if (file !== null) byFile.set(file, [...(byFile.get(file) ?? []), comment]);
    }
    const changed = this.bodies.filter((body) => {
      const now = byFile.get(body.index) ?? [];
      return (
        now.length !== body.comments.length || now.some((each, at) => each.key !== body.comments[at]?.key)
      );
    });
    for (const body of changed) body.comments = byFile.get(body.index) ?? [];
    if (changed.length === 0 || !lay) return;
    this.#keep(() => {
      for (const body of changed) this.#build(body, true);
    });
    if (this.opening !== null) this.showComment(this.opening);
  }

  /** The file that a comment stands in; null for one that the diff doesn't have. */
  fileOf(comment: OpenComment): number | null {
    return this.#byPath.get(`${comment.place.side}:${comment.place.file}`) ?? null;
  }

  /** Begins a comment on the chosen lines, or on the line that the cursor is at. */
  comment(): void {
    const place = this.cursor.place();
    const comment = place && this.reply.comment(place);
    if (!comment) return;
    this.opening = comment.key;
    // One that is being written stands there already.
    this.showComment(comment.key);
  }

  /** Takes up a comment again. */
  edit(comment: OpenComment): void {
    this.opening = comment.key;
    this.reply.editComment(comment);
  }

  /** To a file that wasn't seen to its end: to its head, and then on, a page at a time. */
  toUnseen(file: number): void {
    const body = this.bodies[file];
    const stage = this.#stage;
    if (!body || !stage) return;
    if (!this.#shown.includes(body)) this.showFresh(false);
    if (this.isFolded(body)) this.fold(file, false);
    const { height, cover } = stage.seen();
    if (this.current !== file) return this.toTop(file);
    stage.scrollBy(
      Math.max(this.measures.line, height - cover - this.measures.head - 2 * this.measures.line),
    );
    this.place();
  }

  /** To the next file that isn't viewed yet; round to the first ones. */
  toUnviewed(file: number): void {
    const { files } = this;
    const place = files.findIndex((body) => body.index === file);
    const next = [...files.slice(place + 1), ...files.slice(0, Math.max(0, place))].find(
      (body) => !this.viewed.has(body.index),
    );
    if (next) this.cursor.goTo(next.index);
  }

  /** Brings a comment into view, out of whatever is folded. */
  showComment(key: number): void {
    const body = this.bodies.find((each) => each.comments.some((comment) => comment.key === key));
    const part = body?.parts.find((each) => each.kind === 'comment' && each.comment === key);
    if (!body || !part) return;
    this.fold(body.index, false);
    this.reveal(body.index, part.key);
  }

  // Where things stand

  /** Heights as the page has drawn them. */
  measured(heights: readonly { file: number; key: number; height: number }[]): void {
    const anchor = this.#anchor(false);
    let changed = false;
    for (const { file, key, height } of heights) {
      const body = this.bodies[file];
      const index = body?.indexOf(key) ?? -1;
      if (index >= 0 && height > 0) changed = body?.column.take([[index, height]]) || changed;
    }
    if (changed) this.#keep(() => undefined, false, anchor ?? undefined);
  }

  /** Keeps a part drawn wherever the page is scrolled: the one that holds the focus. */
  pin(pinned: { file: number; key: number } | null): void {
    this.#pinned = pinned;
  }

  /** Draws what is seen now, where that isn't drawn already. `rest`: what was left for the next picture. */
  place(anew = false, rest = false): void {
    const stage = this.#stage;
    if (!stage) return;
    const { top, height, cover } = stage.seen();
    this.current = this.#shown[this.#column.at(Math.max(0, top + cover + 1))]?.index ?? 0;
    this.#look(top + cover, top + height);
    const end = Math.max(0, this.#column.height - (top + height));
    const enough = this.#from <= Math.max(0, top - LEAST) && this.#to >= top + height + Math.min(LEAST, end);
    if (enough && !anew) return;
    // Where nothing of what is seen is drawn yet, that comes first.
    if (!rest && !this.#soon && (this.#to < top || this.#from > top + height)) {
      this.#soon = true;
      stage.soon(() => {
        this.#soon = false;
        this.place(false, true);
      });
    }
    const more = this.#soon ? FIRST : MORE;
    this.#from = Math.max(0, top - more);
    this.#to = Math.max(this.#from, top + height) + more;
    const pin = this.#pinned;
    const pinned = pin ? [this.#shown.findIndex((body) => body.index === pin.file)] : [];
    this.drawn = slicesOf(this.#column.offsets, this.#from, this.#to, pinned).map((slice): Drawn => {
      if (slice.kind === 'space') return slice;
      const body = this.#shown[slice.index] as FileBody;
      const begin = this.#column.begin(slice.index) + this.measures.head;
      const own = pin && pin.file === body.index ? [body.indexOf(pin.key)] : [];
      const slices = this.isFolded(body)
        ? []
        : slicesOf(body.column.offsets, this.#from - begin, this.#to - begin, own);
      return { kind: 'file', key: `file-${body.index}`, body, slices };
    });
  }

  /** Whether any of the part, or of the file's head, can be seen. */
  isSeen(file: number, key: number | null): boolean {
    const extent = this.#extent(file, key);
    const { top, height } = this.#stage?.seen() ?? { top: 0, height: 0 };
    return extent !== null && extent.end > top && extent.begin < top + height;
  }

  /** Whether the part, or the file's head, is on the page now. */
  isDrawn(file: number, key: number | null): boolean {
    const found = this.drawn.find((each) => each.kind === 'file' && each.body.index === file);
    if (found?.kind !== 'file') return false;
    const index = key === null ? -1 : found.body.indexOf(key);
    return key === null || found.slices.some((slice) => slice.kind === 'index' && slice.index === index);
  }

  /** Scrolls no further than needed for a part, or a file's head, to be seen. */
  reveal(file: number, key: number | null): void {
    const stage = this.#stage;
    const extent = this.#extent(file, key);
    if (!stage || !extent) return;
    const { top, height, cover } = stage.seen();
    const room = cover + (key === null ? 0 : this.measures.head) + this.measures.line;
    const foot = this.measures.line;
    if (extent.begin < top + room) stage.scrollBy(extent.begin - top - room);
    else if (extent.end > top + height - foot)
      stage.scrollBy(Math.min(extent.begin - top - room, extent.end - top - height + foot));
    this.place();
  }

  /** Scrolls a file's head to the top of what is seen. */
  toTop(file: number): void {
    const stage = this.#stage;
    const extent = this.#extent(file, null);
    if (!stage || !extent) return;
    const { top, cover } = stage.seen();
    stage.scrollBy(extent.begin - top - cover);
    this.place();
  }

  /** The first line, or head, that is seen below what sticks to the top. */
  first(): { file: number; index: number } {
    const seen = this.#stage?.seen() ?? { top: 0, height: 0, cover: 0 };
    const top = Math.max(0, seen.top + seen.cover + this.measures.head);
    const place = this.#column.at(top);
    const body = this.#shown[place];
    if (!body) return { file: 0, index: 0 };
    const within = top - this.#column.begin(place) - this.measures.head;
    return { file: body.index, index: within <= 0 ? 0 : body.column.at(within) };
  }

  /** How many lines fit on the page. */
  get page(): number {
    const { height = 0, cover = 0 } = this.#stage?.seen() ?? {};
    return Math.max(3, Math.floor((height - cover - this.measures.head) / this.measures.line) - 3);
  }

  focus(): void {
    this.#stage?.focus();
  }

  /** Takes note of the files whose ends lie between two places. What is folded away is on no screen. */
  #look(from: number, to: number): void {
    const found: number[] = [];
    for (let place = this.#column.at(Math.max(0, from)); place < this.#shown.length; place += 1) {
      const body = this.#shown[place];
      const end = this.#column.begin(place + 1) - this.measures.between;
      if (!body || end > to) break;
      if (end > from && !this.isFolded(body)) found.push(body.index);
    }
    this.#see(found);
  }

  #see(files: readonly number[]): void {
    if (files.some((file) => !this.seen.has(file))) this.seen = new Set([...this.seen, ...files]);
  }

  #extent(file: number, key: number | null): { begin: number; end: number } | null {
    const place = this.#shown.findIndex((body) => body.index === file);
    const body = this.#shown[place];
    if (!body) return null;
    const begin = this.#column.begin(place);
    if (key === null) return { begin, end: begin + this.measures.head };
    const index = body.indexOf(key);
    if (index < 0 || this.isFolded(body)) return null;
    const base = begin + this.measures.head;
    return { begin: base + body.column.begin(index), end: base + body.column.begin(index + 1) };
  }

  #headAnchor(body: FileBody): Anchor | null {
    const stage = this.#stage;
    const extent = this.#extent(body.index, null);
    if (!stage || !extent) return null;
    const { top, cover } = stage.seen();
    return { file: body.index, hunk: 0, row: 0, key: null, below: Math.max(extent.begin - top, cover) };
  }

  /** What stands at the top of what is seen; or the cursor, where that is seen. */
  #anchor(atCursor: boolean): Anchor | null {
    const stage = this.#stage;
    if (!stage) return null;
    const { top, height, cover } = stage.seen();
    // Before the diff is reached, nothing in it has to stay.
    if (top + cover <= 0) return null;
    const at = this.cursor.at;
    const extent = atCursor && at ? this.#extent(at.file, at.key) : null;
    if (at && extent && extent.end > top + cover && extent.begin < top + height) {
      const rows = this.cursor.rows();
      return {
        file: at.file,
        hunk: rows?.hunk ?? 0,
        row: rows?.row ?? 0,
        key: at.key,
        below: extent.begin - top,
      };
    }
    const { file, index } = this.first();
    const part = this.bodies[file]?.parts[index];
    const found = part && this.#extent(file, part.key);
    if (!part || !found) {
      const head = this.#extent(file, null);
      return head && { file, hunk: 0, row: 0, key: null, below: head.begin - top };
    }
    const row =
      part.kind === 'line' ? Math.max(part.left, part.right) : part.kind === 'fold' ? part.start : 0;
    const hunk = part.kind === 'comment' ? 0 : part.hunk;
    return { file, hunk, row, key: part.key, below: found.begin - top };
  }

  /** Makes a change and scrolls so that what is looked at stays where it is. */
  #keep(change: () => void, atCursor = false, given?: Anchor): void {
    const anchor = given ?? this.#anchor(atCursor);
    change();
    this.#lay();
    this.place(true);
    if (!anchor) return;
    // Before the next picture, but with the new heights on the page.
    void tick().then(() => this.#restore(anchor));
  }

  #restore(anchor: Anchor): void {
    const distance = this.#below(anchor) - anchor.below;
    if (Math.abs(distance) >= 1) this.#stage?.scrollBy(distance);
    if (this.#held?.anchor === anchor) this.#held = { ...this.#held, below: this.#below(anchor) };
    this.place();
  }

  /** How far below the top of what is seen an anchor, or what shows its row now, is; NaN where nothing does. */
  #below(anchor: Anchor | undefined): number {
    const stage = this.#stage;
    if (!stage || !anchor) return NaN;
    const body = this.bodies[anchor.file];
    let extent = this.#extent(anchor.file, anchor.key);
    if (!extent && body && anchor.key !== null) {
      const near = body.parts[body.lineOf(anchor.hunk, anchor.row)];
      extent = (near && this.#extent(anchor.file, near.key)) ?? this.#extent(anchor.file, null);
    }
    return extent ? extent.begin - stage.seen().top : NaN;
  }

  /** Makes the parts of a file, or of all. */
  #build(only?: FileBody, keep = false): void {
    const shape = { split: this.split, freshOnly: this.freshOnly };
    for (const body of only ? [only] : this.bodies)
      body.build(shape, this.measures, keep || only !== undefined);
    this.#lay();
  }

  /** Puts the files below each other. */
  #lay(): void {
    const { head, between, bar } = this.measures;
    this.#shown = this.freshOnly ? this.bodies.filter((body) => body.file.since !== 'same') : this.bodies;
    this.#column = new Column(
      this.#shown.map((body) => {
        if (this.isFolded(body)) return head + between;
        const inner = body.parts.length === 0 ? bar : body.column.height;
        return head + inner + (this.isScrolled(body) ? bar : 0) + between;
      }),
    );
    this.stamp += 1;
  }

  /** What of these files was viewed before: in this request, or before and not changed since. */
  #recall(): void {
    const { session_uuid, request_id } = this.reply.summary;
    const kept = viewedIn(session_uuid);
    if (!kept || this.reply.closed !== null) return;
    const viewed = this.bodies.filter(
      ({ file }) => kept.paths.has(pathOf(file)) && (kept.request === request_id || file.since === 'same'),
    );
    this.viewed = new Set(viewed.map((body) => body.index));
    this.folded = this.viewed;
  }
}
