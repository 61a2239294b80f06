/** Causes, each made on purpose: what went wrong is in the record, in a sentence that names what there is to mend. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { testBucket } from '../../support/s3/bucket.ts';
import { needs } from '../../support/services/services.ts';
import { startPair } from '../harness/pair.ts';
import { until } from '../harness/until.ts';
import { createJobType, jobOf, queueJob } from '../harness/work/job-types.ts';
import { endedJob, type ReasonedJob, reasonAt } from '../harness/work/reasons.ts';

const GONE = 'there is no such file or directory (ENOENT)';

interface Ingest {
  readonly file_name: string;
  readonly status: string;
  readonly reason: string | null;
}

async function hostWorkspace(
  client: InterfaceClient,
  title: string,
  path: string,
): Promise<{ id: number; name: string }> {
  return client.post('/v6/workspaces/', {
    title,
    configuration: { broker: { type: 'host', host_path: path } },
  });
}

/** A recipe type of one node, which takes one file. */
async function fileRecipe(client: InterfaceClient, name: string): Promise<string> {
  const inputs = [{ name: 'FILE', required: true }];
  await createJobType(client, { name, script: 'cat "$FILE" >&2; exit 9', inputs });
  const { name: made } = await client.post<{ name: string }>('/v6/recipe-types/', {
    title: `Recipe ${name}`,
    definition: {
      input: { files: [{ name: 'FILE', required: true }] },
      nodes: {
        one: {
          dependencies: [],
          input: { FILE: { type: 'recipe', input: 'FILE' } },
          node_type: { node_type: 'job', job_type_name: name, job_type_version: '1.0.0' },
        },
      },
    },
  });
  return made;
}

t.test('causes: a failed task has its exit code and its last output as the cause', async (t) => {
  const { client, agent, world } = await startPair(t);
  const archive = await hostWorkspace(client, 'Archive', world.at.archive);
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);
  const output = { name: 'OUT', pattern: '*.txt', mediaType: 'text/plain', required: true };
  const [outputs, workspace] = [[output], archive.name];
  const at = (text: string): string => `; standard error ends with:\n${text}`;
  const cases = [
    {
      name: 'talks',
      script: 'for i in $(seq 1 30); do echo "line $i" >&2; done; exit 3',
      reason: `exit code 3${at(lines.slice(-10).join('\n'))}`,
    },
    { name: 'keeps-silent', script: 'exit 4', reason: 'exit code 4; standard error shows nothing' },
    {
      name: 'sleeps',
      script: 'echo "waiting for a lock" >&2; exec sleep 600',
      // The shell has written by then, however slow the machine is.
      timeout: 5,
      reason: `ended after 5 s, its time limit${at('waiting for a lock')}`,
    },
    {
      name: 'colours',
      script: 'printf "\\033[31mred\\033[0m <b>&amp;\\000" >&2; exit 5',
      reason: `exit code 5${at('red <b>&amp;')}`,
    },
    {
      name: 'makes-nothing',
      script: 'true',
      outputs,
      workspace,
      reason: 'no file matches *.txt of output OUT',
    },
    {
      name: 'makes-two',
      script: 'touch $OUTPUT_DIR/a.txt $OUTPUT_DIR/b.txt',
      ...{ outputs, workspace },
      reason: '2 files match *.txt of output OUT',
    },
  ];
  const queued = await Promise.all(
    cases.map(async ({ reason, ...sketch }) => {
      return { sketch, reason, id: await queueJob(client, await createJobType(client, sketch)) };
    }),
  );
  for (const { sketch, reason, id } of queued) {
    const job = await endedJob(client, id);
    t.strictSame([job.status, job.reason], ['FAILED', reason], sketch.name);
    t.equal(job.execution?.reason, reason, `${sketch.name}: its execution says the same`);
  }
  const { results } = await client.get<{ results: ReasonedJob[] }>('/v6/jobs/?job_type_name=talks');
  t.equal(results[0]?.reason, cases[0]?.reason, 'lists have it as well');
  const tries = await client.get<{ results: { reason: string }[] }>(`/v6/jobs/${results[0]?.id}/executions/`);
  t.equal(tries.results[0]?.reason, cases[0]?.reason);
  t.notOk(agent.log.includes('line 30'), 'what tasks write stays out of the log of the agent');
});

