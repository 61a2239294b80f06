/** Pages whose code is not part of the first download. */
import {
  type AnyRouter,
  type AsyncRouteComponent,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { UnreachableError } from '../../client/errors.ts';
import { fetchPlot } from '../charts/time-chart.tsx';
import { client } from '../client.ts';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** `last`: its code is fetched after that of all other pages. `on the way`: only when the person goes there. */
    readonly codeFetched?: 'last' | 'on the way';
  }
}

/**
 * A page whose code is fetched before it is shown. If the code is missing because another version was built since, the
 * router loads the whole document again; while the service is down, which would leave an empty screen, it does not.
 */
export function lazyPage<M extends Readonly<Record<string, unknown>>, N extends keyof M & string>(
  fetchCode: () => Promise<M>,
  name: N,
): AsyncRouteComponent<M[N] extends (props: infer P) => unknown ? P : never> {
  const fetched = () =>
    fetchCode().catch(async (error: unknown) => {
      await failUnlessAnswered();
      throw error;
    });
  return lazyRouteComponent(fetched, name);
}

/** Throws an UnreachableError if the service does not answer. */
async function failUnlessAnswered(): Promise<void> {
  try {
    await client.get('/v6/version/');
  } catch (error) {
    if (error instanceof UnreachableError) throw error;
  }
}

/**
 * The component of a route that shows `page`. The router fetches its code before it leaves the present page: a
 * placeholder would stay for at least 300 ms, which is how long React keeps one.
 */
export function pageComponent(
  page: Pick<AsyncRouteComponent<unknown>, 'preload'>,
  view: () => ReactNode,
): RouteComponent {
  return Object.assign(view, { preload: () => page.preload?.() });
}

/** After so many milliseconds it is seen whether a page still reads its data. */
const READING_MS = 50;

/**
 * Fetches the code of charts and pages one by one while the browser is idle and no page reads its data: clicks wait
 * neither for the code, nor for the connections and the time that fetching it takes. `last` is called afterwards.
 */
export function fetchPagesWhenIdle(
  { routesById, loadRouteChunk }: AnyRouter,
  isReading: () => boolean,
  last: () => void,
): void {
  const routes = Object.values(routesById);
  const fetched = (when: 'last' | undefined) =>
    routes
      .filter(({ options }) => options.staticData?.codeFetched === when)
      .map((route) => () => loadRouteChunk(route));
  const left = [fetchPlot, ...fetched(undefined), ...fetched('last')];
  const fetchNext = async (): Promise<void> => {
    if (isReading()) return void setTimeout(() => whenIdle(fetchNext), READING_MS);
    const fetch = left.shift();
    if (fetch === undefined) return last();
    // It is tried again when its page is opened.
    await Promise.resolve(fetch()).catch(() => undefined);
    whenIdle(fetchNext);
  };
  whenIdle(fetchNext);
}

/** Safari has no `requestIdleCallback`. */
function whenIdle(call: () => Promise<void>): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(() => void call());
  else setTimeout(() => void call(), 200);
}
