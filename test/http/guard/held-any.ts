/** Bodies that do not depend on what a route accepts, and the largest documents. */
import type { TSchema } from '@sinclair/typebox';
import type { Test } from 'tap';
import { bodyBytesMaxOf, bodyPartsMaxOf } from '../../../src/http/body/limits.ts';
import {
  bodiesFor,
  Guard,
  PREFIXES,
  REPEATED_ONE_IN,
  ROUTES,
  routeOf,
  sizeFor,
  someOf,
  targetOf,
} from './guard.ts';
import { type HostileShape, hostileTexts } from './hostile-bodies.ts';
import { hostileDocuments } from './hostile-documents.ts';

/** What is nasty for any parser: all on one route for each limit, and some of them on each of the others. */
export async function holdTexts(t: Test, isWhole: boolean): Promise<void> {
  const guard = await Guard.start(t);
  const limits = new Set<string>();
  for (const [turn, route] of ROUTES.entries()) {
    const limit = `${bodyBytesMaxOf(route)} ${bodyPartsMaxOf(route)}`;
    const all = hostileTexts(route.body as never);
    const shapes = isWhole || !limits.has(limit) ? all : someOf(all, turn);
    limits.add(limit);
    await guard.holdAll(route, targetOf(route), { shapes, size: sizeFor(route) });
    t.pass(`${route.method} ${route.path}`);
  }
  await guard.finish();
}

/** Bodies that are made from the schema of each route. */
export async function holdMade(
  t: Test,
  make: (schema: TSchema) => readonly HostileShape[],
  isWhole: boolean,
): Promise<void> {
  const guard = await Guard.start(t);
  for (const [turn, route] of ROUTES.entries()) {
    const shapes = bodiesFor(route, turn, make(route.body as never), isWhole);
    await guard.holdAll(route, targetOf(route), { shapes, size: sizeFor(route) });
    t.pass(`${route.method} ${route.path}`);
  }
  await guard.finish();
}

export async function holdDocuments(t: Test, isWhole: boolean): Promise<void> {
  const guard = await Guard.start(t);
  for (const [turn, document] of hostileDocuments(guard.service.facts).entries()) {
    const { method, target, route: path, body, what } = document;
    const text = JSON.stringify(body);
    for (const prefix of PREFIXES) {
      const route = routeOf(method, `${prefix}${path}`);
      t.ok(text.length <= bodyBytesMaxOf(route), `${what} fits`);
      if (prefix === '' || isWhole || turn % REPEATED_ONE_IN === 0)
        await guard.hold(route, `${prefix}${target}`, { what, text });
    }
  }
}
