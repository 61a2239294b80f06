/** The records of a server, by name. Each is read once and cached until it is changed here. */
import type { JsonObject } from '../../domain/document/json-value.ts';
import type { Labels } from '../../domain/labels.ts';
import { type Desired, type Kind, keyOf } from './documents.ts';

/** The part of the client that is used here: any call by its path. */
export interface Server {
  request(
    method: string,
    path: string,
    options?: { readonly body?: unknown },
  ): Promise<{
    readonly status: number;
    readonly headers: { get(name: string): string | null };
    readonly body: unknown;
  }>;
}

export type Reference = Pick<Desired, 'kind' | 'name' | 'version'>;

/** A record as the server shows it in detail. */
export interface ServerRecord {
  readonly id: number;
  readonly name: string;
  readonly labels: Labels;
  readonly isSystem: boolean;
  readonly fields: JsonObject;
}

const LISTS: Readonly<Record<Kind, string>> = {
  workspace: '/v6/workspaces/',
  job_type: '/v6/job-types/',
  recipe_type: '/v6/recipe-types/',
  strike: '/v6/strikes/',
  scan: '/v6/scans/',
};
const PAGE_SIZE = 500;
/** limit: records that are read at a time. */
const CONCURRENT_READS = 8;

export function isRefusal(error: unknown, ...statuses: readonly number[]): boolean {
  const status = (error as { readonly status?: unknown } | null)?.status;
  return typeof status === 'number' && statuses.includes(status);
}

export class Records {
  readonly #server: Server;
  readonly #found = new Map<string, Promise<ServerRecord | undefined>>();

  constructor(server: Server) {
    this.#server = server;
  }

  /** Undefined: there is none. */
  find(reference: Reference): Promise<ServerRecord | undefined> {
    const key = keyOf(reference);
    const known = this.#found.get(key) ?? this.#read(reference);
    this.#found.set(key, known);
    return known;
  }

  /** All of them, a few at a time. */
  async findAll(references: readonly Reference[]): Promise<readonly (ServerRecord | undefined)[]> {
    const found: (ServerRecord | undefined)[] = [];
    for (let from = 0; from < references.length; from += CONCURRENT_READS) {
      const some = references.slice(from, from + CONCURRENT_READS);
      found.push(...(await Promise.all(some.map((reference) => this.find(reference)))));
    }
    return found;
  }

  /** Drops a cached record, because it may have changed. */
  forget(reference: Reference): void {
    this.#found.delete(keyOf(reference));
  }

  /** The records of a kind that have this label, in the order of their ids. Undefined: all. */
  async list(kind: Kind, label: string | undefined): Promise<readonly Reference[]> {
    const filter = label === undefined ? '' : `&label=${encodeURIComponent(label)}`;
    const found: Reference[] = [];
    for (let page = 1; ; page += 1) {
      const path = `${LISTS[kind]}?order=id&page_size=${PAGE_SIZE}&page=${page}${filter}`;
      const { results, next } = (await this.#get(path)) as { results: JsonObject[]; next: string | null };
      for (const { name, version } of results) {
        found.push({
          kind,
          name: String(name),
          ...(kind === 'job_type' ? { version: String(version) } : {}),
        });
      }
      if (next === null) return found;
    }
  }

  /** A revision of a type; undefined if there is none. */
  async revision(reference: Reference, revision: number): Promise<JsonObject | undefined> {
    return (await this.#getOrNothing(`${this.#typePath(reference)}revisions/${revision}/`)) as
      | JsonObject
      | undefined;
  }

  /** Resolves with the server's warnings. */
  async create(kind: Kind, body: object): Promise<readonly string[]> {
    return warningsOf(await this.#server.request('POST', LISTS[kind], { body }));
  }

  async edit(reference: Reference, body: object): Promise<readonly string[]> {
    const path = await this.#path(reference);
    this.forget(reference);
    return warningsOf(await this.#server.request('PATCH', path, { body }));
  }

  /** With `isDryRun` nothing is removed, and the answer says what would be removed. */
  async remove(reference: Reference, isDryRun: boolean): Promise<unknown> {
    const path = await this.#path(reference);
    if (!isDryRun) this.forget(reference);
    return (await this.#server.request('DELETE', `${path}${isDryRun ? '?dry_run=true' : ''}`)).body;
  }

  async validate(kind: Kind, body: object): Promise<Validation> {
    return (await this.#server.request('POST', `${LISTS[kind]}validation/`, { body })).body as Validation;
  }

  async #path(reference: Reference): Promise<string> {
    if (reference.kind === 'job_type' || reference.kind === 'recipe_type') return this.#typePath(reference);
    const found = await this.find(reference);
    return `${LISTS[reference.kind]}${found?.id}/`;
  }

  #typePath({ kind, name, version }: Reference): string {
    const part = version === undefined ? '' : `${encodeURIComponent(version)}/`;
    return `${LISTS[kind]}${encodeURIComponent(name)}/${part}`;
  }

  async #read(reference: Reference): Promise<ServerRecord | undefined> {
    const fields = (await this.#details(reference)) as JsonObject | undefined;
    if (fields === undefined) return undefined;
    const labels = (fields.labels ?? {}) as Labels;
    return {
      id: Number(fields.id),
      name: String(fields.name),
      labels,
      isSystem: fields.is_system === true,
      fields,
    };
  }

  async #details(reference: Reference): Promise<unknown> {
    const { kind, name } = reference;
    if (kind === 'job_type' || kind === 'recipe_type') return this.#getOrNothing(this.#typePath(reference));
    const list = (await this.#get(`${LISTS[kind]}?name=${encodeURIComponent(name)}`)) as {
      results: JsonObject[];
    };
    const head = list.results.find((one) => one.name === name);
    return head === undefined ? undefined : this.#getOrNothing(`${LISTS[kind]}${head.id}/`);
  }

  async #get(path: string): Promise<unknown> {
    return (await this.#server.request('GET', path)).body;
  }

  async #getOrNothing(path: string): Promise<unknown> {
    try {
      return await this.#get(path);
    } catch (error) {
      if (isRefusal(error, 404)) return undefined;
      throw error;
    }
  }
}

export interface Validation {
  readonly errors: readonly { readonly name: string; readonly description: string; readonly path: string }[];
  readonly warnings: readonly {
    readonly name: string;
    readonly description: string;
    readonly path: string;
  }[];
}

/** The texts of a `Warning` header: `299 millrace "…", 299 millrace "…"`. */
function warningsOf({
  headers,
}: {
  readonly headers: { get(name: string): string | null };
}): readonly string[] {
  const header = headers.get('warning') ?? '';
  return [...header.matchAll(/\d{3} \S+ "([^"]*)"/g)].map(([, text = '']) => text);
}
