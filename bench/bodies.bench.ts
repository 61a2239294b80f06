/**
 * What bodies cost: for each route that takes one, the nastiest that it accepts and the nastiest that it refuses, as
 * large as it takes them. The coordinator's processor time, all of its threads, is given as a multiple of a bare
 * `JSON.parse` of the same bytes; the hold of its event loop as the longest that another caller waited meanwhile.
 */
import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { scanJson } from '../src/domain/document/json-scan.ts';
import { bodyBytesMaxOf, bodyPartsMaxOf, loopBodyBytesMaxOf } from '../src/http/body/limits.ts';
import { type Facts, type Sample, samplesOf } from '../test/e2e/hostile/samples.ts';
import { ROUTES, targetOf } from '../test/http/guard/guard.ts';
import {
  fullBodies,
  grown,
  type HostileShape,
  heldMost,
  hostileFields,
  hostileTexts,
} from '../test/http/guard/hostile-bodies.ts';
import { hostileDocuments } from '../test/http/guard/hostile-documents.ts';
import { moreSamples } from '../test/http/guard/more-samples.ts';
import { createWork } from '../test/support/worlds/guarded-service.ts';
import { type Bench, runBench } from './harness/bench.ts';
import { median } from './harness/figures.ts';
import { threadNanoseconds } from './harness/processor-time.ts';
import { startSystem } from './harness/system.ts';
import { WaitProbe } from './harness/wait-probe.ts';

/** Answered without a row read and without a body. */
const SMALLEST = '/v6/version/';
/** Bytes at which all bodies are tried, to find the nastiest. */
const SCREENED_BYTES = 131_072;
/** As many of those that cost most are tried once more. */
const AGAIN = 6;
/** The part of a size that is tried next where a body is answered otherwise, and where it has too many parts. */
const [LESS, FEWER] = [0.5, 0.95];
/** Calls are repeated until they have taken so much processor time. */
const REPEATED_MS = 1_000;
/** After an answer, for what is left to do, and for the kernel to have counted it. */
const AFTER_MS = 5;
/** From so many bytes on a call is compared with a bare parse. */
const COMPARED_BYTES = 16_384;
/** As many characters are parsed before a bare parse exceeds the clock's own error. */
const PARSED_MIN = 2_000_000;
/** The coordinator is at rest when it takes less than this share of a processor; waited for at most so long. */
const REST = 0.05;
const LOOK_MS = 20;
const REST_MS_MAX = 5_000;

type Route = (typeof ROUTES)[number];

/** What one call took of the coordinator. */
interface Cost {
  /** 0: the connection broke. */
  readonly status: number;
  /** The processor time of all its threads. */
  readonly allMs: number;
  /** The processor time of the event loop alone. */
  readonly loopMs: number;
}

/** A body for a route; where it is sent. */
interface Candidate extends HostileShape {
  readonly target: string;
  /** Bytes; undefined: as many as the route takes. */
  readonly size?: number;
}

interface Screened {
  readonly candidate: Candidate;
  readonly cost: Cost;
  /** Refused before it is parsed: its depth or the number of its values. */
  readonly isRefusedByScan: boolean;
}

interface Measured extends Cost {
  readonly route: string;
  readonly what: string;
  readonly bytes: number;
  /** NaN: a small body costs what a call costs. */
  readonly parses: number;
  readonly waitMs: number;
}

const isAccepted = ({ status }: Cost): boolean => status >= 200 && status < 400;

/** Milliseconds of processor that a bare parse takes. */
function bareParse(text: string): number {
  const times = Math.max(1, Math.ceil(PARSED_MIN / text.length));
  const runs = [1, 2, 3].map(() => {
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
  });
  return median(runs);
}

/** The coordinator that is measured, with something of every kind in it. */
class Target {
  readonly #base: string;
  readonly #pid: number;
  readonly #probe: WaitProbe;

  constructor(base: string, pid: number) {
    this.#base = base;
    this.#pid = pid;
    this.#probe = new WaitProbe(new URL(SMALLEST, base).href);
  }

  async stop(): Promise<void> {
    await this.#probe.stop();
  }

