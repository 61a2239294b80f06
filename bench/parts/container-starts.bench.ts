/**
 * How long a container takes to begin: from the moment at which a launch is sent to an agent, over gRPC, to the moment
 * at which the program in the container says what time it is. Two at a time, by both runtimes of the oci executor,
 * without a database: what an agent of the whole system does for a launch, it does here.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AGENT_DEFAULTS } from '../../node-agent/config.ts';
import { agentBench } from '../../test/support/agent/agent-bench.ts';
import { eventually } from '../../test/support/agent/eventually.ts';
import { makeLaunch } from '../../test/support/agent/make-launch.ts';
import { testRegistry } from '../../test/support/registry.ts';
import { type Bench, runBench } from '../harness/bench.ts';
import { percentile, writtenRange } from '../harness/figures.ts';

const AT_ONCE = 2;
const RUNTIMES = ['light', 'runc'] as const;
type Runtime = (typeof RUNTIMES)[number];
/** Says milliseconds since 1970, with a fraction. */
const CLOCK = `#include <stdio.h>
#include <time.h>
int main(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  printf("%.3f\\n", now.tv_sec * 1e3 + now.tv_nsec / 1e6);
  return 0;
}
`;

const nowMs = (): number => performance.timeOrigin + performance.now();

function compileInto(root: string): void {
  const source = join(mkdtempSync(join(tmpdir(), 'millrace-clock-')), 'clock.c');
  writeFileSync(source, CLOCK);
  const { status } = spawnSync('cc', ['-O1', '-static', '-o', join(root, 'bin/clock'), source]);
  rmSync(join(source, '..'), { recursive: true });
  if (status !== 0) throw new Error('no compiler: nothing says when it begins');
}

/** Milliseconds of each container. */
async function starts(runtime: Runtime, image: string, count: number): Promise<number[]> {
  const ends: (() => unknown)[] = [];
  try {
    const containers = { ...AGENT_DEFAULTS.containers, runtime };
    const t = { teardown: (call: () => unknown) => ends.push(call) };
    const { coordinator, spawn } = await agentBench(t, { executors: ['oci'], containers });
    spawn();
    await coordinator.connected();
    const times: number[] = [];
    let last = 0;
    const one = async (): Promise<void> => {
      while (last < count) {
        last += 1;
        const id = last;
        const sentMs = nowMs();
        coordinator.send(makeLaunch(id, { launch: { containerImage: image } }));
        await coordinator.update(id);
        await eventually(() => coordinator.log(id).endsWith('\n'), 'its output');
        times.push(Number(coordinator.log(id)) - sentMs);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
    // The first ones wait for the image, and for the agent's code to be compiled.
    return times.slice(count >> 1);
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

async function compare(bench: Bench, image: string): Promise<void> {
  const count = 2 * bench.parameter('containers', 2, 200);
  for (const runtime of RUNTIMES) {
    const [halves, tails]: [number[], number[]] = [[], []];
    for (let run = 0; run < bench.runs; run += 1) {
      const times = await starts(runtime, image, count);
      halves.push(percentile(times, 0.5));
      tails.push(percentile(times, 0.99));
    }
    const rowOf = (name: string, values: readonly number[]) => {
      return { name, isPeer: false, samples: values.map((value) => ({ value, count })) };
    };
    const rows = [rowOf('p50', halves), rowOf('p99', tails)];
    const title = `From the launch to the program, by ${runtime}`;
    bench.add({ kind: 'comparison', title, unit: 'ms', each: 'container', rows });
    bench.note(`${runtime}: p50 ${writtenRange(halves)} ms, p99 ${writtenRange(tails)} ms.`);
    if (runtime === 'light') {
      const measured = percentile(tails, 0.5);
      bench.aim({ text: 'p99 of light', measured, wanted: 20, bound: 'most', unit: 'ms' });
    }
  }
}

await runBench(import.meta.filename, async (bench) => {
  const ends: (() => unknown)[] = [];
  try {
    const registry = await testRegistry({ teardown: (call) => ends.push(call) });
    await registry.push('bench/clock', '1', { Entrypoint: ['/bin/clock'] }, compileInto);
    await compare(bench, `${registry.address}/bench/clock:1`);
  } finally {
    for (const end of ends.reverse()) await end();
  }
});
