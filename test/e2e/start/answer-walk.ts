/**
 * Calls each GET of the interface for records that exist, and compares the answers with the schemas of the OpenAPI
 * document. Paths are filled from lists: `{id}` of `/v6/jobs/{id}/why/` from `/v6/jobs/`. A new call is in the walk at
 * once.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
}
interface Operation {
  readonly parameters: readonly Parameter[];
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { schema?: object }>> }>
  >;
}
interface Description {
  readonly paths: Readonly<Record<string, { readonly get?: Operation }>>;
  readonly components: object;
}
type Fields = Readonly<Record<string, unknown>>;

export interface WalkOptions {
  readonly base: string;
  /** Lists whose records fill a path, where the path itself does not name them. */
  readonly lists: Readonly<Record<string, string>>;
  /** Values of a path that no list has, and parameters that a call needs, by its path. */
  readonly values: Readonly<Record<string, Fields>>;
  /** Calls that are not made, each with why. */
  readonly omitted: Readonly<Record<string, string>>;
}

export interface Walked {
  readonly problems: readonly string[];
  /** Calls for which nothing was found to ask for. */
  readonly empty: readonly string[];
  readonly answers: number;
}

/** limit: records of one list whose details are read. */
const RECORDS_MAX = 12;

export async function walkAnswers(options: WalkOptions): Promise<Walked> {
  const answer = await fetch(new URL('/v6/openapi.json', options.base));
  return new Walk(options, (await answer.json()) as Description).run();
}

class Walk {
  readonly #options: WalkOptions;
  readonly #description: Description;
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false });
  readonly #lists = new Map<string, Promise<readonly Fields[]>>();
  readonly #problems: string[] = [];
  #answers = 0;

  constructor(options: WalkOptions, description: Description) {
    this.#options = options;
    this.#description = description;
    this.#ajv.addSchema({ $id: 'https://millrace.test/', ...closed(description) });
  }

  async run(): Promise<Walked> {
    const empty: string[] = [];
    for (const [path, { get }] of Object.entries(this.#description.paths)) {
      if (get === undefined || path in this.#options.omitted) continue;
      const targets = await this.#targets(path);
      if (targets.length === 0) empty.push(path);
      for (const target of targets) await this.#call(path, get, target);
    }
    return { problems: this.#problems, empty, answers: this.#answers };
  }

  /** The addresses of a path: with each record that fills it. */
  async #targets(path: string): Promise<readonly string[]> {
    const own = this.#options.values[path] ?? {};
    let filled: readonly (readonly [path: string, record: Fields])[] = [[path, own]];
    for (;;) {
      const open = filled[0]?.[0] ?? '';
      const [, name] = /\{(\w+)\}/.exec(open) ?? [];
      if (name === undefined) break;
      const next: [string, Fields][] = [];
      for (const [one, known] of filled) {
        const records = name in known ? [known] : await this.#records(path, one);
        for (const record of records.slice(0, RECORDS_MAX)) {
          const merged = { ...record, ...known };
          const value = merged[name];
          if (typeof value !== 'string' && typeof value !== 'number') continue;
          next.push([one.replace(`{${name}}`, encodeURIComponent(value)), merged]);
        }
      }
      if (next.length === 0) return [];
      filled = next;
    }
    const query = Object.entries(own).filter(([name]) => !path.includes(`{${name}}`));
    const text = new URLSearchParams(
      query.map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
    return [...new Set(filled.map(([one]) => (text === '' ? one : `${one}?${text}`)))];
  }

  /** The records that fill the next gap of a path. */
  async #records(path: string, filled: string): Promise<readonly Fields[]> {
    const list = this.#options.lists[path] ?? filled.slice(0, filled.indexOf('{'));
    const known = this.#lists.get(list);
    if (known !== undefined) return known;
    const records = (async () => {
      const answer = await fetch(new URL(`${list}?page_size=1000`, this.#options.base));
      const page = (await answer.json()) as { readonly results?: readonly Fields[] };
      return page.results ?? [];
    })();
    this.#lists.set(list, records);
    return records;
  }

  async #call(path: string, { responses }: Operation, target: string): Promise<void> {
    const answer = await fetch(new URL(target, this.#options.base), { redirect: 'manual' });
    const text = await answer.text();
    this.#answers += 1;
    const said = responses[String(answer.status)];
    const type = answer.headers.get('content-type')?.split(';')[0] ?? '';
    if (answer.status >= 400) this.#problems.push(`${target}: ${answer.status} ${text.slice(0, 200)}`);
    else if (said === undefined) this.#problems.push(`${target}: ${answer.status} is not declared`);
    else if (text !== '' && said.content?.[type] === undefined && said.content?.['*/*'] === undefined)
      this.#problems.push(`${target}: ${type} is not declared`);
    else if (type === 'application/json') {
      const validate = this.#validator(path, answer.status);
      const value: unknown = JSON.parse(text);
      if (!validate(value)) this.#problems.push(`${target}: ${this.#ajv.errorsText(validate.errors)}`);
    }
  }

  #validator(path: string, status: number): ValidateFunction {
    const parts = [
      'paths',
      path,
      'get',
      'responses',
      String(status),
      'content',
      'application/json',
      'schema',
    ];
    const pointer = parts.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'));
    return this.#ajv.compile({
      $ref: `https://millrace.test/#/${pointer.map(encodeURIComponent).join('/')}`,
    });
  }
}

/** The schemas, with objects that may have the named fields only unless they say otherwise. */
function closed<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(closed) as T;
  if (typeof schema !== 'object' || schema === null) return schema;
  const fields = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  const isOpen = 'additionalProperties' in fields;
  const isObject = fields.type === 'object' && typeof fields.properties === 'object' && !isOpen;
  return (isObject ? { ...fields, additionalProperties: false } : fields) as T;
}
