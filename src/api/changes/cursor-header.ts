/**
 * Adds a cursor to lists and records, from which their objects can be followed: a position that was read before their
 * first statement. Every position that this coordinator has read qualifies, because a change before it was visible in
 * the snapshot of its tick, and so is in every later snapshot of the same database. An older position only repeats more
 * of what the list shows.
 */
import type { Route } from '../../http/route.ts';
import type { Parts } from '../parts.ts';

export const CURSOR_HEADER = 'millrace-cursor';

const MEANING =
  'As `after` of `/v6/changes/`, it continues from before this answer was read. The first of several pages counts.';

/** Lists and records of the kinds of the stream. */
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
