/** A job type is tried: one job that nothing lists or counts, and that leaves nothing behind after its hour. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { migratedDatabase } from '../../support/db.ts';
import { startPair } from '../harness/pair.ts';
import { Program } from '../harness/program.ts';
import { filesBelow } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { createJobType, jobIs, manifestOf, type TypeSketch } from '../harness/work/job-types.ts';
import { openSession, type Session } from '../harness/work/keyed-calls.ts';
import { purge, purgeDone } from '../harness/work/purge-work.ts';

const TRY = '/v6/job-types/try/';

interface Tried {
  readonly id: number;
  readonly job_type: { readonly id: number; readonly name: string };
  readonly execution: { readonly id: number };
  readonly output: { readonly files: Record<string, readonly number[]>; readonly json: object };
}

function tryOf(sketch: TypeSketch, input: object = {}): object {
  const { workspace } = sketch;
  return {
    container_image: 'process:default',
    manifest: manifestOf(sketch),
    ...(workspace && { configuration: { output_workspaces: { default: workspace } } }),
    input: { files: {}, json: {}, ...input },
  };
}

const COUNT: TypeSketch = {
  name: 'count',
  script:
    'echo counted >&2; wc -l <"$TEXT" >"$OUTPUT_DIR/lines.txt"; ' +
    'printf "{\\"WORDS\\": 3}" >"$OUTPUT_DIR/seed.outputs.json"',
  inputs: [{ name: 'TEXT' }],
  outputs: [{ name: 'LINES', pattern: '*.txt' }],
  outputsJson: [{ name: 'WORDS', type: 'integer' }],
  workspace: 'products',
};

async function refusal(client: InterfaceClient, path: string, body: object) {
  const answer = await fetch(new URL(path, client.base), {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  return { status: answer.status, body: await answer.json() };
}

/** A pair with two workspaces, a recorded file and a session on its database. */
async function place(t: Test) {
  const url = await migratedDatabase(t);
  const { client, world, coordinator, agent } = await startPair(t, { coordinator: { DATABASE_URL: url } });
  const session = await openSession(t, url);
  for (const [title, path] of [
    ['Arrivals', world.at.arrivals],
    ['Products', world.at.archive],
  ])
    await client.post('/v6/workspaces/', {
      title,
      configuration: { broker: { type: 'host', host_path: path } },
    });
  writeFileSync(join(world.at.arrivals, 'a.txt'), 'one\ntwo\n');
  const scan = await client.post<{ id: number }>('/v6/scans/', {
    title: 'Shelf',
    configuration: {
      workspace: 'arrivals',
      scanner: { type: 'dir' },
      files_to_ingest: [{ filename_regex: '.*', data_types: [] }],
    },
  });
  await client.post(`/v6/scans/${scan.id}/process/`, { ingest: true });
  const fileId = await until('the file is recorded', async () => {
    return (await client.get<{ results: { id: number }[] }>('/v6/files/')).results[0]?.id;
  });
  return { client, world, coordinator, agent, session, fileId };
}

const LISTS = [
  ...['jobs', 'files', 'job-types', 'job-type-names', 'errors', 'failures', 'purges'],
  ...['job-types/running', 'job-types/system-failures', 'queue/status', 'queue/classes', 'load'],
].map((name) => `/v6/${name}/`);

/** How many records each list has. */
function everything(client: InterfaceClient) {
  return Promise.all(
    LISTS.map(async (path) => {
      const answer = await fetch(new URL(path, client.base));
      return [path, answer.status, ((await answer.json()) as { count?: number }).count];
    }),
  );
}

/** Rows of counters that are of trials. */
async function counted({ rows }: Session): Promise<number> {
  const tables = [
    ...['job_outcome', 'job_outcome_delta'].map((table) => [table, 'job_type_id']),
    ...['hour_total', 'hour_total_delta'].map((table) => [`${table} where kind = 'job-types'`, 'subject_id']),
    ...['daily_start', 'daily_start_delta'].map((table) => [`${table} where kind = 'job'`, 'type_id']),
  ];
  const ids = tables.map(([from, column]) => `select ${column} as id from ${from}`).join(' union all ');
  const [found] = await rows(`select count(*) from (${ids}) c join job_type t on t.id = c.id
    where t.expires is not null`);
  return Number(found?.count);
}

