/** What requests that start work have in common: their event, fresh ids, and how they are refused. */
import { AppError } from '../domain/errors.ts';
import type { NewEvent } from '../domain/event.ts';
import type { IssueList } from '../domain/validation.ts';
import type { IdPort } from '../kernel/mod.ts';
import { assert } from '../lib/assert.ts';

/** limit: how long a caller waits for the owner's commit. */
export const ASK_DEADLINE_MS = 10_000;

export async function freshId(ids: IdPort, kind: string): Promise<number> {
  const [id] = await ids.reserve(kind, 1);
  assert(id !== undefined, `no id of kind ${kind}`);
  return id;
}

/** Work that somebody asked for. There are no accounts: everybody is anonymous. */
export async function userEvent(ids: IdPort, nowMs: number): Promise<NewEvent> {
  return {
    id: await freshId(ids, 'event'),
    type: 'USER',
    occurredMs: nowMs,
    description: { user: 'Anonymous' },
  };
}

/** Throws INVALID_REQUEST with every problem there is. */
export function refuseProblems(issues: IssueList): void {
  const [first] = issues.errors;
  if (first === undefined) return;
  const more = issues.errors.length > 1 ? ` (and ${issues.errors.length - 1} more)` : '';
  const { errors } = issues;
  throw new AppError('INVALID_REQUEST', `${first.path}: ${first.description}${more}`, { errors });
}

/** An id in a body that names nothing usable: 400 at its path. */
export function unknownReference(path: string, description: string): AppError {
  const errors = [{ name: 'UNKNOWN_REFERENCE', description, path }];
  return new AppError('UNKNOWN_REFERENCE', `${path}: ${description}`, { errors });
}
