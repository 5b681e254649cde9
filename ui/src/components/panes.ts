// Whether there is room for a list and what is chosen of it side by side.

/** True while the list hides what is chosen, because the window has room for one column only. */
export function onlyList(): boolean {
  const detail = document.querySelector('.panes > .detail');
  return detail !== null && getComputedStyle(detail).display === 'none';
}
