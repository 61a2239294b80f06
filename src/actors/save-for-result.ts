/** Saves a change whose result the actor needs: the store's answer comes back as a message. */
import type { Change, ResultOf } from '../domain/changes.ts';
import { type Saved, type SaveEffect, saveForResult as saved } from '../kernel/mod.ts';

/** `type` is that of the message with the result; `about` is data that is returned to its handler. */
export function saveForResult<C extends Change, const Type extends string, About = undefined>(
  change: C,
  type: Type,
  about: About,
): SaveEffect<C, Saved<Type, ResultOf<C>, About>> {
  return saved(change, type, about);
}
