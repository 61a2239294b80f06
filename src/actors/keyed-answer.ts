/** Requests that may be repeated: one turn saves what they create and the answer to a repeat. */
import type { Change } from '../domain/changes.ts';
import type { KeyedAnswer } from '../domain/idempotency.ts';
import { type Effect, save } from '../kernel/mod.ts';

/** Part of a message that creates something. */
export interface Keyed {
  /** Absent: the request has no key. */
  readonly answer?: KeyedAnswer | undefined;
}

/**
 * The effect that saves the answer; none without a key. It belongs to the turn that creates the record of the answer.
 */
export function keepAnswer({ answer }: Keyed): Effect<Change>[] {
  return answer === undefined ? [] : [save<Change>({ type: 'keepAnswers', answers: [answer] })];
}
