/** Why ingests, strikes and scans wait, and what became of files that failed or were purged. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { type Cause, causeAmong, causedBy } from '../harness/causes.ts';
import { mount, mounting } from '../harness/mounts.ts';
import { startPair } from '../harness/pair.ts';
import { until } from '../harness/until.ts';
import { createJobType } from '../harness/work/job-types.ts';

const whyOf = (path: string, workspace = 'arrivals') =>
  `/v6/files/why/?workspace=${workspace}&path=${encodeURIComponent(path)}`;

interface Finder {
  readonly id: number;
  readonly job: { readonly id: number };
}
interface IngestList {
  readonly results: readonly {
    readonly job: { readonly id: number } | null;
    readonly bytes_transferred: number;
  }[];
}
interface FileWhy {
  readonly file: { readonly id: number };
  readonly ingests: readonly { readonly recipe: { readonly id: number } }[];
}
type Rules = readonly Readonly<Record<string, unknown>>[];

function workspace(client: InterfaceClient, title: string, path: string): Promise<{ id: number }> {
  const configuration = { broker: { type: 'host', host_path: path } };
  return client.post('/v6/workspaces/', { title, configuration });
}

function strike(client: InterfaceClient, title: string, rules: Rules, watched = 'arrivals'): Promise<Finder> {
  const monitor = { type: 'dir-watcher', transfer_suffix: '_tmp', stable_ms: 100 };
  const configuration = { workspace: watched, monitor, files_to_ingest: rules, recipe: { name: 'copies' } };
  return client.post('/v6/strikes/', { title, configuration });
}

/** The recipe type `copies`, whose products go to the workspace. */
async function recipeType(client: InterfaceClient, workspaceName: string): Promise<string> {
  await createJobType(client, {
    name: 'copies',
    script: 'cp "$FILE" $OUTPUT_DIR/a.out',
    inputs: [{ name: 'FILE' }],
    outputs: [{ name: 'OUT', pattern: '*.out', mediaType: 'text/plain' }],
    workspace: workspaceName,
  });
  const { name } = await client.post<{ name: string }>('/v6/recipe-types/', {
    title: 'Copies',
    definition: {
      input: { files: [{ name: 'FILE' }] },
      nodes: {
        one: {
          dependencies: [],
          input: { FILE: { type: 'recipe', input: 'FILE' } },
          node_type: { node_type: 'job', job_type_name: 'copies', job_type_version: '1.0.0' },
        },
      },
    },
  });
  return name;
}

async function ingestJob(client: InterfaceClient, name: string): Promise<number> {
  return until(`the ingest of ${name} has a job`, async () => {
    const { results } = await client.get<IngestList>(`/v6/ingests/?file_name=${name}`);
    return results[0]?.job?.id;
  });
}

t.test('why: it explains a strike, a scan and an ingest that no node can take', async (t) => {
  const { client, world } = await startPair(t);
  const [missing, far] = [join(world.folder, 'missing'), join(world.folder, 'far')];
  await workspace(client, 'Arrivals', world.at.arrivals);
  await workspace(client, 'Missing', missing);
  const target = await workspace(client, 'Far', far);
  const rules = [{ filename_regex: '.*', data_types: [], new_workspace: 'far', new_file_path: 'kept' }];

  const name = await recipeType(client, 'far');
  const idle = await strike(client, 'Idle', rules, 'missing');
  // Before the agent has reported what it met, the reason is another.
  const waits = await until('it is told what the agent met', async () => {
    const [first] = await causedBy(client, `/v6/jobs/${idle.job.id}/why/`, 'strike-waits');
    return /ENOENT/.test(first.reason) && first;
  });
  t.match(waits, {
    reason: /^no node reaches its workspace: host-1 does not reach missing: .*ENOENT/,
    subjects: [{ kind: 'strike', id: idle.id }],
  });
  const tried = await client.post<{ causes: Cause[] }>(`/v6/strikes/${idle.id}/test/`, { names: ['a'] });
  t.match(tried.causes, [
    { name: 'strike-waits', subjects: [{ kind: 'strike', id: idle.id, name: 'idle' }] },
  ]);

  const configuration = {
    workspace: 'missing',
    scanner: { type: 'dir' },
    files_to_ingest: rules,
    recipe: { name },
  };
  const scan = await client.post<Finder>('/v6/scans/', { title: 'Look', configuration });
  await client.post(`/v6/scans/${scan.id}/process/`, { ingest: true });
  const scanJob = await until('the scan has a job', async () => {
    return (await client.get<{ job: { id: number } | null }>(`/v6/scans/${scan.id}/`)).job?.id;
  });
  // Before the scan has looked for a node, the reason is another.
  const listing = await until('it is told that no node reaches the workspace', async () => {
    const [first] = await causedBy(client, `/v6/jobs/${scanJob}/why/`, 'scan-waits');
    return first.reason.startsWith('no node') && first;
  });
  t.match(listing.subjects, [{ kind: 'scan', id: scan.id }]);
  t.equal(listing.reason, "no node that takes work reaches the workspace 'missing'");
  const names = await client.post<{ causes: Cause[] }>(`/v6/scans/${scan.id}/test/`, { names: ['a'] });
  t.match(names.causes, [{ name: 'scan-waits', subjects: [{ kind: 'scan', id: scan.id, name: 'look' }] }]);

  const watch = await strike(client, 'Watch', rules);
  writeFileSync(join(world.at.arrivals, 'a.txt'), 'a');
  const held = await until('it is told what the agent met there', async () => {
    const found = await causeAmong(client, whyOf('a.txt'), 'ingest-waits');
    return /ENOENT/.test(found.reason) && found;
  });
  t.match(held.subjects, [
    { kind: 'ingest' },
    { kind: 'strike', id: watch.id, name: 'watch' },
    { kind: 'workspace', id: target.id, name: 'far' },
  ]);
  t.match(held.reason, /reach.*ENOENT/, 'which node does not reach its target');
  const job = await ingestJob(client, 'a.txt');
  const [own] = await causedBy(client, `/v6/jobs/${job}/why/`, 'ingest-waits');
  t.match(own, { reason: held.reason, since: /^20/, subjects: [{ kind: 'ingest' }] });

  await client.patch(`/v6/workspaces/${target.id}/`, { is_active: false });
  const later = await client.post<{ results: { causes: Cause[]; is_taken: boolean }[] }>(
    `/v6/strikes/${watch.id}/test/`,
    { names: ['b.txt'] },
  );
  t.match(later.results, [
    {
      is_taken: false,
      rule: { index: 0 },
      causes: [
        {
          name: 'rule-not-applied',
          reason: "the workspace 'far' is not active",
          subjects: [
            { kind: 'strike', id: watch.id },
            { kind: 'rule', id: 0, name: '.*' },
          ],
        },
      ],
    },
  ]);
  await client.patch(`/v6/workspaces/${target.id}/`, { is_active: true });
  mkdirSync(far);
  await causedBy(client, whyOf('a.txt', 'arrivals'), 'ingested');
});

