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
/** Bytes and lines of a text that its chip shows. */
const EXCERPT_BYTES = 1024;
const EXCERPT_LINES = 4;
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
      this.#take(await stored(port, id, this.name, file));
      if (this.isText) this.excerpt = linesOf(await read(file.slice(0, EXCERPT_BYTES), 'text'));
    } catch (thrown) {
      const fault = toFault(thrown);
      this.refuse(`${fault.message} ${fault.mend}`.trim());
    }
  }

  /** Puts another picture in its place; the one before can be put back. Throws a `Fault`, and is unchanged then. */
  async replace(port: Port, id: RequestId, picture: File): Promise<void> {
    const before = this.attachment;
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
      if (this.isText) this.excerpt = linesOf(textOf(bytes.slice(0, EXCERPT_BYTES)));
      else this.#show(URL.createObjectURL(new Blob([bytes], { type: this.attachment?.mime_type })));
    } catch {
      this.preview = null;
    }
  }

  /** Its text, up to `VIEW_BYTES`, and whether that is all of it. Throws a `Fault`. */
  async text(port: Port): Promise<{ text: string; whole: boolean }> {
    const bytes = await this.bytes(port);
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

async function stored(port: Port, id: RequestId, name: string, file: File): Promise<Attachment> {
  const data = await base64Of(file);
  const { attachment } = await ask(port, { command: 'attach', request_id: id, name, data });
  return attachment;
}

/** A cut inside of a character loses that character, not the text. */
function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes, { stream: true });
}

function linesOf(text: string): string {
  return text.split('\n').slice(0, EXCERPT_LINES).join('\n');
}

/** A file's bytes, base64. The browser encodes: a loop in the window would stop it for 10 MiB. */
async function base64Of(file: File): Promise<string> {
  const url = await read(file, 'url');
  return url.slice(url.indexOf(',') + 1);
}

function read(blob: Blob, as: 'url' | 'text'): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () =>
      reject({
        code: 'unreadable_file',
        message: t('reply-file-unreadable'),
        mend: t('reply-file-folders'),
      });
    if (as === 'url') reader.readAsDataURL(blob);
    else reader.readAsText(blob);
  });
}
