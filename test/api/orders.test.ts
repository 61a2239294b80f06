/** Lists take every field of their records that has one value as `order`, and sort by it. */
import t from 'tap';
import { apiDeps } from '../../src/api/deps.ts';
import { apiRoutes } from '../../src/api/resources.ts';
import { openApi } from '../../src/http/openapi.ts';
import { openDatabase } from '../../src/store/database.ts';
import { LOG } from '../store/store-world.ts';
import { makeCaller } from '../support/http.ts';
import { idleParts } from '../support/idle-parts.ts';
import { ROWS, variedLists } from '../support/worlds/lists/varied-lists.ts';

const LISTS = ['/v6/jobs/', '/v6/recipes/', '/v6/batches/', '/v6/files/', '/v6/ingests/'];
/** The words of an order that are no field, or that sort by the name of what the field holds. */
const WORDS = new Set(['max_tries', 'duration', 'job_type', 'node', 'recipe', 'recipe_type']);
type Value = string | number | boolean | null;

/** The fields of a record that have one value, by their names in `order`. */
function valuesOf(record: Record<string, unknown>, prefix = ''): [string, Value][] {
  return Object.entries(record).flatMap(([name, value]) => {
    if (Array.isArray(value)) return [];
    if (typeof value !== 'object' || value === null) return [[`${prefix}${name}`, value as Value]];
    return valuesOf(value as Record<string, unknown>, `${prefix}${name}__`);
  });
}

/** What a list shows of a field; null as well where the record around it is absent. */
const shown = (record: Record<string, unknown>, field: string): Value =>
  new Map(valuesOf(record)).get(field) ?? null;

t.test('orders: lists are sorted by every field with a single value', async (t) => {
  const world = await variedLists(t);
  const caller = makeCaller(apiRoutes('any'), apiDeps(idleParts(world.db.sql)));
  const { paths } = openApi(apiRoutes('any'), 'any');
  const ranks = async (texts: readonly string[]): Promise<ReadonlyMap<string, number>> => {
    const rows = await world.rows<{ text: string; rank: number }>(
      'select text, dense_rank() over (order by lower(text)) as rank from unnest($1::text[]) as text',
      [texts],
    );
    return new Map(rows.map(({ text, rank }) => [text, Number(rank)]));
  };
  for (const list of LISTS) {
    const parameters = (paths[list]?.get?.parameters ?? []) as unknown as {
      name: string;
      schema: { items?: { enum: string[] }; enum?: string[] };
    }[];
    const order = parameters.find(({ name }) => name === 'order');
    const offered = order?.schema.items?.enum ?? order?.schema.enum ?? [];
    const fields = offered.filter((field) => !field.startsWith('-'));
    const { results } = (await caller.get(list)).json;
    t.equal(results.length, ROWS, list);
    const ofRecords = new Set<string>(
      results.flatMap((one: object) => valuesOf({ ...one })).map(([name]: [string]) => name),
    );
    // A map or a document by whatever names it has.
    const known = [...ofRecords].filter((name) => !/(^|__)(description__|input_files)/.test(name));
    const parts = new Set(known.filter((name) => !known.some((other) => other.startsWith(`${name}__`))));
    t.strictSame(
      [...parts].filter((name) => name !== 'object_version' && !fields.includes(name)),
      [],
      `${list}: no field is left out`,
    );
    for (const field of fields) {
      for (const sign of ['', '-']) {
        const { status, json, text } = await caller.get(`${list}?order=${sign}${field}`);
        if (!t.equal(status, 200, text) || WORDS.has(field)) continue;
        const values: Value[] = json.results.map((one: Record<string, unknown>) => shown(one, field));
        if (sign === '-') values.reverse();
        // Addresses that this service has itself come first, by their ids.
        const isOwn = (value: Value) => field.endsWith('url') && String(value).startsWith('http://localhost');
        const texts = await ranks(values.filter((value) => typeof value === 'string'));
        const keys = values.map((value) => {
          if (value === null) return Number.POSITIVE_INFINITY;
          if (isOwn(value)) return 0;
          return typeof value === 'string' ? (texts.get(value) ?? Number.NaN) : Number(value);
        });
        const isSorted = keys.every((key, n) => n === 0 || key >= (keys[n - 1] ?? Number.NaN));
        t.ok(isSorted, `${list}?order=${sign}${field}: ${JSON.stringify(values)}`);
      }
    }
  }
});

t.test('orders: a sort that exceeds the time of a statement is answered 503', async (t) => {
  const world = await variedLists(t);
  const hurried = await openDatabase({ url: world.url, log: LOG, statementTimeoutMs: 500 });
  t.teardown(() => hurried.close());
  const caller = makeCaller(apiRoutes('any'), apiDeps(idleParts(hurried.sql)));
  const slow = await world.db.sql.transaction(async (tx) => {
    // Whoever sorts by types of events waits for this table, for as long as it is let.
    await tx.execute('lock table event in access exclusive mode');
    return caller.get('/v6/jobs/?order=event__type');
  });
  t.equal(slow.status, 503, slow.text);
  t.ok(slow.headers.get('retry-after'));
  t.equal((await caller.get('/v6/jobs/?order=event__type')).status, 200);
});
