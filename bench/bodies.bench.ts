/**
 * What bodies cost: each route that takes one, with bodies as large as its limit lets through. The coordinator's
 * processor time is given as a multiple of a bare `JSON.parse` of the same bytes, and the hold of its event loop as the
 * longest that another caller waited for the smallest answer meanwhile.
 */
import { request as httpRequest } from 'node:http';
import { JSON_VALUES_MAX } from '../src/domain/document/json-value.ts';
import { bodyBytesMaxOf } from '../src/http/body-limits.ts';
import { ROUTES, targetOf } from '../test/http/guard/guard.ts';
import { fullBodies } from '../test/http/guard/hostile-bodies.ts';
import { runBench } from './harness/bench.ts';
import { startSystem } from './harness/system.ts';

/** Answered without a row read and without a body. */
const SMALLEST = '/v6/version/';
/** Ticks of /proc are 10 ms: a call is repeated until it can be told from them. */
const TICKS_S = 0.2;

function send(base: string, method: string, path: string, text = ''): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    const request = httpRequest(new URL(path, base), { method, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    request.on('error', reject);
    request.end(text);
  });
}

/** Milliseconds that a bare parse takes. */
function bareParse(text: string, times: number): number {
  const began = process.cpuUsage();
  for (let time = 0; time < times; time += 1) {
    try {
      JSON.parse(text);
    } catch {
      // What is no JSON is refused by a parser as well.
    }
  }
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1_000 / times;
}

/** The longest wait for the smallest answer while `work` goes on, in milliseconds. */
async function longestWait(base: string, work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isDone = false;
  const probe = async (): Promise<void> => {
    while (!isDone) {
      const began = performance.now();
      await send(base, 'GET', SMALLEST);
      longest = Math.max(longest, performance.now() - began);
    }
  };
  const probing = probe();
  try {
    await work();
  } finally {
    isDone = true;
    await probing;
  }
  return longest;
}

await runBench(import.meta.filename, async (bench) => {
  const times = bench.parameter('times', 1, 10);
  const routeCount = bench.parameter('routes', 2, ROUTES.length);
  const system = await startSystem(bench, { agent: 'noop' });
  const rows: (readonly (string | number)[])[] = [];
  let [worstMs, worstMultiple] = [0, 0];
  try {
    const { base } = system.client;
    const used = () => system.meter.cpu().coordinator ?? 0;
    for (const route of ROUTES.slice(0, routeCount)) {
      const limit = bodyBytesMaxOf(route);
      for (const { what, text } of fullBodies(route.body as never, limit, JSON_VALUES_MAX)) {
        const call = () => send(base, route.method, targetOf(route), text);
        const status = await call();
        const waitMs = await longestWait(base, call);
        let [count, spent] = [0, 0];
        const before = used();
        // The probe costs as well: it is not under way here.
        while (count < times && (count === 0 || spent < TICKS_S)) {
          await call();
          count += 1;
          spent = used() - before;
        }
        const callMs = (spent * 1_000) / count;
        const multiple = callMs / bareParse(text, times);
        worstMs = Math.max(worstMs, waitMs);
        worstMultiple = Math.max(worstMultiple, multiple);
        rows.push([
          `${route.method} ${route.path}`,
          ...[what, text.length, status, callMs.toFixed(1), multiple.toFixed(1), waitMs.toFixed(1)],
        ]);
      }
    }
  } finally {
    await system.stop();
  }
  bench.add({
    kind: 'figures',
    title: 'Bodies as large as their routes take',
    columns: ['route', 'body', 'bytes', 'status', 'processor ms', 'bare parses', 'longest wait ms'],
    rows,
  });
  bench.aim({
    text: 'longest wait of another caller',
    wanted: 50,
    bound: 'most',
    unit: 'ms',
    measured: worstMs,
  });
  bench.note(`The largest multiple of a bare parse is ${worstMultiple.toFixed(1)}.`);
});
