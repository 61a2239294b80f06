/** Values of a file with their positions, and the findings about them. */
import type { Json } from '../../domain/document/json-value.ts';

/** Line and column, both from 1; columns count UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface LocatedScalar {
  readonly kind: 'scalar';
  readonly at: Position;
  readonly value: string | number | boolean | null;
  /** The position of a character of a text, by its offset in the value. */
  inside(offset: number): Position;
}
export interface LocatedList {
  readonly kind: 'list';
  readonly at: Position;
  readonly items: readonly Located[];
}
export interface Entry {
  readonly key: string;
  readonly keyAt: Position;
  readonly value: Located;
}
export interface LocatedMap {
  readonly kind: 'map';
  readonly at: Position;
  /** In the order of the file; no key twice. */
  readonly entries: readonly Entry[];
}
export type Located = LocatedScalar | LocatedList | LocatedMap;

export interface Finding {
  readonly file: string;
  readonly at: Position;
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

/** limit: findings that are kept. Further ones are counted. */
const FINDINGS_MAX = 200;

/** Collects the errors and warnings about files. */
export class Findings {
  readonly #listed: Finding[] = [];
  readonly #known = new Set<string>();
  #errorCount = 0;
  #unlistedCount = 0;

  error(file: string, at: Position, message: string): void {
    this.#add({ file, at, severity: 'error', message });
  }

  warning(file: string, at: Position, message: string): void {
    this.#add({ file, at, severity: 'warning', message });
  }

  #add(finding: Finding): void {
    const text = findingLine(finding);
    if (this.#known.has(text)) return;
    if (finding.severity === 'error') this.#errorCount += 1;
    if (this.#listed.length >= FINDINGS_MAX) {
      this.#unlistedCount += 1;
      return;
    }
    this.#known.add(text);
    this.#listed.push(finding);
  }

  /** Places that have an error, as `placeKey` names them. */
  errorPlaces(): ReadonlySet<string> {
    return new Set(
      this.#listed.flatMap(({ file, at, severity }) => (severity === 'error' ? [placeKey(file, at)] : [])),
    );
  }

  get ok(): boolean {
    return this.#errorCount === 0;
  }

  get errorCount(): number {
    return this.#errorCount;
  }

  /** How many findings beyond the limit were only counted. */
  get unlistedCount(): number {
    return this.#unlistedCount;
  }

  /** Sorted by file, in the order of reading, then by position. */
  toArray(): readonly Finding[] {
    const order = new Map<string, number>();
    for (const { file } of this.#listed) if (!order.has(file)) order.set(file, order.size);
    return this.#listed.toSorted(
      (one, other) =>
        (order.get(one.file) ?? 0) - (order.get(other.file) ?? 0) ||
        one.at.line - other.at.line ||
        one.at.column - other.at.column,
    );
  }
}

export function placeKey(file: string, { line, column }: Position): string {
  return `${file}:${line}:${column}`;
}

/** `words.yaml:3:9: error: …`, as compilers write it. */
export function findingLine({ file, at, severity, message }: Finding): string {
  return `${file}:${at.line}:${at.column}: ${severity}: ${message}`;
}

/** The value as JSON, without positions. */
export function plainValue(node: Located): Json {
  switch (node.kind) {
    case 'scalar':
      return node.value;
    case 'list':
      return node.items.map(plainValue);
    case 'map':
      return Object.fromEntries(node.entries.map(({ key, value }) => [key, plainValue(value)]));
  }
}

/** The member of a map. */
export function memberOf(node: LocatedMap, key: string): Entry | undefined {
  return node.entries.find((entry) => entry.key === key);
}

/** The name at the position `at`, as a value. */
export function scalarAt(value: string, at: Position): LocatedScalar {
  return {
    kind: 'scalar',
    at,
    value,
    inside: (offset) => ({ line: at.line, column: at.column + offset }),
  };
}
