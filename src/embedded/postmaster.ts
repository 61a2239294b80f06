/**
 * Inspects a cluster folder's server from outside: its postmaster.pid, whether that process lives and is the server,
 * and whether children of a killed server still have its shared memory.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { identifyProcess, type ProcessIdentity } from '../lib/process-identity.ts';

export interface PostmasterFile {
  readonly pid: number;
  readonly socketDir: string;
  /** `ready`, `starting`, `stopping`, `standby`; empty before the server has written it. */
  readonly status: string;
}

export function readPostmasterFile(cluster: string): PostmasterFile | undefined {
  let lines: string[];
  try {
    lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return undefined;
  }
  const pid = Math.abs(Number.parseInt(lines[0] ?? '', 10));
  if (!Number.isInteger(pid) || pid === 0) return undefined;
  return { pid, socketDir: (lines[4] ?? '').trim(), status: (lines[7] ?? '').trim() };
}

/**
 * The living postmaster of this cluster, if the pid file names one. Pids are reused, so its working folder is compared.
 */
export function findPostmaster(cluster: string): ProcessIdentity | undefined {
  const file = readPostmasterFile(cluster);
  if (file === undefined) return undefined;
  const identity = identifyProcess(file.pid);
  if (identity === undefined) return undefined;
  const folder = workingFolder(file.pid);
  // Where working folders cannot be read the pid is trusted; PostgreSQL's own lock is a second check.
  return folder === undefined || folder === cluster ? identity : undefined;
}

/** Processes that still work in the cluster's folder: children of a killed postmaster that are ending. */
export function processesIn(cluster: string): number[] {
  let entries: string[];
  try {
    entries = readdirSync('/proc');
  } catch {
    return [];
  }
  return entries
    .filter((entry) => /^\d+$/.test(entry) && workingFolder(Number(entry)) === cluster)
    .map(Number)
    .filter((pid) => identifyProcess(pid) !== undefined);
}

function workingFolder(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}
