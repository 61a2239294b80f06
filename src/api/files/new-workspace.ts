/** The place of a path in a workspace that may be so new that its agents have not looked for it yet. */
import { setTimeout as sleep } from 'node:timers/promises';
import { findPathPlace, type PathPlace } from '../../store/file/list.ts';
import { isAwaitingFirstLook } from '../../store/node/reach.ts';
import type { Sql } from '../../store/sql/sql.ts';

/** Agents answer within milliseconds; one that claims an unmarked directory is asked twice. */
const WAIT_MS = 5_000;
const EVERY_MS = 100;

/**
 * The place as it is once a node reaches its workspace. If none does and the workspace is new, waits a moment: thus a
 * client can store a file right after it has created the workspace. Callers refuse what they can before.
 */
export async function onceReached(sql: Sql, found: PathPlace, path: string): Promise<PathPlace> {
  const untilMs = performance.now() + WAIT_MS;
  let place = found;
  while (place.nodeIds.length === 0 && performance.now() < untilMs) {
    if (!(await isAwaitingFirstLook(sql, place.workspaceId))) break;
    await sleep(EVERY_MS);
    place = (await findPathPlace(sql, place.workspace.name, path)) ?? place;
  }
  return place;
}
