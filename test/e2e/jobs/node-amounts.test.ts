/** What the status tells of a host, as its agent measures it: the whole, what it gives, what runs. */
import t from 'tap';
import { startPair } from '../harness/pair.ts';
import { until } from '../harness/until.ts';
import { createJobType, jobIs, queueJob } from '../harness/work/job-types.ts';

interface Amounts {
  readonly offered: number;
  readonly total: number;
  readonly running: number;
  readonly free: number;
  readonly unavailable: number;
}
interface StatusNode {
  readonly state: { readonly name: string };
  readonly num_offers: number;
  readonly system_tasks: readonly { readonly type: string; readonly count: number }[];
  readonly resources: Readonly<Record<'cpus' | 'mem' | 'disk' | 'gpus', Amounts>>;
}

/** Amounts of a node add up to the whole. */
function isWhole({ offered, total, running, free, unavailable }: Amounts): boolean {
  return Math.abs(offered + running + free + unavailable - total) < 1e-6;
}

t.test('node amounts: an idle, a busy and a lost host show what they have', async (t) => {
  const { client, agent } = await startPair(t);
  const nodeIs = (what: string, is: (one: StatusNode) => boolean): Promise<StatusNode> =>
    until(what, async () => {
      const [one] = (await client.get<{ nodes: StatusNode[] }>('/v6/status/')).nodes;
      return one !== undefined && is(one) && one;
    });
  const idle = await nodeIs('its host is known', ({ resources }) => resources.mem.unavailable > 0);
  const { mem, disk, cpus } = idle.resources;
  t.ok(Object.values(idle.resources).every(isWhole), JSON.stringify(idle.resources));
  t.ok(mem.unavailable >= 256 && mem.offered === mem.total - mem.unavailable, 'what is kept for the host');
  t.ok(disk.offered > 0 && disk.unavailable > 0, 'what others have stored');
  t.match(idle, { num_offers: 1, system_tasks: [], resources: { cpus: { running: 0, free: 0 } } });

  const sleeps = await createJobType(client, { name: 'sleeps', script: 'sleep 300' });
  await jobIs(client, await queueJob(client, sleeps), ['RUNNING']);
  const busy = await nodeIs('the job is counted', ({ resources }) => resources.cpus.running > 0);
  t.match(busy.resources.cpus, { ...cpus, offered: cpus.offered - 0.25, running: 0.25 });
  t.match(busy.resources.mem, { running: 128, unavailable: mem.unavailable });
  t.ok(Object.values(busy.resources).every(isWhole), JSON.stringify(busy.resources));

  await agent.end('SIGKILL');
  const gone = await nodeIs('it is offline', ({ state }) => state.name === 'OFFLINE');
  t.match(gone.resources.cpus, { offered: 0, free: 0, running: 0.25, unavailable: cpus.total - 0.25 });
  t.equal(gone.num_offers, 0);
});
