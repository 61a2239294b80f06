/** Every page of the public system's UI finds what it needs in answers about real work. */
import t from 'tap';
import { migratedDatabase } from '../../support/db.ts';
import { startClients, untilAnswer } from './clients-world.ts';
import { makeWork, type Work } from './made-work.ts';
import { missing } from './needed.ts';
import { PAGE_ROWS } from './page-rows.ts';
import { EMPTY_LISTS, ORDERS, QUERY_ROWS, REFUSED } from './query-rows.ts';

const DAY_MS = 86_400_000;

function filledIn(call: string, work: Work): string {
  const dayEndMs = Math.ceil(Date.now() / DAY_MS) * DAY_MS - 1;
  const times: Record<string, string> = {
    dayAgo: new Date(Date.now() - DAY_MS).toISOString(),
    dayEnd: new Date(dayEndMs).toISOString(),
  };
  const values: Readonly<Record<string, number | string>> = { ...work, ...times };
  return call.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
}

/** What tells records apart, in their order. */
function idsOf({ results }: { results: readonly Readonly<Record<string, unknown>>[] }): unknown[] {
  return results.map((record) => record.id ?? JSON.stringify(record.column ?? record));
}

const clients = await startClients(t, { DATABASE_URL: await migratedDatabase(t) });
const { get } = clients;

t.test('clients: an empty server answers every list', async (t) => {
  for (const call of EMPTY_LISTS) {
    const { status, json } = await get(call);
    t.equal(status, 200, call);
    t.ok(Array.isArray(json.results), `${call} is a list`);
  }
  const series = await get(
    'metrics/job-types/plot-data/?page_size=null&column=total_count&column=error_data_count',
  );
  const names = series.json.results.map(({ column }: { column: { name: string } }) => column.name);
  t.strictSame(names, ['total_count', 'error_data_count'], 'a series a column, in their order');
});

let work: Work;

t.test('clients: work is created and completed', async () => {
  work = await makeWork(clients);
});

t.test('clients: every page of the public UI finds its data', async (t) => {
  const log = `job-executions/${work.runningExecution}/logs/combined/`;
  await untilAnswer(clients, log, ({ status }) => status === 200);
  for (const { page, call, needs } of PAGE_ROWS) {
    const answer = await get(filledIn(call, work));
    if (!t.equal(answer.status, 200, `${page}: GET ${call}`)) t.comment(JSON.stringify(answer.json));
    const absent = needs.flatMap((path) => missing(answer.json, path));
    t.strictSame(absent, [], `${page}: ${call} has what it needs`);
  }
});

t.test('clients: queries are read leniently', async (t) => {
  for (const { what, sent, means } of QUERY_ROWS) {
    const lenient = await get(filledIn(sent, work));
    const strict = await get(`/v6/${filledIn(means, work)}`);
    t.equal(lenient.status, 200, `${what}: ${sent}`);
    t.equal(lenient.json.count, strict.json.count, `${what}: as many as ${means}`);
    t.strictSame(idsOf(lenient.json), idsOf(strict.json), `${what}: those of ${means}`);
  }
  for (const [list, fields] of Object.entries(ORDERS)) {
    for (const field of fields.flatMap((name) => [name, `-${name}`])) {
      t.equal((await get(`${list}/?order=${field}`)).status, 200, `${list} by ${field}`);
    }
  }
  for (const call of REFUSED) t.equal((await get(call)).status, 400, `${call} is refused`);
});

t.test('clients: links lead back below /api/', async (t) => {
  const first = (await get('files/?page_size=2&order=id')).json;
  t.match(first.next, /\/api\/v6\/files\/\?page_size=2&order=id&page=2$/);
  const second = await get(new URL(first.next).pathname + new URL(first.next).search);
  t.not(second.json.results[0].id, first.results[0].id);
  const url = new URL(first.results[0].url);
  t.match(url.pathname, /^\/api\/v6\/files\/\d+\/content\/$/);
  t.equal((await get(url.pathname)).status, 200, 'contents are there, too');
  for (const path of [`jobs/${work.failedJob}`, `ingests/${work.ingest}/jobs`, 'jobs'])
    t.match((await get(path)).headers.get('location'), `/api/v6/${path}/`, `${path}, without the last slash`);
});

t.test('clients: executions are listed newest first, and logs from a time on', async (t) => {
  const executions = (await get(`jobs/${work.failedJob}/executions/`)).json.results;
  const numbers = executions.map(({ exe_num }: { exe_num: number }) => exe_num);
  t.ok(numbers.length > 1);
  t.strictSame(
    numbers,
    [...numbers].sort((a, b) => b - a),
  );
  const log = `job-executions/${work.runningExecution}/logs/combined/`;
  t.equal((await get(log)).json.hits.hits[0]._source.message, 'sleeping');
  const later = encodeURIComponent(new Date(Date.now() + DAY_MS).toISOString());
  t.equal((await get(`${log}?started=${later}`)).status, 204);
});

t.test('clients: unknown objects are 404, and /v6/ is unchanged', async (t) => {
  for (const path of ['jobs/999999/', 'nothing/', 'openapi.json', '/api/', '/api/v7/jobs/'])
    t.equal((await get(path)).status, 404, path);
  t.equal((await get('/v6/jobs/?page_size=null')).status, 400);
  t.equal((await get('/v6/jobs/?order=looks')).status, 400);
  t.notOk('docker_image' in (await get('/v6/job-types/read-bytes/1.0.0/')).json);
});