/** The hour is over at once. */
function expire({ rows }: Session) {
  return rows(`update job_type set expires = now() - interval '1 s' where expires is not null`);
}

/** Resolves when nothing of trials is left in the tables. */
async function nothingLeft({ rows }: Session): Promise<void> {
  await until(
    'nothing of trials is left',
    async () => {
      const [left] = await rows(`select
        (select count(*) from job_type where name like '~%') + (select count(*) from purge where file_id < 0)
        + (select count(*) from purge_job) + (select count(*) from purge_file)
        + (select count(*) from error where job_type_name like '~%')
        + (select count(*) from job j where not exists (select from job_type t where t.id = j.job_type_id))
        + (select count(*) from scheduling_class c where not exists (select from job where class_key = c.key
            and status = 'QUEUED') and exists (select from job_type where name like '~%' and id = c.job_type_id))
        as count`);
      return Number(left?.count) === 0;
    },
    120_000,
  );
}

interface ListedChange {
  readonly kind: string;
  readonly id: number;
  readonly what: string;
}

/** The changes that were made so far: a scan is made, and its change is the last. */
async function changesUpToNow(client: InterfaceClient, cursor: string): Promise<readonly ListedChange[]> {
  const configuration = {
    ...{ workspace: 'arrivals', scanner: { type: 'dir' } },
    files_to_ingest: [{ filename_regex: '.*', data_types: [] }],
  };
  const last = await client.post<{ id: number }>('/v6/scans/', { title: 'Last', configuration });
  return until('the stream has the last change', async () => {
    const { changes } = await client.get<{ changes: ListedChange[] }>(
      `/v6/changes/?after=${cursor}&limit=1000`,
    );
    return changes.some(({ kind, id }) => kind === 'scan' && id === last.id) ? changes : undefined;
  });
}

