/**
 * Two hosts whose directories have the same paths and are not the same: nothing is read or written on the wrong one,
 * and what neither can do alone waits and says why.
 */
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { migratedDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import { listed } from '../harness/quiet.ts';
import { stays, until } from '../harness/until.ts';
import { createJobType, jobIs, jobOf } from '../harness/work/job-types.ts';
import { needsSites, Site } from '../harness/work/sites.ts';
import { clientOf, createWorld } from '../harness/world.ts';

interface Stored {
  readonly id: number;
  readonly file_name: string;
  readonly file_path: string;
  readonly file_type: string;
  readonly workspace: { readonly name: string };
}

const COPY = 'cat $INPUT > $OUTPUT_DIR/copy-$(basename $INPUT)';

async function workspace(client: InterfaceClient, title: string, path: string): Promise<string> {
  const configuration = { broker: { type: 'host', host_path: path } };
  return (await client.post<{ name: string }>('/v6/workspaces/', { title, configuration })).name;
}

/** Watches a workspace, and copies what arrives into another. */
async function watch(client: InterfaceClient, name: string, from: string, to: string): Promise<number> {
  const typeId = await createJobType(client, {
    ...{ name: `copy-${name}`, script: COPY, workspace: to, inputs: [{ name: 'INPUT' }] },
    outputs: [{ name: 'OUT', pattern: 'copy-*', required: true }],
  });
  const node_type = { node_type: 'job', job_type_name: `copy-${name}`, job_type_version: '1.0.0' };
  const input = { INPUT: { type: 'recipe', input: 'FILE' } };
  const recipe = await client.post<{ name: string }>('/v6/recipe-types/', {
    title: `Copy ${name}`,
    definition: {
      input: { files: [{ name: 'FILE' }] },
      nodes: { copy: { dependencies: [], input, node_type } },
    },
  });
  await client.post('/v6/strikes/', {
    title: `Watch ${name}`,
    configuration: {
      ...{ workspace: from, monitor: { type: 'dir-watcher', transfer_suffix: '_tmp', stable_ms: 500 } },
      ...{ files_to_ingest: [{ filename_regex: '.*' }], recipe: { name: recipe.name } },
    },
  });
  return typeId;
}

function drop(site: Site, folder: string, name: string, text: string): void {
  const path = join(site.own, folder, name);
  writeFileSync(`${path}_tmp`, text);
  renameSync(`${path}_tmp`, path);
}

t.test(
  'locality: each host does the work that it reaches, and other work waits with a reason',
  needsSites(),
  async (t) => {
    const world = await createWorld(t);
    const [first, second] = [new Site(world.folder, 'one'), new Site(world.folder, 'two')];
    const near = first.directory('near');
    // A directory of the same name on the other host, and one that only that host has.
    second.directory('near');
    const far = second.directory('far');
    const grpc = `127.0.0.1:${await freePort()}`;
    const coordinator = await world.start('coordinator', 'coordinator', {
      DATABASE_URL: await migratedDatabase(t),
      MILLRACE_GRPC: grpc,
    });
    const client = clientOf(coordinator);
    const agent = (name: string, site: Site) =>
      world.start('agent', name, { MILLRACE_COORDINATORS: grpc, MILLRACE_NODE_NAME: name }, site.within);

    await agent('host-one', first);
    const nearName = await workspace(client, 'Near', near);
    await until('the first host has marked its directory', async () =>
      existsSync(join(first.own, 'near', '.millrace-workspace')),
    );
    await agent('host-two', second);
    const farName = await workspace(client, 'Far', far);
    await until('the second host has marked its directory', async () =>
      existsSync(join(second.own, 'far', '.millrace-workspace')),
    );
    await watch(client, 'near', nearName, nearName);
    await watch(client, 'far', farName, farName);
    const across = await createJobType(client, {
      ...{ name: 'across', script: COPY, workspace: farName, inputs: [{ name: 'INPUT' }] },
      outputs: [{ name: 'OUT', pattern: 'copy-*', required: true }],
    });

    drop(first, 'near', 'a.txt', 'of one');
    drop(second, 'near', 'b.txt', 'not watched');
    drop(second, 'far', 'c.txt', 'of two');
    await until(
      'both recipes are complete',
      async () => (await client.count('/v6/recipes/?is_completed=true')) === 2,
    );
    const files = await listed<Stored>(client, '/v6/files/');
    t.strictSame(
      files.map(({ file_name, workspace: { name } }) => `${name}/${file_name}`).sort(),
      [`${farName}/c.txt`, `${farName}/copy-c.txt`, `${nearName}/a.txt`, `${nearName}/copy-a.txt`].sort(),
    );
    for (const {
      file_path,
      workspace: { name },
    } of files) {
      const [has, lacks] = name === nearName ? [first, second] : [second, first];
      const folder = name === nearName ? 'near' : 'far';
      t.ok(existsSync(join(has.own, folder, file_path)), `${file_path} is where it belongs`);
      t.notOk(existsSync(join(lacks.own, folder, file_path)), `${file_path} is nowhere else`);
    }
    const copy = files.find(({ file_name }) => file_name === 'copy-c.txt');
    t.equal(readFileSync(join(second.own, 'far', copy?.file_path ?? ''), 'utf8'), 'of two');
    const executions = await listed<{ node: { hostname: string }; job_type: { name: string } }>(
      client,
      '/v6/jobs/?job_type_name=copy-near&job_type_name=copy-far',
    );
    t.strictSame(executions.map((one) => `${one.job_type.name} on ${one.node.hostname}`).sort(), [
      'copy-far on host-two',
      'copy-near on host-one',
    ]);

    const source = files.find(({ file_name }) => file_name === 'a.txt');
    const { id } = await client.post<{ id: number }>('/v6/jobs/', {
      job_type_id: across,
      input: { files: { INPUT: [source?.id] }, json: {} },
    });
    const reason = async () => {
      const type = await client.get<{ unmet_resources: string | null }>('/v6/job-types/across/1.0.0/');
      return type.unmet_resources ?? undefined;
    };
    t.match(await until('the job says why it waits', reason, 30_000), /workspace/);
    t.ok(await stays(async () => (await jobOf(client, id)).status === 'QUEUED', 1_500), 'and waits');

    // The first host gets the directory as well, as a shared mount would bring it.
    first.directory('far');
    writeFileSync(
      join(first.own, 'far', '.millrace-workspace'),
      readFileSync(join(second.own, 'far', '.millrace-workspace')),
    );
    await jobIs(client, id, ['COMPLETED'], 40_000);
    t.ok(
      readdirSync(join(first.own, 'far'), { recursive: true }).some((name) =>
        String(name).endsWith('copy-a.txt'),
      ),
      'it ran on the host that reaches both',
    );
    t.ok(existsSync(join(second.own, 'near', 'b.txt')), 'what nobody watches is untouched');
  },
);
