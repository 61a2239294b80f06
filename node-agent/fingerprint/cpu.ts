/** Processor cores for tasks: those of the host, or fewer if a control group limits the agent. */
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';

export async function countCpus(): Promise<number> {
  const limit = (await limitOfVersion2()) ?? (await limitOfVersion1());
  const cores = availableParallelism();
  return limit === undefined ? cores : Math.min(cores, limit);
}

async function limitOfVersion2(): Promise<number | undefined> {
  const [quota, period] = (await readFile('/sys/fs/cgroup/cpu.max', 'utf8').catch(() => ''))
    .trim()
    .split(' ');
  return ratio(quota, period);
}

async function limitOfVersion1(): Promise<number | undefined> {
  const read = (file: string): Promise<string> =>
    readFile(`/sys/fs/cgroup/cpu/${file}`, 'utf8').catch(() => '');
  return ratio(await read('cpu.cfs_quota_us'), await read('cpu.cfs_period_us'));
}

/** undefined without a limit: `max`, -1, or no such file. */
function ratio(quota: string | undefined, period: string | undefined): number | undefined {
  const value = Number(quota) / Number(period);
  return Number.isFinite(value) && value > 0 ? value : undefined;
}
