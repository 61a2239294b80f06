/** What the host sees of a container: its control groups, in both versions. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { MainTask } from '../../../node-agent/executor/executor.ts';

const ROOT = '/sys/fs/cgroup';
/** The deepest group that a test's agent may be in. */
const DEPTH_MAX = 6;
const TRIES_MAX = 1_000;

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(folder, entry.name));
  } catch {
    return []; // removed meanwhile
  }
}

/** The directories of the groups of a task's container. */
export function groupsOfTask(task: MainTask): string[] {
  const name = groupName(task);
  const found: string[] = [];
  let level = [ROOT];
  for (let depth = 0; depth < DEPTH_MAX; depth += 1) {
    level = level.flatMap(foldersIn);
    found.push(...level.filter((path) => basename(path) === name));
  }
  return found;
}

/** How the groups of an agent's containers begin, by its folder of executions. */
export function groupPrefix(executions: string): string {
  return `millrace-${createHash('sha256').update(executions).digest('hex').slice(0, 12)}-`;
}

function groupName({ executionId, folder }: MainTask): string {
  return `${groupPrefix(dirname(folder.root))}${executionId}`;
}

/** In each of the groups. They are read one after another, and again if a process began or ended meanwhile. */
export function processesIn(groups: readonly string[]): number[] {
  for (let triesLeft = TRIES_MAX; ; triesLeft -= 1) {
    const lists = groups.map(listOf);
    const [first = ''] = lists;
    if (new Set(lists).size <= 1) return first === '' ? [] : first.split(' ').map(Number);
    if (triesLeft === 0) throw new Error(`the groups differ: ${lists.join(', ')}`);
  }
}

function listOf(directory: string): string {
  try {
    return readFileSync(join(directory, 'cgroup.procs'), 'utf8')
      .trim()
      .split('\n')
      .filter(Boolean)
      .sort()
      .join(' ');
  } catch {
    return '';
  }
}

export interface GroupLimitsSeen {
  readonly memory: number | undefined;
  /** Together with memory; undefined if the host does not limit it. */
  readonly swap: number | undefined;
  readonly processes: number | undefined;
  readonly quota: number | undefined;
  readonly period: number | undefined;
}

/** With version 2 a program of the kernel limits devices, and no file shows it. */
export function isLimitedToDevices(groups: readonly string[]): boolean {
  const lists = groups.map((directory) => join(directory, 'devices.list')).filter((path) => existsSync(path));
  return lists.every((path) => {
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    // Nodes cannot be made by a container, whatever a runtime allows.
    return lines.every((line) => /^c (1:[35789]|5:[012]|136:\*|10:200) rwm$|^[bc] \*:\* m$/.test(line));
  });
}

export function readGroup(groups: readonly string[]): GroupLimitsSeen {
  const text = (file: string): string | undefined => {
    for (const directory of groups) {
      try {
        return readFileSync(join(directory, file), 'utf8').trim();
      } catch {
        // Another controller has it.
      }
    }
    return undefined;
  };
  const number = (file: string): number | undefined => {
    const found = text(file);
    return found === undefined ? undefined : Number(found);
  };
  const memory = number('memory.limit_in_bytes') ?? number('memory.max');
  const swap = number('memory.swap.max');
  const [quota, period] = (text('cpu.max') ?? '').split(' ').map(Number);
  return {
    memory,
    swap: number('memory.memsw.limit_in_bytes') ?? (swap === undefined ? undefined : swap + (memory ?? 0)),
    processes: number('pids.max'),
    quota: number('cpu.cfs_quota_us') ?? quota,
    period: number('cpu.cfs_period_us') ?? period,
  };
}
