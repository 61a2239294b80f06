/**
 * What bodies cost, on a service in the test's own process. Counted is what does not depend on the machine, and it is
 * held to so much a byte.
 */
import { request as httpRequest } from 'node:http';
import type { Test } from 'tap';
import { serviceRoutes } from '../../../src/api/service.ts';
import { bodyBytesMaxOf, bodyPartsMaxOf, MANY_PARTS_MAX } from '../../../src/http/body/limits.ts';
import type { Route } from '../../../src/http/route.ts';
import { type Sample, samplesOf } from '../../e2e/hostile/samples.ts';
import { BuiltParts } from '../../support/built-parts.ts';
import { countedTogether, WorkCounter } from '../../support/work-counter.ts';
import { type GuardedService, guardedService } from '../../support/worlds/guarded-service.ts';
import type { HostileBody, HostileShape } from './hostile-bodies.ts';
import { moreSamples } from './more-samples.ts';

/** Blocks of code run, and characters and items that built-ins go through, for each byte of a body. */
const STEPS_PER_BYTE_MAX = 40;
/** The steps of a call whatever its body: who asks, where it goes, statements, what actors do meanwhile. */
const STEPS_BASE = 200_000;
/** Parts (members of objects, objects and arrays) that a call has the event loop build besides those of its body. */
const PARTS_BASE = 2_000;
/** Enough for what grows with the square of its input to be seen by far: 3,000 items and more. */
const SIZE = 32_768;
/** Bodies that are counted together, at most. */
const TOGETHER_MAX = 24;
const TOGETHER_BYTES_MAX = 67_108_864;
/** Every route is served twice. */
export const PREFIXES = ['', '/api'] as const;

/** Every route that takes a body: a new one is among them at once. */
export const ROUTES: readonly Route<never>[] = serviceRoutes('1.0.0').filter(
  ({ body }) => body !== undefined,
);

/** One in so many of the bodies that the same code gets elsewhere is sent again, except in the long test. */
export const REPEATED_ONE_IN = 8;

/** Some of those that are sent elsewhere, at least one: routes that follow each other, by their `turn`, get others. */
export function someOf<T>(bodies: readonly T[], turn: number): readonly T[] {
  const some = bodies.filter((_, index) => (index + turn) % REPEATED_ONE_IN === 0);
  return some.length > 0 ? some : bodies.slice(0, 1);
}

/** The bodies that a route gets: all, or some if its twin gets all. Both are served by the same code. */
export function bodiesFor<T>(
  { method, path }: Route<never>,
  turn: number,
  bodies: readonly T[],
  isWhole: boolean,
): readonly T[] {
  const isTwin = (one: Route<never>) => one.method === method && `/api${one.path}` === path;
  if (isWhole || !ROUTES.some(isTwin)) return bodies;
  return someOf(bodies, turn);
}

/** Bytes of what is sent to a route where the very size does not matter. */
export function sizeFor(route: Route<never>): number {
  return Math.min(SIZE, bodyBytesMaxOf(route));
}

/** A path of the route, whether or not it leads to a record. */
export function targetOf({ path }: Route<never>): string {
  return path.replaceAll(/\{\w+\}/g, '1');
}

export function routeOf(method: string, path: string): Route<never> {
  const route = ROUTES.find((one) => one.method === method && one.path === path);
  if (route === undefined) throw new Error(`there is no ${method} ${path}`);
  return route;
}

/** With labels, where the route takes them. */
function labelled(sample: Sample): Sample {
  const { body } = routeOf(sample.method, sample.route);
  if (body?.properties?.labels === undefined) return sample;
  return { ...sample, body: { ...sample.body, labels: { team: 'maps' } } };
}

interface Call {
  readonly route: Route<never>;
  readonly target: string;
  readonly shape: HostileShape;
  readonly size: number;
}

interface Sent {
  readonly route: Route<never>;
  readonly target: string;
  readonly body: HostileBody;
}

export class Guard {
  readonly service: GuardedService;
  /** Bodies that are accepted: one at least for each call whose body holds a document. */
  readonly samples: readonly Sample[];
  readonly #counter: WorkCounter;
  readonly #built = new BuiltParts();
  readonly #t: Test;
  /** Those that wait to be counted with others, all made for one size. */
  #waiting: Call[] = [];
  /** How many to count together, by what the last ones cost. */
  #together = TOGETHER_MAX;