t.test('causes: secrets in the output of a task are masked, wherever the output is cut', async (t) => {
  const { client, agent, coordinator } = await startPair(t);
  const often = 'for i in $(seq 1 20); do printf "%s" "$PASSWORD" >&2; done; echo >&2';
  const script = `${often}; echo "is $PASSWORD" >&2; exit 3`;
  const secret = `s3cret-${'x'.repeat(2_000)}-end`;
  const manifest = {
    seedVersion: '1.0.0',
    job: {
      ...{
        name: 'tells',
        jobVersion: '1.0.0',
        packageVersion: '1.0.0',
        title: 'Tells',
        description: 'Tells',
      },
      maintainer: { name: 'Millrace', email: 'tests@example.com' },
      timeout: 60,
      interface: {
        command: `sh -c '${script}'`,
        settings: [{ name: 'PASSWORD', secret: true }],
      },
    },
  };
  const configuration = { settings: { PASSWORD: secret } };
  const body = { container_image: 'process:default', manifest, configuration };
  const { id: typeId } = await client.post<{ id: number }>('/v6/job-types/', body);
  const { reason } = await endedJob(client, await queueJob(client, typeId));
  t.match(reason, /^exit code 3; standard error ends with:\n[*]+\nis [*]{3}$/);
  t.notOk(`${agent.log}${coordinator.log}`.includes('xxxx'));
});

t.test('causes: a job that no node can run names what it needs and what there is', async (t) => {
  const { client, world } = await startPair(t);
  const queue = async (sketch: Parameters<typeof createJobType>[1]) =>
    `/v6/jobs/${await queueJob(client, await createJobType(client, sketch))}/`;
  const nowhere = await queue({ name: 'nowhere', script: 'true', image: 'process:defualt' });
  const contained = await queue({ name: 'contained', script: 'true', image: 'alpine:3' });
  t.equal(
    await reasonAt(client, nowhere, /executor.*process:default$/),
    'no node offers the executor process:defualt (did you mean process:default?); there are: process:default',
  );
  t.equal(
    await reasonAt(client, contained, /container/),
    'needs a container, and no node runs containers (executors docker and oci)',
  );

  const large = await createJobType(client, { name: 'large', script: 'true', memMib: 999_999_999 });
  const largeJob = `/v6/jobs/${await queueJob(client, large)}/`;
  t.match(
    await reasonAt(client, largeJob, /needs/),
    /^needs 954 TiB of memory; the largest node, host-1, has \d+(\.\d+)? [MGT]iB$/,
  );

  const missing = await hostWorkspace(client, 'Missing', join(world.folder, 'missing'));
  const cause = `host-1 does not reach missing: cannot open its directory '${join(world.folder, 'missing')}': ${GONE}`;
  t.equal(await reasonAt(client, `/v6/workspaces/${missing.id}/`, /ENOENT/), `no node reaches it: ${cause}`);
  const outputs = [{ name: 'OUT', pattern: '*', mediaType: 'text/plain', required: true }];
  const placeless = await queue({ name: 'placeless', script: 'true', outputs, workspace: 'missing' });
  t.equal(
    await reasonAt(client, placeless, /reaches/),
    `no node that could run it reaches all of its workspaces: ${cause}`,
  );
  mkdirSync(join(world.folder, 'missing'));
  const mended = async () =>
    (await client.get<{ reason: string | null }>(`/v6/workspaces/${missing.id}/`)).reason === null;
  await until('the workspace is reached', mended);

  const pausedType = await createJobType(client, { name: 'paused', script: 'true' });
  await client.patch('/v6/job-types/paused/1.0.0/', { is_paused: true });
  t.equal(
    ((await jobOf(client, await queueJob(client, pausedType))) as ReasonedJob).reason,
    'its job type is paused',
  );
});

