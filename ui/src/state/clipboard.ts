// The clipboard: copying text, also where its interface is missing or refused, and pictures to paste.

/** Copies the text; false where neither way works. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'visually-hidden';
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

/**
 * The pictures on the clipboard. WebKitGTK leaves them out of the paste event (bugs.webkit.org/218519,
 * 320303), but inside of one it lets the page read them. To be called before anything is awaited there.
 */
export async function copiedPictures(): Promise<File[]> {
  try {
    const files: File[] = [];
    for (const item of await navigator.clipboard.read()) {
      const type = item.types.find((name) => name.startsWith('image/'));
      if (!type) continue;
      const blob = await item.getType(type);
      files.push(new File([blob], `pasted.${type.slice(6).replace(/\W.*/, '')}`, { type }));
    }
    return files;
  } catch {
    return [];
  }
}
