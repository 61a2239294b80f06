/** Bodies that do not depend on what a route accepts, and the largest documents. */
import type { TSchema } from '@sinclair/typebox';
import type { Test } from 'tap';
import { bodyBytesMaxOf } from '../../../src/http/body/limits.ts';
import { bodiesFor, Guard, PREFIXES, ROUTES, routeOf, sizeFor, targetOf } from './guard.ts';
import type { HostileShape } from './hostile-bodies.ts';
import { hostileDocuments } from './hostile-documents.ts';

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
}

export async function holdDocuments(t: Test, isWhole: boolean): Promise<void> {
  const guard = await Guard.start(t);
  for (const [turn, document] of hostileDocuments(guard.service.facts).entries()) {
    const { method, target, route: path, body, what } = document;
    const text = JSON.stringify(body);
    for (const prefix of PREFIXES) {
      const route = routeOf(method, `${prefix}${path}`);
      t.ok(text.length <= bodyBytesMaxOf(route), `${what} fits`);
      for (const hostile of bodiesFor(route, turn, [{ what, text }], isWhole))
        await guard.hold(route, `${prefix}${target}`, hostile);
    }
  }
}