t.test('causes: a file that no rule takes, and one gone before its job runs, are explained', async (t) => {
  const { client, world } = await startPair(t);
  const arrivals = await hostWorkspace(client, 'Arrivals', world.at.arrivals);
  const recipe = await fileRecipe(client, 'fails');
  await client.patch('/v6/job-types/fails/1.0.0/', { is_paused: true });
  const rules = ['json$', '^[0-9]+', 'data-.*'].map((filename_regex) => ({ filename_regex, data_types: [] }));
  const configuration = {
    workspace: arrivals.name,
    monitor: { type: 'dir-watcher', transfer_suffix: '_tmp', stable_ms: 100 },
    files_to_ingest: rules,
    recipe: { name: recipe },
  };
  await client.post('/v6/strikes/', { title: 'Watch', configuration });
  for (const name of ['report.json', 'data-1.txt']) writeFileSync(join(world.at.arrivals, name), name);
  const ingest = async (name: string, status: string) => {
    const find = async () =>
      (await client.get<{ results: Ingest[] }>(`/v6/ingests/?file_name=${name}`)).results.find(
        (one) => one.status === status,
      );
    return until(`${name} is ${status}`, find);
  };
  t.equal(
    (await ingest('report.json', 'DEFERRED')).reason,
    `no rule takes 'report.json': tried 'json$', '^[0-9]+', 'data-.*' ` +
      '(expressions match from the start of the name, or of the path)',
  );
  await ingest('data-1.txt', 'INGESTED');
  const job = await until('its job is queued', async () => {
    const { results } = await client.get<{ results: ReasonedJob[] }>('/v6/jobs/?job_type_name=fails');
    return results.find((one) => one.status === 'QUEUED');
  });
  rmSync(join(world.at.arrivals, 'data-1.txt'));
  await client.patch('/v6/job-types/fails/1.0.0/', { is_paused: false });
  t.match(
    (await endedJob(client, job.id)).reason,
    /^the file 'data-1\.txt' \(\d+\) of the workspace 'arrivals' is missing: .*ENOENT/,
  );
});

t.test('causes: a file that one strike ingested in place is not moved by another', async (t) => {
  const { client, world } = await startPair(t);
  const arrivals = await hostWorkspace(client, 'Arrivals', world.at.arrivals);
  const recipe = await fileRecipe(client, 'keeps');
  const strike = (title: string, rule: object) =>
    client.post<{ id: number }>('/v6/strikes/', {
      title,
      configuration: {
        workspace: arrivals.name,
        monitor: { type: 'dir-watcher', transfer_suffix: '_tmp', stable_ms: 100 },
        files_to_ingest: [{ filename_regex: '.*', data_types: [], ...rule }],
        recipe: { name: recipe },
      },
    });
  const ingest = (strikeId: number, status: string) =>
    until(`the ingest of strike ${strikeId} is ${status}`, async () => {
      const { results } = await client.get<{ results: (Ingest & { id: number })[] }>(
        `/v6/ingests/?strike_id=${strikeId}`,
      );
      return results.find((one) => one.status === status);
    });
  const keeps = await strike('Keeps', {});
  writeFileSync(join(world.at.arrivals, 'a.txt'), 'content');
  const kept = await ingest(keeps.id, 'INGESTED');

  const moves = await strike('Moves', { new_file_path: 'elsewhere' });
  t.equal(
    (await ingest(moves.id, 'DEFERRED')).reason,
    `the strike ${keeps.id} takes this file in where it lies (its ingest ${kept.id}): it is not moved away`,
  );
  t.ok(existsSync(join(world.at.arrivals, 'a.txt')), 'it lies where its record says');
  t.equal(await client.count('/v6/files/'), 1);
});

