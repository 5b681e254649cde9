// Time for a page's requests to be armed, which no test has to wait for.
import { screen } from '@testing-library/svelte';
import { tick } from 'svelte';
import { expect } from 'vitest';
import { REST } from '../src/review/arming';

const begun = performance.now.bind(performance);
let ahead = 0;

/** Makes the page one that the person is at, and its clock one that can be put forward. */
export function beAtPage(): void {
  performance.now = () => begun() + ahead;
  Object.defineProperty(Event.prototype, 'timeStamp', { configurable: true, get: () => performance.now() });
  document.hasFocus = () => true;
}

/** So much time goes by. */
export function passes(milliseconds: number): void {
  ahead += milliseconds;
}

/** What stands on the page has been painted. */
export async function painted(): Promise<void> {
  for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
}

/** Whoever waits for the page looks at it again. */
async function looked(): Promise<void> {
  document.body.dispatchEvent(new FocusEvent('focus'));
  await tick();
}

/** From now on what stands on the page sends. `pass` puts the clock forward. */
export async function armed(pass = passes): Promise<void> {
  await looked();
  await painted();
  pass(REST);
  await looked();
}

/** As `armed`, for the request that is to come up. */
export async function answerable(): Promise<void> {
  const page = await screen.findByTestId('request');
  await armed();
  await expect.poll(() => page.dataset['armed'], { message: 'it can be answered' }).toBe('send');
}
