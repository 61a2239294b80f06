/** What the machine is, and what else it was doing: without these a figure says little. */
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';
import { LOAD_FACT } from './results/result.ts';

const GIB = 1_024 ** 3;

export function machineFacts(): (readonly [string, string])[] {
  const load = loadavg()
    .map((value) => value.toFixed(2))
    .join(' ');
  const cores = availableParallelism();
  return [
    [
      'machine',
      `${cores} cores of ${cpus()[0]?.model.trim() ?? 'an unknown kind'}, ${Math.round(totalmem() / GIB)} GiB`,
    ],
    ['system', `Linux ${release()}, Node ${process.versions.node}`],
    [LOAD_FACT, load],
  ];
}
