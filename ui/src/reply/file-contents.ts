// What is in the files of a reply: reading them, the beginning of their texts, and storing them with the gate.
import type { Attachment } from '../generated/Attachment';
import type { RequestId } from '../generated/RequestId';
import { t } from '../i18n/text.svelte';
import '../i18n/words-writing';
import { ask, type Port } from '../state/port';

/** Bytes and lines of a text that its chip shows. */
const EXCERPT_BYTES = 1024;
const EXCERPT_LINES = 4;

/** Stores a file with the gate. Throws a `Fault`. */
export async function stored(port: Port, id: RequestId, name: string, file: File): Promise<Attachment> {
  const data = await base64Of(file);
  const { attachment } = await ask(port, { command: 'attach', request_id: id, name, data });
  return attachment;
}

/** The first lines of a text. Throws a `Fault`. */
export async function excerptOf(file: Blob): Promise<string> {
  const bytes = (await read(file.slice(0, EXCERPT_BYTES), 'readAsArrayBuffer')) as ArrayBuffer;
  return textOf(new Uint8Array(bytes)).split('\n').slice(0, EXCERPT_LINES).join('\n');
}

/** A cut inside of a character loses that character, not the text. */
export function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes, { stream: true });
}

/** A file's bytes, base64. The browser encodes: a loop in the window would stop it for 10 MiB. */
async function base64Of(file: File): Promise<string> {
  const url = String(await read(file, 'readAsDataURL'));
  return url.slice(url.indexOf(',') + 1);
}

function read(blob: Blob, how: 'readAsDataURL' | 'readAsArrayBuffer'): Promise<FileReader['result']> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.onerror = () =>
      reject({
        code: 'unreadable_file',
        message: t('writing-file-unreadable'),
        mend: t('writing-file-folders'),
      });
    reader[how](blob);
  });
}