t.test('causes: a condition names both values; a superseded recipe names its successor', async (t) => {
  const { client } = await startPair(t);
  const numbers = ['WORDS', 'LEVEL'].map((name) => ({ name, type: 'integer', required: true }));
  await createJobType(client, { name: 'ends', script: 'exit 1', json: [{ name: 'WORDS', type: 'integer' }] });
  const filter = (name: string, condition: string, values: unknown[]) => ({
    dependencies: [],
    input: { [name]: { type: 'recipe', input: name } },
    node_type: {
      node_type: 'condition',
      interface: { json: [{ name, type: 'integer' }] },
      data_filter: { filters: [{ name, type: 'integer', condition, values }] },
    },
  });
  const { id: recipeTypeId } = await client.post<{ id: number }>('/v6/recipe-types/', {
    title: 'Judges',
    definition: {
      input: { json: numbers },
      nodes: {
        above: filter('WORDS', '<', [100]),
        among: filter('LEVEL', 'in', [1, 2, 3]),
        after: {
          dependencies: [{ name: 'above', acceptance: false }],
          input: { WORDS: { type: 'recipe', input: 'WORDS' } },
          node_type: { node_type: 'job', job_type_name: 'ends', job_type_version: '1.0.0' },
        },
      },
    },
  });
  const body = { recipe_type_id: recipeTypeId, input: { files: {}, json: { WORDS: 8, LEVEL: 7 } } };
  const { id } = await client.post<{ id: number }>('/v6/recipes/', body);
  interface Nodes {
    readonly details: {
      readonly nodes: Readonly<Record<string, { node_type: { is_processed: boolean; reason: string } }>>;
    };
  }
  const nodes = await until('both are judged', async () => {
    const { details } = await client.get<Nodes>(`/v6/recipes/${id}/`);
    const { above, among } = details.nodes;
    return above?.node_type.is_processed && among?.node_type.is_processed ? details.nodes : undefined;
  });
  t.equal(nodes.above?.node_type.reason, 'WORDS 8 is not above 100');
  t.equal(nodes.among?.node_type.reason, 'LEVEL 7 is none of 1, 2, 3');

  const again = { forced_nodes: { all: true } };
  await client.post(`/v6/recipes/${id}/reprocess/`, again);
  const next = await until('it is superseded', async () => {
    const found = await client.get<{ superseded_by_recipe: { id: number } | null }>(`/v6/recipes/${id}/`);
    return found.superseded_by_recipe?.id;
  });
  const refused = await fetch(new URL(`/v6/recipes/${id}/reprocess/`, client.base), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(again),
  });
  t.equal(refused.status, 409);
  t.match(await refused.json(), { detail: `the recipe ${id} is superseded by recipe ${next}` });
});

t.test(
  'causes: a wrong secret of a bucket is reported with its workspace and its strike',
  needs('s3'),
  async (t) => {
    const bucket = await testBucket(t);
    const { client } = await startPair(t);
    const recipe = await fileRecipe(client, 'never');
    const credentials = { ...bucket.credentials, secret_access_key: 'this-is-not-the-secret-at-all' };
    const broker = {
      type: 'objstore',
      bucket_name: bucket.name,
      endpoint: bucket.endpoint,
      path_style: true,
    };
    const workspace = await client.post<{ id: number; name: string }>('/v6/workspaces/', {
      title: 'Uploads',
      configuration: { broker: { ...broker, credentials } },
    });
    const strike = await client.post<{ id: number }>('/v6/strikes/', {
      title: 'Uploads',
      configuration: {
        workspace: workspace.name,
        monitor: { type: 'objstore', queue_name: 'uploads.created' },
        files_to_ingest: [{ filename_regex: '.*', data_types: [] }],
        recipe: { name: recipe },
      },
    });
    const cause = `host-1 does not reach uploads: ${bucket.endpoint} refuses access to the bucket '${bucket.name}': `;
    const told = await reasonAt(client, `/v6/workspaces/${workspace.id}/`, /refuses/);
    t.ok(told.startsWith(`no node reaches it: ${cause}`), told);
    const ofStrike = await reasonAt(client, `/v6/strikes/${strike.id}/`, /refuses/);
    t.ok(ofStrike.startsWith(`no node reaches its workspace: ${cause}`), ofStrike);
    t.notOk(`${told}${ofStrike}`.includes(credentials.secret_access_key));

    await client.patch(`/v6/workspaces/${workspace.id}/`, {
      configuration: { broker: { ...broker, credentials: bucket.credentials } },
    });
    const isMended = async () =>
      (await client.get<{ reason: string | null }>(`/v6/strikes/${strike.id}/`)).reason === null;
    await until('the strike is watched', isMended);
  },
);
