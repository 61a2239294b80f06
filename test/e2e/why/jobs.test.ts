/** Why jobs wait or ended as they did: each cause made on purpose, and told by its name, amounts and subjects. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { causedBy, follow } from '../harness/causes.ts';
import { startPair } from '../harness/pair.ts';
import { until } from '../harness/until.ts';
import { createJobType, jobIs, queueJob, type TypeSketch } from '../harness/work/job-types.ts';

const whyOf = (id: number) => `/v6/jobs/${id}/why/`;

async function queued(client: InterfaceClient, sketch: TypeSketch): Promise<{ id: number; typeId: number }> {
  const typeId = await createJobType(client, sketch);
  return { id: await queueJob(client, typeId), typeId };
}

async function queuedWith(client: InterfaceClient, typeId: number, priority: number): Promise<number> {
  const input = { files: {}, json: {} };
  return (
    await client.post<{ id: number }>('/v6/jobs/', {
      job_type_id: typeId,
      input,
      configuration: { priority },
    })
  ).id;
}

t.test('why: it names pauses, limits and resources that no node has', async (t) => {
  const { client, world } = await startPair(t);
  const pause = (is_paused: boolean) => client.patch('/v6/scheduler/', { is_paused });

  await pause(true);
  const held = await queued(client, { name: 'held', script: 'true' });
  const [paused, ...others] = await causedBy(client, whyOf(held.id), 'scheduler-paused');
  t.strictSame(
    [paused.action, others],
    [
      {
        ...{ title: 'Resume the scheduler', method: 'PATCH', path: '/v6/scheduler/' },
        body: { is_paused: false },
      },
      [],
    ],
    'and nothing else keeps it',
  );
  await client.patch('/v6/job-types/held/1.0.0/', { is_paused: true });
  const [, type] = await causedBy(client, whyOf(held.id), 'scheduler-paused');
  t.match(type, { name: 'job-type-paused', subjects: [{ kind: 'job_type', id: held.typeId, name: 'held' }] });
  t.ok(Date.parse(type?.since ?? ''), 'since when its type is paused');
  await pause(false);
  await causedBy(client, whyOf(held.id), 'job-type-paused');
  await client.patch('/v6/job-types/held/1.0.0/', { is_paused: false });
  await jobIs(client, held.id, ['COMPLETED']);
  t.strictSame((await client.get<{ causes: unknown[] }>(whyOf(held.id))).causes, [], 'done: nothing is left');

  const limited = await queued(client, { name: 'limited', script: 'exec sleep 600' });
  await client.patch('/v6/job-types/limited/1.0.0/', { max_scheduled: 1 });
  await jobIs(client, limited.id, ['RUNNING']);
  const [runs] = await causedBy(client, whyOf(limited.id), 'running');
  t.match(runs, {
    amounts: [{ name: 'seconds', there: 60, node: 'host-1' }],
    subjects: [{ kind: 'node', name: 'host-1' }],
  });
  const second = await queueJob(client, limited.typeId);
  const [limit] = await causedBy(client, whyOf(second), 'job-type-limit');
  t.match(limit.amounts, [{ name: 'jobs', wanted: 2, there: 1 }]);

  const nowhere = await queued(client, { name: 'nowhere', script: 'true', image: 'process:defualt' });
  t.match(
    (await causedBy(client, whyOf(nowhere.id), 'no-executor'))[0].reason,
    /did you mean process:default/,
  );
  const contained = await queued(client, { name: 'contained', script: 'true', image: 'alpine:3' });
  t.match((await causedBy(client, whyOf(contained.id), 'no-executor'))[0].reason, /no node runs containers/);
  const large = await queued(client, { name: 'large', script: 'true', memMib: 999_999_999 });
  const [none] = await causedBy(client, whyOf(large.id), 'resources-on-no-node');
  t.match(none.amounts, [{ name: 'mem', wanted: 999_999_999, node: 'host-1' }]);
  t.ok((none.amounts[0]?.there ?? 0) > 0, 'both sides are reported');

  const place = join(world.folder, 'missing');
  const made = await client.post<{ id: number }>('/v6/workspaces/', {
    title: 'Missing',
    configuration: { broker: { type: 'host', host_path: place } },
  });
  const outputs = [{ name: 'OUT', pattern: '*', mediaType: 'text/plain', required: true }];
  const far = await queued(client, {
    name: 'far',
    script: 'touch $OUTPUT_DIR/a',
    outputs,
    workspace: 'missing',
  });
  const [unreached] = await causedBy(client, whyOf(far.id), 'workspace-unreached');
  t.equal(
    unreached.reason,
    `host-1 does not reach missing: cannot open its directory '${place}': there is no such file or directory (ENOENT)`,
  );
  t.match(unreached.subjects, [
    { kind: 'workspace', id: made.id, name: 'missing' },
    { kind: 'node', name: 'host-1' },
  ]);
  await client.patch(`/v6/workspaces/${made.id}/`, { is_active: false });
  const [inactive] = await causedBy(client, whyOf(far.id), 'workspace-inactive');
  t.match(inactive.action, { path: `/v6/workspaces/${made.id}/`, body: { is_active: true } });
  await follow(client, inactive);
  mkdirSync(place);
  await jobIs(client, far.id, ['COMPLETED']);
});

t.test('why: it names busy nodes, earlier jobs, and a node that is kept free', async (t) => {
  const { client } = await startPair(t);
  type Amounts = { readonly offered: number };
  const mem = await until('its memory is known', async () => {
    const { nodes } = await client.get<{ nodes: { resources: { mem: Amounts } }[] }>('/v6/status/');
    const offered = Math.floor(nodes[0]?.resources.mem.offered ?? 0);
    return offered > 0 ? offered : undefined;
  });
  const half = await createJobType(client, {
    name: 'half',
    script: 'exec sleep 600',
    timeout: 600,
    memMib: Math.floor(mem * 0.6),
  });
  const first = await queueJob(client, half);
  await jobIs(client, first, ['RUNNING']);
  const waits = await queueJob(client, half);
  const [busy, ...rest] = await causedBy(client, whyOf(waits), 'nodes-busy');
  t.match(busy.amounts, [{ name: 'mem', wanted: Math.floor(mem * 0.6), node: 'host-1' }]);
  t.ok((busy.amounts[0]?.there ?? mem) < mem * 0.5, 'what is free now');
  t.strictSame(rest, [], 'nobody is before it');

  const later = await queueJob(client, half);
  const [, behind] = await causedBy(client, whyOf(later), 'nodes-busy');
  t.match(behind, { name: 'behind-others', amounts: [{ name: 'jobs', there: 1 }] });
  const urgent = await queuedWith(client, half, 5);
  t.match((await causedBy(client, whyOf(waits), 'nodes-busy'))[1], {
    name: 'behind-others',
    amounts: [{ there: 1 }],
  });
  await client.patch('/v6/scheduler/', { queue_mode: 'LIFO' });
  const [, newest] = await causedBy(client, whyOf(waits), 'nodes-busy');
  t.match(newest, { reason: /^2 queued jobs .*queued later \(LIFO\)/, amounts: [{ there: 2 }] });
  await client.patch('/v6/scheduler/', { queue_mode: 'FIFO' });
  const others = await queued(client, {
    name: 'others',
    script: 'exec sleep 600',
    memMib: Math.floor(mem * 0.5),
  });
  const [, mixed] = await causedBy(client, whyOf(others.id), 'nodes-busy');
  t.match(mixed, { amounts: [{ there: 3 }], reason: /; 0 of them ask for the same$/ });

  // The urgent one has waited for more than ten seconds then, and keeps the node free of small ones.
  const small = await createJobType(client, { name: 'small', script: 'exec sleep 600', memMib: 16 });
  const [kept] = await until('a small one is kept out', async () => {
    const one = await queuedWith(client, small, 200);
    const { causes } = await client.get<{ causes: { name: string; subjects: unknown }[] }>(whyOf(one));
    if (causes[0]?.name === 'node-reserved') return causes;
    await client.post('/v6/jobs/cancel/', { job_ids: [one] });
    return undefined;
  });
  t.match(kept?.subjects, [
    { kind: 'node', name: 'host-1' },
    { kind: 'job', id: urgent },
  ]);
});
