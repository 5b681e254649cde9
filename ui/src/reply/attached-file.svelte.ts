// One file of a reply: being read, being stored, stored, or refused. Owns its preview URL, and knows the
// picture that it was before somebody drew on it.
import type { Attachment } from '../generated/Attachment';
import type { RequestId } from '../generated/RequestId';
import { t } from '../i18n/text.svelte';
import { size } from '../state/format';
import { ask, toFault, type Port } from '../state/port';
import { ATTACHMENT_BYTES } from './rules';

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
/** Bytes of a text that are shown of it at most when it is opened. */
export const VIEW_BYTES = 256 * 1024;
let count = 0;

export class AttachedFile {
  readonly key: number;
  name = $state('');
  size = $state(0);
  state = $state<'attaching' | 'ready' | 'refused'>('attaching');
  /** Why it was refused. */
  problem = $state('');
  /** A blob URL, for images only. */
  preview = $state<string | null>(null);
  /** The first lines, for texts only. */
  excerpt = $state<string | null>(null);
  attachment = $state.raw<Attachment | null>(null);
  /** What was attached before it was drawn on; the gate keeps it while the request waits. */
  original = $state.raw<Attachment | null>(null);

  private constructor(name: string, bytes: number) {
    count += 1;
    this.key = count;
    this.name = name;
    this.size = bytes;
  }

  /** A file that the person chose. */
  static chosen(file: File): AttachedFile {
    const attached = new AttachedFile(file.name || 'pasted', file.size);
    if (file.size > ATTACHMENT_BYTES)
      attached.refuse(t('reply-file-too-large', { size: size(file.size), most: ATTACHMENT_BYTES >> 20 }));
    return attached;
  }

  /** A file that a restored draft names. */
  static restored(attachment: Attachment): AttachedFile {
    const attached = new AttachedFile(attachment.name, attachment.size);
    attached.attachment = attachment;
    attached.state = 'ready';
    return attached;
  }

  /** Whether it is a picture that can be shown and drawn on. */
  get isImage(): boolean {
    return this.state === 'ready' && IMAGES.includes(this.attachment?.mime_type ?? '');
  }

  /** Whether it is a text that can be shown. */
  get isText(): boolean {
    return this.state === 'ready' && (this.attachment?.mime_type ?? '').startsWith('text/');
  }

  refuse(problem: string): void {
    this.problem = problem;
    this.state = 'refused';
  }

  /** Reads the file and stores it with the gate. Never throws: a failure becomes the file's state. */
  async store(port: Port, id: RequestId, file: File): Promise<void> {
    try {
      if (IMAGES.includes(file.type)) this.preview = URL.createObjectURL(file);
      const { excerptOf, stored } = await contents();
      this.#take(await stored(port, id, this.name, file));
      if (this.isText) this.excerpt = await excerptOf(file);
    } catch (thrown) {
      const fault = toFault(thrown);
      this.refuse(`${fault.message} ${fault.mend}`.trim());
    }
  }

  /** Puts another picture in its place; the one before can be put back. Throws a `Fault`, and is unchanged then. */
  async replace(port: Port, id: RequestId, picture: File): Promise<void> {
    const before = this.attachment;
    const { stored } = await contents();
    this.#take(await stored(port, id, picture.name, picture));
    this.original ??= before;
    this.#show(URL.createObjectURL(picture));
  }

  /** Puts back the picture that it was before it was drawn on. */
  async putBack(port: Port): Promise<void> {
    if (!this.original) return;
    this.#take(this.original);
    this.original = null;
    this.#show(null);
    await this.loadPreview(port);
  }

  /** Fetches the picture or the first lines of a restored file. Without them it shows its icon, so a failure is silent. */
  async loadPreview(port: Port): Promise<void> {
    if (this.preview || this.excerpt !== null) return;
    const worth = this.isImage || (this.isText && this.size <= VIEW_BYTES);
    if (!worth) return;
    try {
      const bytes = await this.bytes(port);
      const blob = new Blob([bytes], { type: this.attachment?.mime_type });
      if (this.isText) this.excerpt = await (await contents()).excerptOf(blob);
      else this.#show(URL.createObjectURL(blob));
    } catch {
      this.preview = null;
    }
  }

  /** Its text, up to `VIEW_BYTES`, and whether that is all of it. Throws a `Fault`. */
  async text(port: Port): Promise<{ text: string; whole: boolean }> {
    const [{ textOf }, bytes] = await Promise.all([contents(), this.bytes(port)]);
    return { text: textOf(bytes.slice(0, VIEW_BYTES)), whole: bytes.length <= VIEW_BYTES };
  }

  /** Gives the preview's memory back. */
  release(): void {
    this.#show(null);
  }

  async bytes(port: Port): Promise<Uint8Array<ArrayBuffer>> {
    const attachment_id = this.attachment?.attachment_id ?? '';
    const { data } = await ask(port, { command: 'read_attachment', attachment_id });
    return Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
  }

  #take(attachment: Attachment): void {
    this.attachment = attachment;
    this.name = attachment.name;
    this.size = attachment.size;
    this.state = 'ready';
  }

  #show(url: string | null): void {
    if (this.preview) URL.revokeObjectURL(this.preview);
    this.preview = url;
  }
}

/** How files are read and stored. */
const contents = () => import('./file-contents');
