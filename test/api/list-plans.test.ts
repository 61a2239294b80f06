/**
 * Every filter of every list, alone, on tables with rows in them: what it asks of the database reads what it shows,
 * and no table that grows from end to end. The lists and their parameters are those that are served.
 */
import t from 'tap';
import { apiDeps } from '../../src/api/deps.ts';
import { apiRoutes } from '../../src/api/resources.ts';
import { openApi } from '../../src/http/openapi.ts';
import type { Sql } from '../../src/store/sql/sql.ts';
import { type HeardStatement, heardSql } from '../store/sql/heard-sql.ts';
import { NOW, storeWorld } from '../store/store-world.ts';
import { makeCaller } from '../support/http.ts';
import { idleParts } from '../support/idle-parts.ts';
import { fillLists, GROWING } from '../support/worlds/lists/list-rows.ts';

const ROWS = 20_000;
/** A filter that chooses less of the rows than this must find them by an index, to count them as well. */
const FEW = ROWS / 50;

const world = await storeWorld(t);
const asked: HeardStatement[] = [];
const sql = heardSql(world.db.sql, (heard) => void asked.push(heard));

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: {
    readonly type?: string;
    readonly enum?: readonly string[];
    readonly items?: Parameter['schema'];
  };
}

const LATE = new Date(Date.now() - 3_600_000 * 20).toISOString();
const EARLY = new Date(Date.now() - 3_600_000 * (ROWS - 20)).toISOString();

/** Values that choose little, as far as the rows have such; all values of a small set. Bounded: a start is needed. */
function valuesOf({ name, schema }: Parameter, isBounded: boolean): readonly string[] {
  const one = schema.items ?? schema;
  if (/(^|_)started$/.test(name)) return [LATE];
  if (/(^|_)ended$/.test(name)) return [isBounded ? new Date().toISOString() : EARLY];
  if (one.enum !== undefined) return one.enum;
  if (one.type === 'boolean') return ['true', 'false'];
  if (one.type === 'integer') return ['42'];
  return name === 'countries' ? ['FEW'] : name === 'media_type' ? ['few/few'] : ['few', 'type-b', 'recipe-a'];
}

function explained(sql: Sql, text: string, params: readonly unknown[] = []) {
  return sql.execute<{ 'QUERY PLAN': string }>(text, params);
}

const NO_FILTER = new Set(['fields', 'page', 'page_size', 'order']);

interface List {
  readonly target: string;
  readonly filters: readonly Parameter[];
  readonly needs: string;
}

function listsServed(): List[] {
  const { paths } = openApi(apiRoutes('any'), 'any');
  return Object.entries(paths).flatMap(([path, { get }]) => {
    const parameters = (get?.parameters ?? []) as unknown as readonly Parameter[];
    if (!parameters.some(({ name }) => name === 'page_size')) return [];
    const needed = parameters.filter((one) => one.in === 'query' && one.required);
    return {
      target: path.replace(/\{\w+\}/g, '42'),
      filters: parameters.filter((one) => one.in === 'query' && !NO_FILTER.has(one.name)),
      needs: needed.map(({ name }) => `&${name}=${LATE}`).join(''),
    };
  });
}

async function scansOf({ text, params, isKept }: HeardStatement): Promise<string[]> {
  if (!/^\s*(select|with)/i.test(text)) return [];
  const rows = isKept
    ? await world.db.sql.transaction((tx) => explained(tx, `explain (generic_plan) ${text}`), 'keyed')
    : await explained(world.db.sql, `explain ${text}`, params);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  return GROWING.filter((table) => new RegExp(`Seq Scan on ${table}\\b`).test(plan));
}

await fillLists(world, ROWS);
// What lists do not need is not there.
const caller = makeCaller(apiRoutes('any'), apiDeps(idleParts(sql)), {
  nowMs: () => Math.max(NOW, Date.now()),
});

for (const { target, filters, needs } of listsServed()) {
  t.test(`${target}: no filter scans a table that grows`, async (t) => {
    let calls = 0;
    for (const parameter of filters) {
      for (const value of valuesOf(parameter, needs !== '')) {
        asked.length = 0;
        const query = `${parameter.name}=${encodeURIComponent(value)}${needs}`;
        const { status, json } = await caller.get(`${target}?${query}`);
        if (status === 404 || json.errors?.[0]?.name === 'REVERSED_RANGE') continue;
        calls += 1;
        if (!t.equal(status, 200, `${query}: ${JSON.stringify(json)}`)) continue;
        const isFew = json.count < FEW;
        for (const one of [...asked]) {
          const isCount = /^\s*select \(?(select )?count\(\*\)/.test(one.text);
          if (isCount && !isFew) continue;
          t.strictSame(await scansOf(one), [], `${query} (${json.count}): ${one.text.slice(0, 2_000)}`);
        }
      }
    }
    t.comment(`${calls} calls`);
  });
}
