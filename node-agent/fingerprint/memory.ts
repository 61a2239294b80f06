/** Memory for tasks in MiB: the host's, or a control group's limit, less what the host itself needs. */
import { readFile } from 'node:fs/promises';
import { totalmem } from 'node:os';

const MIB = 1024 * 1024;
const RESERVE_MIB_MIN = 256;
const RESERVE_PART = 0.1;

export interface Memory {
  /** Memory less the reserve. */
  readonly offeredMib: number;
  readonly totalMib: number;
}

export async function measureMemory(): Promise<Memory> {
  const bounds = await Promise.all(
    ['/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory/memory.limit_in_bytes'].map(readBytes),
  );
  const totalMib = Math.floor(Math.min(totalmem(), ...bounds) / MIB);
  const reserveMib = Math.max(RESERVE_MIB_MIN, Math.ceil(totalMib * RESERVE_PART));
  return { totalMib, offeredMib: Math.max(0, totalMib - reserveMib) };
}

async function readBytes(path: string): Promise<number> {
  const value = Number((await readFile(path, 'utf8').catch(() => '')).trim() || Number.NaN);
  return Number.isFinite(value) && value > 0 ? value : Number.POSITIVE_INFINITY;
}
