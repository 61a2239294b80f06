/**
 * Values made from the schemas of an OpenAPI document: as a rule ones that fit, at the edges of what fits, and now and
 * then beyond. All of it comes from the numbers of a seed.
 */
import type { OpenApiDocument } from '../../src/http/openapi.ts';
import type { Seeded } from '../e2e/harness/work/seeded.ts';
import { ANYTHING } from '../e2e/hostile/wrong-values.ts';

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly format?: string;
}

const DEPTH_MAX = 8;
const TEXTS = [
  ...['', ' ', 'a', 'demo-recipe', 'text', 'ä', '😀', '\u202e', "'; drop table job; --", '%s%n', '#{7*7}'],
  ...['../../etc/passwd', '/dev/null', 'http://127.0.0.1:1/', 'nul\u0000', '\ud800', '(a+)+$', '\\', '{{x}}'],
  ...['<script>', 'true', 'null', '-1', '1e999', '__proto__', 'constructor', 'P1D', '2026-01-01T00:00:00Z'],
];
const INSTANTS = [
  ...['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.123456Z', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z'],
  ...['2026-02-30T00:00:00Z', '2026-01-01', 'now', 'P1D', 'P9999Y', 'PT1S'],
];
const KEYS = ['a', '', '__proto__', 'constructor', 'toString', 'x'.repeat(300), '😀', 'a.b', 'a[0]'];

export class SchemaValues {
  readonly #random: Seeded;
  readonly #schemas: Readonly<Record<string, Schema>>;

  constructor(random: Seeded, document: OpenApiDocument) {
    this.#random = random;
    this.#schemas = document.components.schemas as Readonly<Record<string, Schema>>;
  }

  pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random.between(0, from.length))] as T;
  }

  chance(share: number): boolean {
    return this.#random.next() < share;
  }

  whole(low: number, high: number): number {
    return Math.floor(this.#random.between(low, high + 1));
  }

  anything(): unknown {
    return this.pick(ANYTHING);
  }

  /** Fits the schema with the chance of `fit` at each place. */
  value(schema: Schema, fit: number, depth = 0): unknown {
    if (!this.chance(fit)) return this.chance(0.5) ? this.anything() : this.pick(TEXTS);
    const one = this.#resolved(schema);
    if (one.const !== undefined) return one.const;
    if (one.enum !== undefined) return this.pick(one.enum);
    if (depth > DEPTH_MAX) return null;
    switch (Array.isArray(one.type) ? this.pick(one.type) : one.type) {
      case 'string':
        return this.#text(one);
      case 'integer':
      case 'number':
        return this.#number(one);
      case 'boolean':
        return this.chance(0.5);
      case 'null':
        return null;
      case 'array':
        return Array.from({ length: this.#length(one.maxItems) }, () =>
          this.value(one.items ?? {}, fit, depth + 1),
        );
      case 'object':
        return this.#object(one, fit, depth);
      default:
        return this.anything();
    }
  }

  #resolved(schema: Schema): Schema {
    if (schema.$ref !== undefined) {
      return this.#resolved(this.#schemas[schema.$ref.slice('#/components/schemas/'.length)] ?? {});
    }
    const forms = schema.anyOf ?? schema.oneOf;
    return forms === undefined ? schema : this.#resolved(this.pick(forms));
  }

  #text({ format, minLength = 0, maxLength }: Schema): string {
    if (format === 'date-time') return this.pick(INSTANTS);
    if (maxLength !== undefined && this.chance(0.15)) {
      return 'x'.repeat(Math.min(200_000, this.pick([minLength, maxLength, maxLength + 1])));
    }
    return this.chance(0.3) ? `t${this.whole(0, 1_000_000)}` : this.pick(TEXTS);
  }

  #number({ type, minimum, maximum }: Schema): number {
    const edges = [0, 1, 2, 3, -1, 2 ** 31 - 1, 2 ** 31, 2 ** 53 - 1, -(2 ** 53)];
    if (minimum !== undefined) edges.push(minimum, minimum - 1, minimum, minimum + 1);
    // What is as large as it may be makes the service work for long: seldom.
    if (maximum !== undefined && this.chance(0.2)) edges.push(maximum, maximum + 1);
    const chosen = this.chance(0.6)
      ? this.whole(minimum ?? 0, Math.min(maximum ?? 10, 10))
      : this.pick(edges);
    return type === 'number' && this.chance(0.3) ? chosen + 0.5 : chosen;
  }

  /** Short, mostly; long now and then. */
  #length(max = 200): number {
    return this.chance(0.03) ? Math.min(max + 1, 1_000) : this.whole(0, 3);
  }

  #object(schema: Schema, fit: number, depth: number): Record<string, unknown> {
    const made: Record<string, unknown> = {};
    const set = (key: string, value: unknown) =>
      // Not an assignment: the key may be `__proto__`.
      Object.defineProperty(made, key, { value, enumerable: true, configurable: true, writable: true });
    for (const [key, property] of Object.entries(schema.properties ?? {})) {
      const isWanted = schema.required?.includes(key) ? !this.chance(0.03) : this.chance(0.4);
      if (isWanted) set(key, this.value(property, fit, depth + 1));
    }
    const others = schema.additionalProperties;
    const isOpen = schema.properties === undefined || typeof others === 'object';
    const count = isOpen ? this.whole(0, 3) : Number(this.chance(0.04));
    for (let index = 0; index < count; index += 1) {
      const value = typeof others === 'object' ? this.value(others, fit, depth + 1) : this.anything();
      set(this.pick(KEYS), value);
    }
    return made;
  }
}
