/**
 * Slurm on one node: munge, controller and node daemon of the bench's own, with their state in a folder that goes away,
 * ended by their pids. As root only; never in a tiny run, where it is reported as missing.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../test/support/services/free-port.ts';
import type { Bench } from '../harness/bench.ts';
import { missingPeer } from '../harness/debian.ts';
import { type Meter, OWN_METER, rate } from '../harness/meter.ts';
import { familySeconds } from '../harness/processor-time.ts';
import { end, runToEnd } from '../harness/program.ts';
import type { Sample } from '../harness/results/result.ts';

const START_MS = 30_000;
const CPUS = 2;

export interface Slurm {
  readonly missing?: string | undefined;
  /** An array job of so many. */
  run(jobs: number): Promise<Sample>;
  close(): Promise<void>;
}

export async function openSlurm(bench: Bench): Promise<Slurm> {
  const without = async (missing: string): Promise<Slurm> => ({
    missing,
    run: () => Promise.reject(new Error(missing)),
    close: async () => undefined,
  });
  if (bench.isTiny || !bench.hasPeers) return without('not in this run');
  if (process.getuid?.() !== 0) return without('runs as root only');
  const missing = await missingPeer(bench, ['slurmctld', 'slurmd', 'munged', 'sbatch'], 'slurm-wlm');
  if (missing !== undefined) return without(missing);
  const cluster = new Cluster();
  bench.atEnd(() => cluster.close());
  try {
    await cluster.start();
    return cluster;
  } catch (error) {
    await cluster.close();
    return without(error instanceof Error ? error.message : String(error));
  }
}

class Cluster implements Slurm {
  readonly #folder = mkdtempSync(join(tmpdir(), 'millrace-bench-slurm-'));
  readonly #daemons: ChildProcess[] = [];

  async start(): Promise<void> {
    const folder = this.#folder;
    chmodSync(folder, 0o755);
    for (const name of ['state', 'spool', 'munge']) mkdirSync(join(folder, name), { mode: 0o755 });
    const key = join(folder, 'munge.key');
    writeFileSync(key, randomBytes(128), { mode: 0o400 });
    const socket = join(folder, 'munge', 'socket');
    this.#daemon('munged', [
      ...['--foreground', '--force', `--key-file=${key}`, `--socket=${socket}`],
      ...[`--log-file=${join(folder, 'munged.log')}`, `--pid-file=${join(folder, 'munged.pid')}`],
      `--seed-file=${join(folder, 'munge.seed')}`,
    ]);
    const [controllerPort, nodePort] = [await freePort(), await freePort()];
    writeFileSync(this.#config, configOf(folder, socket, controllerPort, nodePort));
    const isOpen = (argv: string[]) =>
      runToEnd(argv).then(
        () => true,
        () => false,
      );
    await within('munge answers', () => isOpen(['munge', '-n', '-S', socket]));
    this.#daemon('slurmctld', ['-D', '-f', this.#config, '-c']);
    this.#daemon('slurmd', ['-D', '-f', this.#config]);
    const probe = ['srun', '-n1', '--immediate=5', '/bin/true'];
    await within('Slurm runs a job', () => isOpen(this.#client(...probe)));
  }

  run(jobs: number): Promise<Sample> {
    const daemons: Meter = {
      cpu: () => ({
        ...OWN_METER.cpu(),
        daemons: this.#daemons.reduce((sum, { pid }) => sum + familySeconds(pid ?? 0), 0),
      }),
    };
    const limits = ['-n1', '-c1', '--mem=1', '--output=/dev/null'];
    const array = ['sbatch', '--wait', `--array=1-${jobs}`, ...limits, '--wrap=/bin/echo hello'];
    return rate(jobs, daemons, () => runToEnd(this.#client(...array)));
  }

  async close(): Promise<void> {
    for (const daemon of this.#daemons.reverse()) await end(daemon);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #config(): string {
    return join(this.#folder, 'slurm.conf');
  }

  #client(...argv: string[]): string[] {
    return ['env', `SLURM_CONF=${this.#config}`, ...argv];
  }

  #daemon(program: string, args: readonly string[]): void {
    const env = { ...process.env, SLURM_CONF: this.#config };
    const daemon = spawn(program, args, { stdio: 'ignore', env });
    daemon.on('error', () => undefined); // it does not answer then
    this.#daemons.push(daemon);
  }
}

async function within(what: string, is: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + START_MS;
  while (!(await is())) {
    if (performance.now() > deadline) throw new Error(`not within ${START_MS} ms: ${what}`);
    await sleep(200);
  }
}

/** What throughput wants: no accounting, no process tracking by cgroups, scheduling at once. */
function configOf(folder: string, munge: string, controllerPort: number, nodePort: number): string {
  const host = hostname();
  const memoryMib = Math.floor(totalmem() / 1_048_576 / 2);
  return `${[
    'ClusterName=bench',
    `SlurmctldHost=${host}(127.0.0.1)`,
    `SlurmctldPort=${controllerPort}`,
    `SlurmdPort=${nodePort}`,
    'SlurmUser=root',
    'SlurmdUser=root',
    'AuthType=auth/munge',
    `AuthInfo=socket=${munge}`,
    `StateSaveLocation=${join(folder, 'state')}`,
    `SlurmdSpoolDir=${join(folder, 'spool')}`,
    `SlurmctldPidFile=${join(folder, 'slurmctld.pid')}`,
    `SlurmdPidFile=${join(folder, 'slurmd.pid')}`,
    `SlurmctldLogFile=${join(folder, 'slurmctld.log')}`,
    `SlurmdLogFile=${join(folder, 'slurmd.log')}`,
    'ProctrackType=proctrack/linuxproc',
    'TaskPlugin=task/none',
    'JobAcctGatherType=jobacct_gather/none',
    'AccountingStorageType=accounting_storage/none',
    'SelectType=select/cons_tres',
    'SelectTypeParameters=CR_Core',
    'SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0',
    'ReturnToService=2',
    'MpiDefault=none',
    `NodeName=${host} NodeAddr=127.0.0.1 CPUs=${CPUS} RealMemory=${memoryMib} State=UNKNOWN`,
    `PartitionName=all Nodes=${host} Default=YES MaxTime=INFINITE State=UP`,
  ].join('\n')}\n`;
}
