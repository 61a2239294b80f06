/** Lists read no other fields of their records than those that `fields` asks for, and show them as they are. */
import t from 'tap';
import { apiDeps } from '../../src/api/deps.ts';
import { apiRoutes } from '../../src/api/resources.ts';
import { openApi } from '../../src/http/openapi.ts';
import { heardSql } from '../store/sql/heard-sql.ts';
import { makeCaller } from '../support/http.ts';
import { idleParts } from '../support/idle-parts.ts';
import { variedLists } from '../support/worlds/lists/varied-lists.ts';

const world = await variedLists(t);
const asked: string[] = [];
const sql = heardSql(world.db.sql, ({ text }) => void asked.push(text));
const caller = makeCaller(apiRoutes('any'), apiDeps(idleParts(sql)));

/** Lists with rows here. The others would show nothing of what they leave out. */
const WITH_ROWS = [
  ...[
    '/v6/jobs/',
    '/v6/recipes/',
    '/v6/batches/',
    '/v6/files/',
    '/v6/ingests/',
    '/v6/strikes/',
    '/v6/scans/',
  ],
  ...['/v6/nodes/', '/v6/errors/', '/v6/workspaces/', '/v6/job-types/', '/v6/job-type-names/'],
  ...['/v6/recipe-types/', '/v6/job-types/type-a/', '/v6/job-types/type-a/1.0.0/revisions/'],
  ...['/v6/recipe-types/recipe-b/revisions/', '/v6/ingests/3/jobs/'],
];

t.test('fields: every list answers each field alone as it is in the whole record', async (t) => {
  for (const list of WITH_ROWS) {
    const whole = await caller.get(list);
    if (!t.equal(whole.status, 200, whole.text)) continue;
    const { results, ...beside } = whole.json;
    t.ok(results.length > 0, `${list} has rows`);
    for (const field of Object.keys(results[0] ?? {})) {
      const { status, json, text } = await caller.get(`${list}?fields=${field}`);
      const expected = results.map((one: Record<string, unknown>) => ({ [field]: one[field] }));
      t.equal(status, 200, text);
      t.strictSame({ ...json, next: null }, { ...beside, next: null, results: expected }, `${list} ${field}`);
    }
  }
});

t.test('fields: of a field, what is inside it; of several, in the order of the record', async (t) => {
  const { results } = (await caller.get('/v6/files/?order=id')).json;
  const { json } = await caller.get('/v6/files/?order=id&fields=url,workspace__name,job_type__name');
  t.strictSame(
    json.results,
    results.map((one: { workspace: { name: string }; url: string; job_type: { name: string } | null }) => ({
      workspace: { name: one.workspace.name },
      url: one.url,
      job_type: one.job_type && { name: one.job_type.name },
    })),
  );
});

t.test('fields: what is not shown is not read', async (t) => {
  const rows: readonly (readonly [string, string, RegExp])[] = [
    ['/v6/jobs/', 'id', /job_input_file|'reason'|'event'/],
    ['/v6/files/', 'file_name', /'job_type'|'batch'/],
    ['/v6/ingests/', 'id', /'source_file'|'reason'/],
    ['/v6/job-type-names/', 'name,title', /'versions'/],
    ['/v6/recipe-types/', 'id,title', /recipe_type_job_type|recipe_type_sub_type/],
  ];
  for (const [list, fields, other] of rows) {
    const textsOf = async (target: string): Promise<string> => {
      asked.length = 0;
      t.equal((await caller.get(target)).status, 200);
      return asked.join('\n');
    };
    t.match(await textsOf(list), other, `${list} reads them for whole records`);
    t.notMatch(await textsOf(`${list}?fields=${fields}`), other, `${list}?fields=${fields}`);
  }
});

t.test('fields: every list of the interface takes them', async (t) => {
  const { paths } = openApi(apiRoutes('any'), 'any');
  const lists = Object.entries(paths).filter(([, { get }]) =>
    JSON.stringify(get?.parameters ?? []).includes('"page_size"'),
  );
  t.ok(lists.length > WITH_ROWS.length);
  for (const [path, { get }] of lists) t.match(JSON.stringify(get?.parameters), /"fields"/, path);
});
