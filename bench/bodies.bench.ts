/**
 * What bodies cost: each route that takes one, with bodies as large as its limit lets through, and with bodies that it
 * accepts, grown at each of their places. The coordinator's
 * processor time is given as a multiple of a bare `JSON.parse` of the same bytes, and the hold of its event loop as the
 * longest that another caller waited for the smallest answer meanwhile.
 */
import { request as httpRequest } from 'node:http';
import { scanJson } from '../src/domain/document/json-scan.ts';
import { JSON_VALUES_MAX } from '../src/domain/document/json-value.ts';
import { bodyBytesMaxOf } from '../src/http/body-limits.ts';
import { samplesOf } from '../test/e2e/hostile/samples.ts';
import { ROUTES, routeOf, targetOf } from '../test/http/guard/guard.ts';
import { fullBodies, grown, type HostileBody } from '../test/http/guard/hostile-bodies.ts';
import { moreSamples } from '../test/http/guard/more-samples.ts';
import { createWork } from '../test/support/guarded-service.ts';
import { runBench } from './harness/bench.ts';
import { type System, startSystem } from './harness/system.ts';

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

/** What one body costs. */
interface Cost {
  readonly status: number;
  /** Processor time of the coordinator for one call. */
  readonly callMs: number;
  /** That time as a multiple of a bare parse of the same bytes. */
  readonly multiple: number;
  readonly waitMs: number;
}

async function costOf(system: System, route: Sendable, text: string, times: number): Promise<Cost> {
  const { base } = system.client;
  const used = () => system.meter.cpu().coordinator ?? 0;
  const call = () => send(base, route.method, route.target, text);
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
  return { status, callMs, multiple: callMs / bareParse(text, times), waitMs };
}

interface Sendable {
  readonly method: string;
  readonly target: string;
}

type Row = readonly (string | number)[];

function rowOf(route: { method: string; path: string }, what: string, bytes: number, cost: Cost): Row {
  const { status, callMs, multiple, waitMs } = cost;
  const figures = [callMs.toFixed(1), multiple.toFixed(1), waitMs.toFixed(1)];
  return [`${route.method} ${route.path}`, what, bytes, status, ...figures];
}

/** As large as the route takes, and with no more values than a body may have: refusals of size are cheap. */
function grownToLimit(body: Readonly<Record<string, unknown>>, limit: number): readonly HostileBody[] {
  return grown(body, limit).map((one, index) => {
    let [largest, size] = [one, limit];
    while (scanJson(Buffer.from(largest.text)) !== undefined && size > 1_024) {
      size /= 2;
      largest = grown(body, size)[index] ?? one;
    }
    return largest;
  });
}

await runBench(import.meta.filename, async (bench) => {
  const times = bench.parameter('times', 1, 10);
  const routeCount = bench.parameter('routes', 2, ROUTES.length);
  const settings = { MILLRACE_ADMIN_PASSWORD: 'for large bodies' };
  const system = await startSystem(bench, { agent: 'noop', coordinatorSettings: settings });
  const [full, accepted]: [Row[], Row[]] = [[], []];
  const costs: Cost[] = [];
  try {
    const facts = await createWork(system.client, system.databaseUrl, system.folder);
    for (const route of ROUTES.slice(0, routeCount)) {
      const sendable = { method: route.method, target: targetOf(route) };
      for (const { what, text } of fullBodies(route.body as never, bodyBytesMaxOf(route), JSON_VALUES_MAX)) {
        const cost = await costOf(system, sendable, text, times);
        costs.push(cost);
        full.push(rowOf(route, what, text.length, cost));
      }
    }
    const samples = [...samplesOf(facts, { folder: system.folder } as never), ...moreSamples(facts)];
    for (const sample of samples.slice(0, routeCount)) {
      const route = routeOf(sample.method, sample.route);
      for (const { what, text } of grownToLimit(sample.body, bodyBytesMaxOf(route))) {
        const cost = await costOf(system, sample, text, times);
        costs.push(cost);
        accepted.push(rowOf(route, what, text.length, cost));
      }
    }
  } finally {
    await system.stop();
  }
  const columns = ['route', 'body', 'bytes', 'status', 'processor ms', 'bare parses', 'longest wait ms'];
  bench.add({ kind: 'figures', title: 'Bodies as large as their routes take', columns, rows: full });
  bench.add({ kind: 'figures', title: 'Accepted bodies, grown at each place', columns, rows: accepted });
  bench.aim({
    text: 'longest wait of another caller',
    wanted: 50,
    bound: 'most',
    unit: 'ms',
    measured: Math.max(...costs.map(({ waitMs }) => waitMs)),
  });
  const largest = Math.max(...costs.map(({ multiple }) => multiple));
  bench.note(`The largest multiple of a bare parse is ${largest.toFixed(1)}.`);
});
