// One file of a reply: being read, being stored, stored, or refused. Owns its preview URL.
import type { Attachment } from '../generated/Attachment';
import type { RequestId } from '../generated/RequestId';
import { size } from './format';
import { ask, toFault, type Port } from './port';
import { ATTACHMENT_BYTES } from './reply-rules';

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
let count = 0;

export class AttachedFile {
  readonly key: number;
  readonly name: string;
  size = $state(0);
  state = $state<'attaching' | 'ready' | 'refused'>('attaching');
  /** Why it was refused. */
  problem = $state('');
  /** A blob URL, for images only. */
  preview = $state<string | null>(null);
  attachment = $state.raw<Attachment | null>(null);

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
      attached.refuse(`${size(file.size)} is more than the 10 MiB a file may have.`);
    return attached;
  }

  /** A file that a restored draft names. */
  static restored(attachment: Attachment): AttachedFile {
    const attached = new AttachedFile(attachment.name, attachment.size);
    attached.attachment = attachment;
    attached.state = 'ready';
    return attached;
  }

  refuse(problem: string): void {
    this.problem = problem;
    this.state = 'refused';
  }

  /** Reads the file and stores it with the gate. Never throws: a failure becomes the file's state. */
  async store(port: Port, id: RequestId, file: File): Promise<void> {
    try {
      if (IMAGES.includes(file.type)) this.preview = URL.createObjectURL(file);
      const data = await base64Of(file);
      const answer = await ask(
        port,
        { command: 'attach', request_id: id, name: this.name, data },
        'attached',
      );
      this.attachment = answer.attachment;
      this.size = answer.attachment.size;
      this.state = 'ready';
    } catch (thrown) {
      const fault = toFault(thrown);
      this.refuse(`${fault.message} ${fault.mend}`.trim());
    }
  }

  /** Fetches the picture of a restored image. Without it the file shows its icon, so a failure is silent. */
  async loadPreview(port: Port): Promise<void> {
    const attachment = this.attachment;
    if (!attachment || this.preview || !IMAGES.includes(attachment.mime_type)) return;
    try {
      const answer = await ask(
        port,
        { command: 'read_attachment', attachment_id: attachment.attachment_id },
        'bytes',
      );
      const bytes = Uint8Array.from(atob(answer.data), (char) => char.charCodeAt(0));
      this.preview = URL.createObjectURL(new Blob([bytes], { type: attachment.mime_type }));
    } catch {
      this.preview = null;
    }
  }

  /** Gives the preview's memory back. */
  release(): void {
    if (this.preview) URL.revokeObjectURL(this.preview);
    this.preview = null;
  }
}

/** A file's bytes, base64. The browser encodes: a loop in the window would stop it for 10 MiB. */
function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      const url = String(reader.result);
      resolve(url.slice(url.indexOf(',') + 1));
    };
    reader.onerror = () =>
      reject({
        code: 'unreadable_file',
        message: 'The file can’t be read.',
        mend: 'Folders can’t be attached.',
      });
    reader.readAsDataURL(file);
  });
}
