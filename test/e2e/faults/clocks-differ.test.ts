/**
 * Hosts whose clocks are wrong: what is stored of their work is on the database's clock, in the order it happened.
 *
 * Instants are also put in order and held to what is possible, which hides most of what a wrong clock would do. It
 * shows in two places: when the host that is behind first saw a file, which nothing holds to be later; and how long
 * phases of the host that is ahead took, which is nothing once both ends are moved to the moment of the report. (Main
 * tasks are timed by a program that the false clock does not reach: on the host that is behind they seem to end late,
 * and move what comes after them.)
 */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { DemoDirectories } from '../../../src/cli/demo/demo-types.ts';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { migratedDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import { listed } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { createJobType, jobIs, queueJob } from '../harness/work/job-types.ts';
import { clientOf, createWorld } from '../harness/world.ts';
import { Clocks } from '../torture/clocks.ts';

const OFF_S = 600;
const FILES = 12;
const JOBS = 12;

const { missing } = new Clocks('');
const NEEDS_CLOCKS = missing === undefined ? {} : { skip: missing };

type Row = Readonly<Record<string, unknown>>;
interface Task {
  readonly type: string;
  readonly started: string;
  readonly ended: string;
}
interface Execution extends Row {
  readonly id: number;
  readonly exe_num: number;
  readonly node: { readonly hostname: string };
  readonly task_results: { readonly tasks: readonly Task[] } | null;
}

/** Instants that a row has, by the names of its fields. */
function instantsOf(row: Row, names: readonly string[]): readonly string[] {
  return names.map((name) => row[name]).filter((value) => typeof value === 'string');
}

/** Takes the agent a while to store, and no space. */
const LARGE_OUTPUT = '32M';

async function startWork(client: InterfaceClient, at: DemoDirectories): Promise<number> {
  const create = async (title: string, path: string): Promise<string> => {
    const configuration = { broker: { type: 'host', host_path: path } };
    return (await client.post<{ name: string }>('/v6/workspaces/', { title, configuration })).name;
  };
  const [arrivals, archive] = [await create('Arrivals', at.arrivals), await create('Archive', at.archive)];
  await createJobType(client, {
    ...{
      name: 'copy',
      script: 'cp $INPUT $OUTPUT_DIR/copy.out',
      workspace: archive,
      inputs: [{ name: 'INPUT' }],
    },
    outputs: [{ name: 'OUT', pattern: 'copy.out', required: true }],
  });
  const typeId = await createJobType(client, {
    ...{ name: 'alone', script: `truncate -s ${LARGE_OUTPUT} $OUTPUT_DIR/large.out`, workspace: archive },
    outputs: [{ name: 'OUT', pattern: 'large.out', required: true }],
  });
  const node_type = { node_type: 'job', job_type_name: 'copy', job_type_version: '1.0.0' };
  const input = { INPUT: { type: 'recipe', input: 'FILE' } };
  const recipe = await client.post<{ name: string }>('/v6/recipe-types/', {
    title: 'Copy',
    definition: {
      input: { files: [{ name: 'FILE' }] },
      nodes: { copy: { dependencies: [], input, node_type } },
    },
  });
  await client.post('/v6/strikes/', {
    title: 'Watch',
    configuration: {
      ...{ workspace: arrivals, monitor: { type: 'dir-watcher', transfer_suffix: '_tmp', stable_ms: 500 } },
      ...{ files_to_ingest: [{ filename_regex: '.*' }], recipe: { name: recipe.name } },
    },
  });
  return typeId;
}

t.test(
  'clocks: work of hosts ten minutes ahead or behind has the right order and times',
  NEEDS_CLOCKS,
  async (t) => {
    const begunMs = Date.now();
    const world = await createWorld(t);
    const clocks = new Clocks(world.folder);
    const wrongClock = (name: string, seconds: number) => {
      clocks.step(name, seconds);
      return clocks.environment(name);
    };
    const grpc = `127.0.0.1:${await freePort()}`;
    const coordinator = await world.start('coordinator', 'coordinator', {
      ...wrongClock('coordinator', 2 * OFF_S),
      DATABASE_URL: await migratedDatabase(t),
      MILLRACE_GRPC: grpc,
    });
    const agent = (name: string, seconds: number) =>
      world.start('agent', name, {
        ...{ MILLRACE_COORDINATORS: grpc, MILLRACE_NODE_NAME: name },
        ...wrongClock(name, seconds),
      });
    const agents = { ahead: await agent('ahead', OFF_S), behind: await agent('behind', -OFF_S) };
    const offMs = (log: string) =>
      Date.parse(/"(?:ts|time|at)":"([^"]+Z)"/.exec(log)?.[1] ?? '') - Date.now();
    t.ok(offMs(agents.ahead.log) > 300_000, 'the clock of the one is ahead');
    t.ok(offMs(agents.behind.log) < -300_000, 'that of the other is behind');
    const client = clientOf(coordinator);
    const nodes = await listed<{ readonly id: number; readonly hostname: string }>(client, '/v6/nodes/');
    const pause = async (hostname: string, isPaused: boolean): Promise<void> => {
      const { id } = nodes.find((node) => node.hostname === hostname) as (typeof nodes)[number];
      await client.patch(`/v6/nodes/${id}/`, { is_paused: isPaused });
    };
    await pause('ahead', true);
    const typeId = await startWork(client, world.at);
    await until('the host that is behind watches', async () => {
      const [strike] = await listed<{ readonly id: number }>(client, '/v6/jobs/?status=RUNNING');
      if (strike === undefined) return false;
      const [watching] = await listed<Execution>(client, `/v6/jobs/${strike.id}/executions/`);
      return watching?.node?.hostname === 'behind';
    });
    await pause('ahead', false);
    for (const { hostname } of nodes) {
      await pause(hostname, true);
      const ids: number[] = [];
      for (let at = 0; at < JOBS / 2; at += 1) ids.push(await queueJob(client, typeId));
      for (const id of ids) await jobIs(client, id, ['COMPLETED']);
      await pause(hostname, false);
    }
    for (let at = 0; at < FILES; at += 1) {
      const path = join(world.at.arrivals, `f${at}.txt`);
      writeFileSync(`${path}_tmp`, `content ${at}`);
      renameSync(`${path}_tmp`, path);
    }
    const completed = () => client.count('/v6/recipes/?is_completed=true');
    await until('all recipes are complete', async () => (await completed()) === FILES);

    const wrong: string[] = [];
    const check = (what: string, instants: readonly string[]): void => {
      const ms = instants.map((text) => Date.parse(text));
      const isInside = ms.every((one) => one >= begunMs && one <= Date.now());
      const isInOrder = ms.every((one, at) => one >= (ms[at - 1] ?? 0));
      if (!isInside || !isInOrder) wrong.push(`${what}: ${instants.join(' ')}`);
    };
    const hosts = new Set<string>();
    let longestMs = 0;
    const jobs = await listed<Row & { readonly id: number; readonly status: string }>(client, '/v6/jobs/');
    for (const job of jobs) {
      check(`job ${job.id}`, instantsOf(job, ['created', 'queued', 'started', 'ended']));
      check(`job ${job.id}`, instantsOf(job, ['created', 'last_status_change', 'last_modified']));
      for (const { id, exe_num } of await listed<Execution>(client, `/v6/jobs/${job.id}/executions/`)) {
        const execution = await client.get<Execution>(`/v6/jobs/${job.id}/executions/${exe_num}/`);
        const tasks = execution.task_results?.tasks ?? [];
        const { hostname } = execution.node;
        if (tasks.length > 0) hosts.add(hostname);
        for (const { type, started, ended } of tasks)
          if (hostname === 'ahead' && type === 'post')
            longestMs = Math.max(longestMs, Date.parse(ended) - Date.parse(started));
        check(`execution ${id}`, [
          ...instantsOf(execution, ['queued', 'started']),
          ...tasks.flatMap(({ started, ended }) => [started, ended]),
          ...instantsOf(execution, ['ended']),
        ]);
      }
    }
    const ingests = await listed<Row>(client, '/v6/ingests/');
    const steps = ['transfer_started', 'transfer_ended', 'ingest_started', 'ingest_ended'];
    for (const ingest of ingests) {
      t.equal(instantsOf(ingest, steps).length, steps.length, 'an ingest has all its instants');
      check(`ingest ${ingest.id}`, instantsOf(ingest, steps));
    }
    const recipes = await listed<Row>(client, '/v6/recipes/');
    for (const recipe of recipes) check(`recipe ${recipe.id}`, instantsOf(recipe, ['created', 'completed']));
    t.strictSame(wrong, []);
    t.strictSame([...hosts].sort(), ['ahead', 'behind'], 'both have worked');
    t.ok(longestMs > 0, 'storing products took time on the host that is ahead');
    const own = jobs.filter(({ status }) => status === 'COMPLETED');
    t.strictSame([own.length, ingests.length, recipes.length], [JOBS + 2 * FILES, FILES, FILES]);
  },
);
