/** Requests at random: right ones, ones with anything anywhere, and ones that make no sense at all. */
import type { OpenApiDocument } from '../../../src/http/openapi.ts';
import type { Seeded } from '../harness/work/seeded.ts';
import { targetOf } from './broken-targets.ts';
import { placesOf, withValue } from './places.ts';
import type { Sample } from './samples.ts';
import type { Sent } from './sender.ts';
import { ANYTHING } from './wrong-values.ts';

const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'];
const WORDS = [
  ...[
    '1',
    '2',
    '17',
    '0',
    '-1',
    'demo-recipe',
    'demo-keep',
    '1.0.0',
    'validation',
    'combined',
    '%00',
    '%2e%2e',
    '..',
  ],
  ...[
    'true',
    'FIFO',
    'id',
    '-id',
    '-created',
    'P1D',
    '2026-01-01T00:00:00Z',
    'COMPLETED',
    '__proto__',
    '%F0%9F%98%80',
  ],
];
const BODIES = [
  '',
  '{',
  '[]',
  'null',
  '{"a":1}{',
  '"text"',
  '\u0000',
  '{"title":"\\ud800"}',
  `[${'['.repeat(9_000)}`,
];
const HEADERS: readonly Record<string, string>[] = [
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=latin1' },
  { 'content-encoding': 'gzip' },
  { host: 'evil.example' },
  { host: 'localhost:99999999' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { 'sec-fetch-site': 'cross-site' },
  { range: 'bytes=0-,5-2' },
];

/** Each of a list in a random order, then each again in another: few draws reach all. */
class Rounds<T> {
  readonly #random: Seeded;
  readonly #all: readonly T[];
  #left: T[] = [];

  constructor(random: Seeded, all: readonly T[]) {
    this.#random = random;
    this.#all = all;
  }

  next(): T {
    if (this.#left.length === 0) this.#left = [...this.#all];
    const [one] = this.#left.splice(Math.floor(this.#random.between(0, this.#left.length)), 1);
    return one as T;
  }
}

export class RandomRequests {
  readonly #random: Seeded;
  readonly #samples: Rounds<Sample>;
  readonly #operations: Rounds<{ method: string; path: string; query: readonly string[] }>;

  constructor(random: Seeded, samples: readonly Sample[], document: OpenApiDocument) {
    this.#random = random;
    this.#samples = new Rounds(random, samples);
    const operations = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { parameters }]) => ({
        ...{ method: method.toUpperCase(), path },
        query: parameters.filter((one) => one.in === 'query').map(({ name }) => name),
      })),
    );
    this.#operations = new Rounds(random, operations);
  }

  next(): Sent {
    const dice = this.#random.next();
    const sent = dice < 0.55 ? this.#fromSample() : this.#fromDocument();
    return this.#chance(0.03) ? { ...sent, headers: { ...sent.headers, ...this.#pick(HEADERS) } } : sent;
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random.between(0, from.length))] as T;
  }

  #chance(share: number): boolean {
    return this.#random.next() < share;
  }

  /** A body that would be accepted, but for up to four places. */
  #fromSample(): Sent {
    const { method, target, body } = this.#samples.next();
    if (this.#chance(0.05)) return { method, target, body: this.#pick(BODIES) };
    let changed: unknown = body;
    const changes = Math.floor(this.#random.between(0, 5));
    for (let index = 0; index < changes; index += 1) {
      const places = placesOf(changed);
      if (places.length === 0) break;
      const { keys } = this.#pick(places);
      changed = withValue(changed, keys, this.#chance(0.15) ? undefined : this.#pick(ANYTHING));
    }
    return { method, target, body: changed };
  }

  #fromDocument(): Sent {
    const { method, path, query } = this.#operations.next();
    const fill = new Proxy({}, { get: () => this.#pick(WORDS) });
    let target = targetOf(path, fill);
    if (this.#chance(0.03)) target = target.slice(0, -1);
    const pairs = Math.floor(this.#random.between(0, 4));
    const given = Array.from(
      { length: pairs },
      () => `${this.#pick([...query, 'other'])}=${this.#pick(WORDS)}`,
    );
    if (given.length > 0) target += `?${given.join('&')}`;
    const verb = this.#chance(0.08) ? this.#pick(METHODS) : method;
    if (verb === 'GET' || verb === 'HEAD' || verb === 'OPTIONS') return { method: verb, target };
    return {
      method: verb,
      target,
      body: this.#chance(0.5) ? this.#pick(BODIES) : this.#pick(ANYTHING.slice(5)),
    };
  }
}