  async send(route: Route, target: string, text: string): Promise<Cost> {
    const bytes = Buffer.from(text);
    const before = threadNanoseconds(this.#pid);
    const status = await this.#send(route.method, target, bytes);
    await sleep(AFTER_MS);
    const after = threadNanoseconds(this.#pid);
    const usedMs = (thread: number) => ((after.get(thread) ?? 0) - (before.get(thread) ?? 0)) / 1e6;
    const allMs = [...after.keys()].reduce((sum, thread) => sum + usedMs(thread), 0);
    return { status, allMs, loopMs: usedMs(this.#pid) };
  }

  /** The longest that another caller waits during a call. */
  async waitMs(route: Route, target: string, text: string): Promise<number> {
    const bytes = Buffer.from(text);
    return await this.#probe.longestDuring(() => this.#send(route.method, target, bytes));
  }

  /** What another caller waits while nothing is sent. */
  idleWaitMs(): Promise<number> {
    return this.#probe.longestDuring(() => sleep(500));
  }

  /** What an accepted body has begun is no cost of the next one. */
  async rest(): Promise<void> {
    const used = () => [...threadNanoseconds(this.#pid).values()].reduce((sum, one) => sum + one, 0);
    const endMs = performance.now() + REST_MS_MAX;
    for (let before = used(); performance.now() < endMs; ) {
      await sleep(LOOK_MS);
      const after = used();
      if ((after - before) / 1e6 < LOOK_MS * REST) return;
      before = after;
    }
  }

  #send(method: string, target: string, bytes: Buffer): Promise<number> {
    return new Promise((resolve) => {
      const headers = { 'content-type': 'application/json', 'content-length': bytes.length };
      const request = httpRequest(new URL(target, this.#base), { method, headers }, (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
        response.on('error', () => resolve(0));
      });
      request.on('error', () => resolve(0));
      request.end(bytes);
    });
  }
}

/** Every body that the tests know for the route. */
function candidatesOf(route: Route, facts: Facts, samples: readonly Sample[]): readonly Candidate[] {
  const prefix = route.path.startsWith('/api/v6/') ? '/api' : '';
  const path = route.path.slice(prefix.length);
  const schema = route.body as never;
  const target = targetOf(route);
  const any = [...hostileTexts(schema), ...hostileFields(schema), ...fullBodies(schema, heldMost(route))].map(
    (shape): Candidate => ({ ...shape, target }),
  );
  const accepted = samples
    .filter((sample) => sample.method === route.method && sample.route === path)
    .flatMap(({ target: own, body }): Candidate[] => {
      const plain = { what: 'a usual one', make: () => JSON.stringify(body), size: 1 };
      return [plain, ...grown(body)].map((shape) => ({
        ...shape,
        target: `${prefix}${own}`,
      }));
    });
  const documents = hostileDocuments(facts)
    .filter((document) => document.method === route.method && document.route === path)
    .map(({ what, target: own, body }): Candidate => {
      const make = () => JSON.stringify(body);
      return { what, make, target: `${prefix}${own}`, size: make().length };
    });
  return [...any, ...accepted, ...documents];
}

/** All candidates at one size, those that cost most more than once: the first of a kind is slow. */
async function screened(target: Target, route: Route, candidates: readonly Candidate[]): Promise<Screened[]> {
  const size = Math.min(SCREENED_BYTES, bodyBytesMaxOf(route));
  const isLeaving = !route.path.endsWith('/validation/');
  const costOf = async (text: string, candidate: Candidate): Promise<Cost> => {
    const cost = await target.send(route, candidate.target, text);
    if (isLeaving && isAccepted(cost)) await target.rest();
    return cost;
  };
  const found: Screened[] = [];
  for (const candidate of candidates) {
    const text = candidate.make(size);
    found.push({ candidate, cost: await costOf(text, candidate), isRefusedByScan: isTooMuch(route, text) });
  }
  for (const one of new Set(SIZES.flatMap((size) => most(found, size, AGAIN)))) {
    const again = await costOf(one.candidate.make(size), one.candidate);
    found[found.indexOf(one)] = { ...one, cost: lesser(one.cost, again) };
  }
  return found;
}

const lesser = (one: Cost, other: Cost): Cost => ({
  status: other.status,
  allMs: Math.min(one.allMs, other.allMs),
  loopMs: Math.min(one.loopMs, other.loopMs),
});

const isTooMuch = (route: Route, text: string): boolean =>
  scanJson(Buffer.from(text), bodyPartsMaxOf(route)) !== undefined;

type Size = (cost: Cost) => number;
/** What is nasty: to all threads together, or to the event loop. */
const SIZES: readonly Size[] = [({ allMs }) => allMs, ({ loopMs }) => loopMs];

const most = (all: readonly Screened[], size: Size, count: number): readonly Screened[] =>
  all.toSorted((one, other) => size(other.cost) - size(one.cost)).slice(0, count);

/** The bodies that cost most among those of one size, with the size that they are measured at. */
function nastiest(route: Route, found: readonly Screened[]): readonly (readonly [Screened, number])[] {
  const shapes = found.filter(({ candidate }) => candidate.size === undefined);
  const limit = bodyBytesMaxOf(route);
  const [inAll = [], onLoop = []] = SIZES.map((size) => most(shapes, size, 1));
  // Beyond that, a thread of its own reads the body: the loop is held longest by what it still reads itself.
  const loopLimit = loopBodyBytesMaxOf(route);
  if (limit === loopLimit) return [...new Set([...inAll, ...onLoop])].map((one) => [one, limit] as const);
  const divided = inAll.map((one) => [one, limit] as const);
  return [...divided, ...onLoop.map((one) => [one, loopLimit] as const)];
}

/** Documents of a size of their own that cost more than anything that was measured. */
function nastier(found: readonly Screened[], rows: readonly Measured[]): readonly Screened[] {
  const documents = found.filter(({ candidate }) => candidate.size !== undefined);
  const worse = SIZES.flatMap((size) =>
    most(documents, size, 1).filter(({ cost }) => rows.every((row) => size(row) < size(cost))),
  );
  return [...new Set(worse)];
}

/** A body, as large as it is answered in the same way as the small one was. */
async function measured(target: Target, route: Route, one: Screened, size: number, calls: number) {
  const { candidate, cost, isRefusedByScan } = one;
  const smallest = Math.min(SCREENED_BYTES, size);
  let [text, first] = ['', cost];
  for (let bytes = size, less = LESS; ; bytes = Math.max(smallest, Math.floor(bytes * less))) {
    text = candidate.make(bytes);
    const isLeast = bytes <= smallest || candidate.size !== undefined;
    const isOtherwise = isTooMuch(route, text) !== isRefusedByScan;
    less = isOtherwise ? FEWER : LESS;
    if (!isLeast && isOtherwise) continue;
    first = await target.send(route, candidate.target, text);
    await target.rest();
    if (isLeast || isAccepted(first) === isAccepted(cost)) break;
  }
  const costs = [first];
  const waits: number[] = [];
  for (let call = 0, spentMs = 0; call < calls && spentMs < REPEATED_MS; call += 1) {
    waits.push(await target.waitMs(route, candidate.target, text));
    await target.rest();
    const next = await target.send(route, candidate.target, text);
    await target.rest();
    costs.push(next);
    spentMs += next.allMs;
  }
  const [bytes, allMs] = [Buffer.byteLength(text), median(costs.map((each) => each.allMs))];
  return {
    ...{ route: `${route.method} ${route.path}`, what: candidate.what, bytes },
    ...{ status: first.status, allMs, loopMs: median(costs.map((each) => each.loopMs)) },
    // Other work of the machine only adds to a wait.
    ...{ parses: bytes < COMPARED_BYTES ? Number.NaN : allMs / bareParse(text), waitMs: Math.min(...waits) },
  } satisfies Measured;
}

const COLUMNS = [
  ...['route', 'body', 'bytes', 'status', 'processor ms', 'bare parses', 'on the loop ms', 'longest wait ms'],
];

const figure = (value: number): string => (Number.isFinite(value) ? value.toFixed(1) : '');

const cellsOf = ({ route, what, bytes, status, allMs, parses, loopMs, waitMs }: Measured) => [
  ...[route, what, bytes.toLocaleString('en'), status === 0 ? 'none' : String(status)],
  ...[allMs, parses, loopMs, waitMs].map(figure),
];

/** A line a route: the worst of each figure. */
function summaryOf(found: readonly Measured[]): readonly (readonly string[])[] {
  const routes = Map.groupBy(found, ({ route }) => route);
  const worst = (rows: readonly Measured[], size: (row: Measured) => number) =>
    figure(Math.max(...rows.map(size).filter(Number.isFinite)));
  return [...routes].map(([route, rows]) => {
    const [accepted, refused] = [rows.filter(isAccepted), rows.filter((row) => !isAccepted(row))];
    const figures = [accepted, refused].flatMap((some) => [
      worst(some, ({ allMs }) => allMs),
      worst(some, ({ parses }) => parses),
    ]);
    return [route, ...figures, worst(rows, ({ waitMs }) => waitMs)];
  });
}

const twinOf = (route: string): string => route.replace(' /v6/', ' /api/v6/');

/**
 * Batches come first: what they create runs on while others are measured, and is small until recipe types have been
 * given a thousand nodes. The purge comes last: afterwards the file is gone that others name.
 */
const placeOf = ({ path }: Route): number =>
  path.includes('/batches/') ? 0 : path.endsWith('/purge-source/') ? 2 : 1;

function chosenRoutes(bench: Bench): readonly Route[] {
  const word = bench.word('routes');
  const ordered = ROUTES.toSorted((one, other) => placeOf(one) - placeOf(other));
  if (word === undefined) return bench.isTiny ? ordered.slice(0, 2) : ordered;
  bench.leavesPages();
  const chosen = ordered.filter(({ method, path }) => `${method} ${path}`.includes(word));
  if (chosen.length === 0) throw new Error(`no route has ${word} in it`);
  return chosen;
}

async function measureRoute(target: Target, route: Route, candidates: readonly Candidate[], calls: number) {
  const rows: Measured[] = [];
  // What is done once, such as the start of the thread for large bodies, is no cost of the first.
  await target.send(route, targetOf(route), ' '.repeat(bodyBytesMaxOf(route)));
  await target.rest();
  const all = await screened(target, route, candidates);
  for (const wanted of [true, false]) {
    const found = all.filter(({ cost }) => isAccepted(cost) === wanted);
    for (const [one, size] of nastiest(route, found))
      rows.push(await measured(target, route, one, size, calls));
    const ofClass = rows.filter((row) => isAccepted(row) === wanted);
    for (const one of nastier(found, ofClass)) rows.push(await measured(target, route, one, 1, calls));
  }
  return rows;
}

await runBench(import.meta.filename, async (bench) => {
  const calls = bench.parameter('times', 1, 2);
  const routes = chosenRoutes(bench);
  const settings = { MILLRACE_ADMIN_PASSWORD: 'for large bodies' };
  const system = await startSystem(bench, { agent: 'noop', coordinatorSettings: settings });
  const target = new Target(system.client.base, system.coordinatorPid);
  const rows: Measured[] = [];
  try {
    const facts = await createWork(system.client, system.databaseUrl, system.folder);
    const samples = [...samplesOf(facts, { folder: system.folder } as never), ...moreSamples(facts)];
    await target.rest();
    bench.fact('longest wait while nothing is sent, ms', (await target.idleWaitMs()).toFixed(1));
    for (const [index, route] of routes.entries()) {
      const all = candidatesOf(route, facts, samples);
      // Its twin under the other prefix is sent what was the nastiest there.
      const twin = rows.filter((row) => `${route.method} ${route.path}` === twinOf(row.route));
      const candidates =
        twin.length === 0 ? all : all.filter(({ what }) => twin.some((row) => row.what === what));
      const from = performance.now();
      const found = await measureRoute(
        target,
        route,
        bench.isTiny ? candidates.slice(-3) : candidates,
        calls,
      );
      rows.push(...found);
      const seconds = ((performance.now() - from) / 1_000).toFixed(0);
      const head = `${index + 1}/${routes.length} ${route.method} ${route.path}`;
      bench.progress(`${head}: ${candidates.length} bodies, ${seconds} s`);
      for (const row of found) bench.progress(`  ${cellsOf(row).slice(1).join(' | ')}`);
    }
  } finally {
    await target.stop();
    await system.stop();
  }
  const heads = ['route', 'accepted: processor ms', 'bare parses', 'refused: processor ms', 'bare parses'];
  const summary = { columns: [...heads, 'longest wait ms'], rows: summaryOf(rows) };
  bench.add({ kind: 'figures', title: 'Routes, the worst of each', ...summary });
  bench.add({ kind: 'figures', title: 'Nastiest bodies', columns: COLUMNS, rows: rows.map(cellsOf) });
  bench.aim({
    text: 'longest wait of another caller',
    wanted: 50,
    bound: 'most',
    unit: 'ms',
    measured: Math.max(...rows.map(({ waitMs }) => waitMs)),
  });
});
