// Runs in the page: whether all text is there to be read. Text may end in an ellipsis or be scrolled to;
// it may not be cut, nor stand outside of the window.

/** What is cut or outside, each in a few words; and by how many pixels the page is too wide. */
export function misfits(): { cut: string[]; wide: number } {
  const cut: string[] = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const words = node.textContent?.trim() ?? '';
    const parent = node.parentElement;
    if (!words || !parent?.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (box.width === 0) continue;
    let [left, right] = [box.left, box.right];
    let reachable = false;
    for (let around: Element | null = parent; around && !reachable; around = around.parentElement) {
      const style = getComputedStyle(around);
      const inner = around.getBoundingClientRect();
      if (style.clipPath !== 'none' || (style.position === 'fixed' && inner.bottom < 0)) reachable = true;
      else if (/auto|scroll/.test(style.overflowX)) {
        // Only what goes on along the line can be scrolled to; where nothing does, the box itself must fit.
        if (around.scrollWidth > around.clientWidth + 1) reachable = true;
      } else if (/hidden|clip/.test(style.overflowX)) {
        const shortened = style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none';
        if (!shortened && around !== document.body && (left < inner.left - 1 || right > inner.right + 1)) {
          cut.push(`“${words.slice(0, 40)}” is cut by ${around.tagName.toLowerCase()}.${around.className}`);
          reachable = true;
        }
        left = Math.max(left, inner.left);
        right = Math.min(right, inner.right);
      }
    }
    if (!reachable && right > left && (left < -1 || right > innerWidth + 1))
      cut.push(
        `“${words.slice(0, 40)}” stands outside of the window, ${Math.round(left)} to ${Math.round(right)}`,
      );
  }
  for (const button of document.querySelectorAll<HTMLElement>('button, kbd, [role=option]')) {
    if (!button.checkVisibility({ visibilityProperty: true })) continue;
    const style = getComputedStyle(button);
    if (style.overflowX === 'visible' && button.scrollWidth > button.clientWidth + 1)
      cut.push(`“${button.innerText.slice(0, 40).trim()}” is wider than its ${button.tagName.toLowerCase()}`);
  }
  const { scrollWidth, clientWidth } = document.documentElement;
  return { cut: [...new Set(cut)], wide: scrollWidth - clientWidth };
}

/** Where everything with a name in the tests stands, rounded: the same in both themes. */
export function boxes(): string[] {
  return [...document.querySelectorAll<HTMLElement>('[data-testid]')].map((each) => {
    const { x, y, width, height } = each.getBoundingClientRect();
    return `${each.dataset['testid']} ${[x, y, width, height].map(Math.round).join(' ')}`;
  });
}

/** Whether something was put into words for good while the texts were long, and keeps them in another language. */
export function keepsLongWords(): boolean {
  const names = ['label', 'description', 'roledescription', 'valuetext'].map((name) => `aria-${name}`);
  names.push('placeholder', 'title', 'alt');
  const words = names.flatMap((name) =>
    [...document.querySelectorAll(`[${name}]`)].map((each) => each.getAttribute(name)),
  );
  return [document.body.textContent, ...words].some((each) => each?.includes('··'));
}
