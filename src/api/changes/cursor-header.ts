/**
 * Adds a cursor to the answers of lists and records, from which a client can follow their objects. The cursor is a
 * position that was read before the first statement of the answer. Any such position loses no change: changes before it
 * were visible in the snapshot of its tick, and so they are visible in every later snapshot of the same database. An
 * older position only repeats more changes that the answer already shows.
 */
import type { Route } from '../../http/route.ts';
import type { Parts } from '../parts.ts';

export const CURSOR_HEADER = 'millrace-cursor';

const MEANING =
  'As `after` of `/v6/changes/`, it continues from before this answer was read. Of several pages, use the first one’s.';

/** Lists and records of the kinds of objects whose changes are in the stream. */
const FOLLOWED: readonly RegExp[] = [
  /^\/v6\/(batches|datasets|files|ingests|jobs|nodes|purges|recipes|scans|strikes|workspaces)\/(\{id\}\/)?$/,
  /^\/v6\/job-types\/(\{name\}\/(\{version\}\/)?)?$/,
  /^\/v6\/recipe-types\/(\{name\}\/)?$/,
  /^\/v6\/jobs\/\{id\}\/executions\/(\{exe_num\}\/)?$/,
  /^\/v6\/scheduler\/$/,
];

export function withCursor<Deps extends Parts<'changes'>>(route: Route<Deps>): Route<Deps> {
  if (route.method !== 'GET' || !FOLLOWED.some((form) => form.test(route.path))) return route;
  return {
    ...route,
    replyHeaders: { ...route.replyHeaders, 'Millrace-Cursor': MEANING },
    async handle(input, deps) {
      const cursor = await deps.changes.position();
      const reply = await route.handle(input, deps);
      return { ...reply, headers: { ...reply.headers, [CURSOR_HEADER]: cursor } };
    },
  };
}