t.test('a tried type: its one job is followed as any other, and no list or counter shows it', async (t) => {
  const { client, world, session, fileId } = await place(t);
  const knownId = await createJobType(client, {
    name: 'count',
    script: 'true',
    errors: [{ code: 9, name: 'odd', title: 'Odd', category: 'data' }],
  });
  const before = await everything(client);
  const cursor = (await client.get<{ cursor: string }>('/v6/changes/')).cursor;

  const tried = await client.post<Tried>(TRY, tryOf(COUNT, { files: { TEXT: [fileId] } }));
  const job = (await jobIs(client, tried.id, ['COMPLETED', 'FAILED'])) as unknown as Tried;
  const executionId = job.execution.id;
  t.match(job, { status: 'COMPLETED', output: { json: { WORDS: 3 } } });
  const log = await (
    await fetch(new URL(`/v6/job-executions/${executionId}/logs/stderr/`, client.base))
  ).text();
  t.match(log, 'counted');
  const [productId] = job.output.files.LINES ?? [];
  const content = await fetch(new URL(`/v6/files/${productId}/content/`, client.base));
  t.equal((await content.text()).trim(), '2', 'its product is readable');

  const failing = {
    ...COUNT,
    script: 'exit 9',
    errors: [{ code: 9, name: 'odd', title: 'Mine', category: 'job' }],
  };
  const failed = await client.post<Tried>(TRY, tryOf(failing, { files: { TEXT: [fileId] } }));
  t.match(await jobIs(client, failed.id, ['FAILED']), {
    error: { name: 'odd', title: 'Mine' },
    num_exes: 1,
  });
  const requeue = await refusal(client, '/v6/jobs/requeue/', { job_ids: [failed.id] });
  t.match(requeue, { status: 409, body: { code: 'STATE_CONFLICT' } }, 'a trial runs once');
  t.strictSame(await everything(client), before, 'no list has them');
  t.equal(await counted(session), 0, 'no counter has them');
  const lineage = await client.get<{ jobs: readonly unknown[] }>(`/v6/files/${fileId}/lineage/`);
  t.strictSame(lineage.jobs, []);
  const ofOther = await client.get<{ results: { title: string }[] }>('/v6/errors/?name=odd');
  t.match(ofOther.results, [{ title: 'Odd' }], 'an error of the type of this name is as it was');

  const again = { job_type_id: tried.job_type.id, input: { files: { TEXT: [fileId] }, json: {} } };
  t.match(await refusal(client, '/v6/jobs/', again), { status: 400, body: { code: 'UNKNOWN_REFERENCE' } });
  const other = await refusal(client, TRY, tryOf(COUNT, { files: { TEXT: [productId] } }));
  t.match(other, { status: 400, body: { errors: [{ name: 'UNKNOWN_FILE' }] } }, 'products are no input');
  t.equal((await refusal(client, `/api${TRY}`, {})).status, 405, 'unknown to clients of the public system');

  t.ok(
    filesBelow(world.at.archive).some((path) => path.endsWith('lines.txt')),
    'the product is in its workspace',
  );
  await expire(session);
  await nothingLeft(session);
  for (const path of [`/v6/jobs/${tried.id}/`, `/v6/jobs/${failed.id}/`, `/v6/files/${productId}/`])
    t.equal((await fetch(new URL(path, client.base))).status, 404, `${path} is gone`);
  t.notOk(
    filesBelow(world.at.archive).some((path) => path.endsWith('lines.txt')),
    'so is its product',
  );
  t.strictSame(await everything(client), before);
  const changes = await changesUpToNow(client, cursor);
  const kinds = new Set(changes.map(({ kind }) => kind));
  t.ok(kinds.has('job') && kinds.has('execution'), 'the stream of changes lets it be followed');
  const others = changes.filter(
    ({ kind, id }) => kind === 'purge' || (kind === 'job_type' && id !== knownId),
  );
  t.strictSame(others, [], 'and names neither its type nor its removal');
});

t.test('a tried type: its job is canceled, purged with its source, and removed despite a kill', async (t) => {
  const { client, world, session, coordinator, agent, fileId } = await place(t);
  const isThere = (name: string) => filesBelow(world.at.archive).some((path) => path.endsWith(name));
  const made = await client.post<Tried>(TRY, tryOf(COUNT, { files: { TEXT: [fileId] } }));
  const slow = await client.post<Tried>(
    TRY,
    tryOf({ ...COUNT, script: 'exec sleep 300' }, { files: { TEXT: [fileId] } }),
  );
  await jobIs(client, made.id, ['COMPLETED']);
  await jobIs(client, slow.id, ['RUNNING']);
  await client.post('/v6/jobs/cancel/', { job_ids: [slow.id] });
  await jobIs(client, slow.id, ['CANCELED']);
  t.ok(isThere('lines.txt'));
  await purgeDone(() => client, await purge(client, fileId));
  t.notOk(isThere('lines.txt'), 'a purge of the source takes what a trial has made of it');
  t.equal((await fetch(new URL(`/v6/jobs/${made.id}/`, client.base))).status, 404);

  const script = 'echo made >"$OUTPUT_DIR/made.txt"';
  const alone = { ...COUNT, inputs: [], outputsJson: [], script };
  const done = await client.post<Tried>(TRY, tryOf(alone));
  const running = await client.post<Tried>(TRY, tryOf({ ...alone, script: `${script}; exec sleep 300` }));
  await jobIs(client, done.id, ['COMPLETED']);
  await jobIs(client, running.id, ['RUNNING']);
  t.ok(isThere('made.txt'));
  await expire(session);
  await Promise.all([coordinator.end(), agent.end()]);
  await Program.start(coordinator.options);
  await Program.start(agent.options);
  await nothingLeft(session);
  t.notOk(isThere('made.txt'), 'no product is left');
});
