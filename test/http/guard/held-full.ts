/** Bodies that are as large as their route takes, or of a part of that size. */
import type { Test } from 'tap';
import { bodyBytesMaxOf, bodyPartsMaxOf, loopBodyBytesMaxOf } from '../../../src/http/body/limits.ts';
import { bodiesFor, Guard, ROUTES, targetOf } from './guard.ts';
import { fullBodies, heldMost } from './hostile-bodies.ts';

/**
 * Bytes of the larger of a route's bodies, beside those of one route for each limit, which are whole: twice what the
 * event loop reads itself.
 */
const SIZE = 262_144;

/** The largest bodies of every route. `isWhole`: of its very size on every route. */
export async function holdFullBodies(t: Test, isWhole: boolean): Promise<void> {
  const guard = await Guard.start(t);
  const limits = new Set<string>();
  for (const [turn, route] of ROUTES.entries()) {
    const limit = `${bodyBytesMaxOf(route)} ${bodyPartsMaxOf(route)}`;
    const isAll = isWhole || !limits.has(limit);
    const most = isAll ? Number.POSITIVE_INFINITY : SIZE;
    limits.add(limit);
    const shapes = bodiesFor(route, turn, fullBodies(route.body as never, heldMost(route)), isAll);
    for (const size of new Set([bodyBytesMaxOf(route), loopBodyBytesMaxOf(route)]))
      await guard.holdAll(route, targetOf(route), { shapes, size: Math.min(size, most) });
    t.pass(`${route.method} ${route.path}`);
  }
  await guard.finish();
}
