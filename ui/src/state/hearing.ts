// Who hears what of the gate's events.
import type { Event } from '../generated/Event';

/** What somebody does about an event, by its name. */
export type Hearing = { [Name in Event['event']]?: (event: Extract<Event, { event: Name }>) => void };

/** Tells of an event, where it concerns them. */
export function tell(hearing: Hearing, event: Event): void {
  (hearing[event.event] as ((event: Event) => void) | undefined)?.(event);
}
