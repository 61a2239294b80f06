/**
 * `hello` jobs a second as real processes through the whole system: queued over HTTP, placed, staged, limited, logged,
 * committed.
 *
 * Beside it what starts the same program without any of that: `xargs`, GNU parallel, a loop that spawns; and Slurm on
 * one node, which queues and places as well, with its state in files.
 */
import { ratioOf, runBench } from './harness/bench.ts';
import { findGnuParallel, missingPeer } from './harness/debian.ts';
import { postMany } from './harness/load/load-client.ts';
import { OWN_METER, rate } from './harness/meter.ts';
import { runMany, runToEnd } from './harness/program.ts';
import { startSystem } from './harness/system.ts';
import { makeJobType, untilCount } from './harness/work.ts';
import { openSlurm } from './peers/slurm.ts';

const CONNECTIONS = 16;
const AT_ONCE = 2;
const HELLO = ['/bin/echo', 'hello'];
const OURS = 'Millrace';
const NONE = 'keeps nothing';

await runBench(import.meta.filename, async (bench) => {
  const jobs = bench.parameter('jobs', 5, 1_000);
  const slurmJobs = bench.parameter('slurm-jobs', 2, 60);
  const noParallel = await missingPeer(bench, ['parallel'], 'parallel', findGnuParallel);
  const slurm = await openSlurm(bench);
  const system = await startSystem(bench, { agent: 'process' });
  try {
    const { client, meter } = system;
    const jobTypeId = await makeJobType(client, 'bench-hello', 'process:default', HELLO.join(' '));
    const list = '/v6/jobs/?status=COMPLETED&job_type_name=bench-hello';
    const body = { job_type_id: jobTypeId, input: { files: {}, json: {} } };
    const lines = `${Array.from({ length: jobs }, (_, n) => String(n)).join('\n')}\n`;
    const fed = (...argv: string[]) => rate(jobs, OWN_METER, () => runToEnd(argv, lines));
    const at = `-P${AT_ONCE}`;
    const rows = await bench.compare({
      ...{ title: 'hello as a process', unit: 'jobs/s', each: 'job' },
      subjects: [
        {
          name: OURS,
          work: async () => {
            const before = await client.count(list);
            return rate(jobs, meter, async () => {
              await postMany(client.base, '/v6/jobs/', body, jobs, Math.min(jobs, CONNECTIONS));
              await untilCount(client, list, before + jobs);
            });
          },
        },
        {
          ...{ name: `xargs ${at}`, isPeer: true, remark: NONE },
          work: () => fed('xargs', at, '-n1', ...HELLO),
        },
        {
          ...{ name: `a loop of spawn, ${AT_ONCE} at once`, isPeer: true, remark: NONE },
          work: () => rate(jobs, OWN_METER, () => runMany(jobs, AT_ONCE, () => HELLO)),
        },
        {
          ...{ name: `parallel -j${AT_ONCE}`, isPeer: true, missing: noParallel, remark: NONE },
          work: () => fed('parallel', `-j${AT_ONCE}`, '--will-cite', HELLO.join(' '), '#'),
        },
        {
          ...{ name: 'Slurm', isPeer: true, missing: slurm.missing, isWarmedUp: false },
          remark: `${slurmJobs} a run, an array; files, not synced`,
          work: () => slurm.run(slurmJobs),
        },
      ],
    });
    const aim = (beside: string, wanted: number) => {
      const measured = ratioOf(rows, OURS, beside);
      bench.aim({ text: `${OURS} / ${beside}`, measured, wanted, bound: 'least', unit: 'x' });
    };
    aim(`xargs ${at}`, 0.6);
    aim('Slurm', 20);
    const { coordinator, agent } = system.resident();
    bench.note(
      `Resident afterwards: coordinator ${coordinator.toFixed(0)} MiB, agent ${agent.toFixed(0)} MiB.`,
    );
  } finally {
    await system.stop();
    await slurm.close();
  }
});