  private constructor(t: Test, service: GuardedService, counter: WorkCounter) {
    this.#t = t;
    this.#counter = counter;
    t.teardown(() => this.#built.stop());
    this.service = service;
    this.samples = [...samplesOf(service.facts, service as never), ...moreSamples(service.facts)].map(
      labelled,
    );
  }

  static async start(t: Test): Promise<Guard> {
    // Large bodies are read there.
    const counter = await WorkCounter.start({ threads: '/large-bodies/' });
    t.teardown(() => counter.stop());
    const guard = new Guard(t, await guardedService(t), counter);
    // What the start did is none of the bodies'.
    await counter.count(() => undefined);
    return guard;
  }

  /** Sends a body, and fails if what came of it is out of proportion, or no answer of ours. Resolves with its steps. */
  async hold(route: Route<never>, target: string, { what, text }: HostileBody): Promise<number> {
    let name = '';
    const { blocks, touched, most } = await this.#counter.count(async () => {
      name = await this.#send(route, target, { what, text });
    });
    if (blocks + touched > stepsMaxOf(text))
      this.#t.fail(`${name}, ${blocks} blocks and ${touched} touched, most in ${most.join('; ')}`);
    return blocks + touched;
  }

  /**
   * The same of many bodies, in order. Counting takes longer than most bodies do, so some are counted together, also
   * with those of other routes: if they cost no more than one of them may, none is out of proportion. Otherwise each
   * half of them is sent again and counted. `finish` counts those that still wait then.
   */
  async holdAll(
    route: Route<never>,
    target: string,
    { shapes, size }: { readonly shapes: readonly HostileShape[]; readonly size: number },
  ): Promise<void> {
    for (const shape of shapes) {
      const isFull =
        this.#waiting.length >= this.#together || this.#waiting.length * size >= TOGETHER_BYTES_MAX;
      if (isFull || this.#waiting.some((call) => call.size !== size)) await this.finish();
      this.#waiting.push({ route, target, shape, size });
    }
  }

  async finish(): Promise<void> {
    const sent = this.#waiting.map(({ route, target, shape, size }) => ({
      ...{ route, target, body: { what: shape.what, text: shape.make(size) } },
    }));
    this.#waiting = [];
    if (sent.length > 0) await this.#holdTogether(sent);
  }

  /** Resolves with the steps of all, each of which was then found not to be out of proportion. */
  async #holdTogether(sent: readonly Sent[]): Promise<number> {
    const names: string[] = [];
    const { blocks, touched } = await this.#counter.countNext(async () => {
      for (const { route, target, body } of sent) names.push(await this.#send(route, target, body));
    });
    const steps = blocks + touched;
    const stepsMax = Math.min(...sent.map(({ body }) => stepsMaxOf(body.text)));
    this.#together = countedTogether(steps / sent.length, stepsMax, TOGETHER_MAX);
    if (steps <= stepsMax) return steps;
    const again = await this.#holdParts(sent);
    // What is done once, such as creating a record, may not be out of proportion either.
    if (steps - again > stepsMax / 2) this.#t.fail(`${names.join('; ')}: ${steps} steps, then ${again}`);
    return again;
  }

  async #holdParts(sent: readonly Sent[]): Promise<number> {
    const [first] = sent;
    if (first !== undefined && sent.length === 1) return this.hold(first.route, first.target, first.body);
    const half = Math.ceil(sent.length / 2);
    return (await this.#holdTogether(sent.slice(0, half))) + (await this.#holdTogether(sent.slice(half)));
  }

  /** Resolves with a name for messages. Fails if the answer is none of ours, or the event loop built too much. */
  async #send(route: Route<never>, target: string, { what, text }: HostileBody): Promise<string> {
    this.#built.take();
    const status = await send(this.service.url, route.method, target, text);
    const built = this.#built.take();
    const name = `${route.method} ${route.path}, ${what} (${text.length} bytes): ${status}`;
    if (status === 0 || status >= 500) this.#t.fail(name);
    if (built > (bodyPartsMaxOf(route) ?? MANY_PARTS_MAX) + PARTS_BASE)
      this.#t.fail(`${name}, ${built} parts built on the event loop`);
    return name;
  }
}

function stepsMaxOf(text: string): number {
  return STEPS_BASE + text.length * STEPS_PER_BYTE_MAX;
}

function send(url: string, method: string, target: string, text: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    const request = httpRequest(new URL(target, url), { method, headers, agent: false }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(text);
  });
}
