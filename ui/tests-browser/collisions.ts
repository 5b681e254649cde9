// Runs in the page: whether everything that is drawn can be seen and pressed. Nothing may stand on a text or a
// control but what floats: a menu, a dialog, a head that sticks. And no line of text may be cut below.

/** What is covered or cut, each in a few words. */
export function collisions(): string[] {
  const found = new Set<string>();
  const named = (element: Element) =>
    `${element.tagName.toLowerCase()}${element.getAttribute('data-testid') ?? element.getAttribute('class') ?? ''}`;

  /** The nearest thing around an element that floats above the rest. */
  function layerOf(element: Element): Element | null {
    for (let at: Element | null = element; at; at = at.parentElement) {
      const { position, zIndex } = getComputedStyle(at);
      if (position === 'fixed' || position === 'sticky' || at.tagName === 'DIALOG') return at;
      if (position === 'absolute' && zIndex !== 'auto') return at;
    }
    return null;
  }

  /** What of a box is within the window and all that clips it, from an element on outwards. */
  function shown(from: Element | null, box: DOMRect) {
    let [left, top, right, bottom] = [box.left, box.top, box.right, box.bottom];
    for (let at = from; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.overflowX === 'visible' && style.overflowY === 'visible') continue;
      const inner = at.getBoundingClientRect();
      [left, right] = [Math.max(left, inner.left), Math.min(right, inner.right)];
      [top, bottom] = [Math.max(top, inner.top), Math.min(bottom, inner.bottom)];
    }
    return {
      left: Math.max(left, 0),
      top: Math.max(top, 0),
      right: Math.min(right, innerWidth),
      bottom: Math.min(bottom, innerHeight),
    };
  }

  /** What stands on an element at a place, unless it belongs to it or may stand there. */
  function over(element: Element, x: number, y: number): Element | null {
    const hit = document.elementFromPoint(x, y);
    if (!hit || hit.contains(element) || element.contains(hit)) return null;
    const label = hit.closest('label');
    if (label && (label.contains(element) || ('control' in label && label.control === element))) return null;
    // A whole row or card is one control; its parts lie in it beside each other.
    const layer = layerOf(hit);
    return layer && !layer.contains(element) ? null : hit;
  }

  const modal = document.querySelector('dialog[open]');
  const seen = (element: Element) =>
    (!modal || modal.contains(element)) &&
    element.closest('.visually-hidden') === null &&
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true });

  for (const control of document.querySelectorAll(
    'button, a[href], input, textarea, select, [role=option]',
  )) {
    const box = control.getBoundingClientRect();
    if (box.width < 6 || box.height < 6 || !seen(control)) continue;
    const part = shown(control.parentElement, box);
    const [width, height] = [part.right - part.left, part.bottom - part.top];
    // The rest is scrolled away.
    if (width < box.width * 0.6 || height < box.height * 0.6) continue;
    const above = over(control, part.left + width / 2, part.top + height / 2);
    if (above) found.add(`${named(control)} lies under ${named(above)}`);
  }

  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const words = node.textContent?.trim() ?? '';
    const parent = node.parentElement;
    if (!words || !parent || !seen(parent)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const line of range.getClientRects()) {
      if (line.width < 2 || line.height < 2) continue;
      const part = shown(parent, line);
      const [width, height] = [part.right - part.left, part.bottom - part.top];
      if (width < line.width / 2 || height < line.height - 2) {
        const below = cutBelow(parent, line);
        if (below) found.add(`“${words.slice(0, 40)}” is cut below by ${named(below)}`);
        continue;
      }
      for (const share of [0.1, 0.5, 0.9]) {
        const above = over(parent, part.left + width * share, part.top + height / 2);
        if (above) found.add(`“${words.slice(0, 40)}” lies under ${named(above)}`);
      }
    }
  }
  return [...found];

  /** What cuts a line of text below its upper edge, where that can't be scrolled to nor is shortened on purpose. */
  function cutBelow(parent: Element, line: DOMRect): Element | null {
    for (let at: Element | null = parent; at && at !== document.body; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.webkitLineClamp !== 'none' || style.textOverflow === 'ellipsis') return null;
      if (/auto|scroll/.test(style.overflowY)) return null;
      const inner = at.getBoundingClientRect();
      if (/hidden|clip/.test(style.overflowY) && inner.height > 2 && line.bottom > inner.bottom + 2)
        return at;
    }
    return null;
  }
}

/** The names of all that stands on the page: the same in every language. */
export function parts(): string[] {
  const all = document.querySelectorAll<HTMLElement>('[data-testid]');
  return [...new Set([...all].map((each) => each.dataset['testid'] ?? ''))].sort();
}