t.test('why: it explains an ingested, a failed and a purged file', async (t) => {
  const { client, world } = await startPair(t);
  const { arrivals, archive } = world.at;
  await workspace(client, 'Arrivals', arrivals);
  const kept = await workspace(client, 'Archive', archive);
  await recipeType(client, 'archive');
  const { id } = await strike(client, 'Watch', [{ filename_regex: '.*', data_types: [] }]);

  writeFileSync(join(arrivals, 'gone.txt_tmp'), 'gone');
  await causedBy(client, whyOf('gone.txt'), 'transferring');
  rmSync(join(arrivals, 'gone.txt_tmp'));
  const [vanished] = await causedBy(client, whyOf('gone.txt'), 'ingest-failed');
  t.match(vanished, {
    since: /^20/,
    help: 'Deliver the file again.',
    subjects: [{}, { kind: 'strike', id }],
  });

  // A sparse file: nothing is on the disk, and its hash takes a while.
  const large = join(arrivals, 'large.bin_tmp');
  writeFileSync(large, 'a');
  truncateSync(large, 64 * 2 ** 30);
  renameSync(large, join(arrivals, 'large.bin'));
  const [works] = await causedBy(client, whyOf('large.bin'), 'ingesting');
  t.match(works, { since: /^20/, subjects: [{ kind: 'ingest' }, { kind: 'strike', id }] });
  // Cut before the node has opened it, it would be an empty file that is ingested.
  await until('a part of it is read', async () => {
    const { results } = await client.get<IngestList>('/v6/ingests/?file_name=large.bin');
    return results.some(({ bytes_transferred: bytes }) => bytes > 0);
  });
  truncateSync(join(arrivals, 'large.bin'), 0);
  // Left there, it might arrive again, as an empty file.
  rmSync(join(arrivals, 'large.bin'));
  const [failed] = await causedBy(client, whyOf('large.bin'), 'ingest-failed');
  const job = await ingestJob(client, 'large.bin');
  t.match(failed.action, { path: '/v6/jobs/requeue/', body: { job_ids: [job] } }, 'it can be queued again');

  writeFileSync(join(arrivals, 'a.txt'), 'a');
  await causedBy(client, whyOf('a.txt'), 'ingested');
  const { file, ingests } = await client.get<FileWhy>(whyOf('a.txt'));
  const recipe = `/v6/recipes/${ingests[0]?.recipe.id}/`;
  await until('its recipe is complete', async () => {
    return (await client.get<{ is_completed: boolean }>(recipe)).is_completed;
  });
  await client.patch(`/v6/workspaces/${kept.id}/`, { is_active: false });
  await client.post('/v6/files/purge-source/', { file_id: file.id, delete_source_bytes: true });
  const [closed] = await causedBy(client, `${recipe}why/`, 'purged');
  t.equal(closed.reason, 'a purge removes it, so nothing of it continues');
  await client.patch(`/v6/workspaces/${kept.id}/`, { is_active: true });
  const purged = await causeAmong(client, whyOf('a.txt'), 'purged');
  t.match(purged, { since: /^20/, help: 'Deliver it under another name, if it is wanted again.' });
});

t.test('why: it explains a file for which its target has no room', mounting(), async (t) => {
  const { client, world } = await startPair(t);
  const full = join(world.folder, 'full');
  mkdirSync(full);
  t.ok(mount('-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', full));
  t.teardown(() => spawnSync('umount', ['-l', full]));
  await workspace(client, 'Arrivals', world.at.arrivals);
  const target = await workspace(client, 'Full', full);
  await recipeType(client, 'full');
  await strike(client, 'Moves', [{ filename_regex: '.*', data_types: [], new_workspace: 'full' }]);
  writeFileSync(join(world.at.arrivals, 'big.txt'), Buffer.alloc(2_000_000));
  const cause = await until('it has been tried', async () => {
    const waits = await causeAmong(client, whyOf('big.txt'), 'ingest-waits');
    return /ENOSPC/.test(waits.reason) && waits;
  });
  t.match(cause, {
    reason: /^2000000 bytes are needed, and \d+ are free \(ENOSPC\)/,
    since: /^20/,
    help: /retried by itself/,
    subjects: [{ kind: 'ingest' }, { kind: 'strike' }, { kind: 'workspace', id: target.id, name: 'full' }],
  });
  t.ok(mount('-o', 'remount,size=64m', full));
  await causedBy(client, whyOf('big.txt'), 'ingested');
});
