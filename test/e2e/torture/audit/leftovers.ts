/** What nobody needs any more, and is there all the same: containers, mounts, folders, temporary names, promises. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { processesOf } from '../../harness/folder-processes.ts';
import type { Caller } from '../caller.ts';
import { AGENTS, type Installation } from '../installation.ts';

interface StatusSeen {
  readonly nodes: readonly {
    readonly hostname: string;
    readonly state: { readonly name: string };
    readonly errors: readonly object[];
    readonly resources: Readonly<Record<string, { readonly running: number }>>;
    readonly job_executions: { readonly running: { readonly total: number } };
  }[];
}
interface AuditSeen {
  readonly method: string;
  readonly route: string;
  readonly path: string;
}

/** Their jobs run for ever. */
const STRIKES = 2;
const HELP = /requeue|cancel|\/nodes\/|\/scheduler\/|\/strikes\/\{|\/scans\/\{id\}\/$/;

export async function checkLeftovers(all: Installation): Promise<readonly string[]> {
  const { folder } = all.world;
  const containers = await all.ownContainers();
  const disks = Object.values(all.disks).map((disk) => disk.folder);
  const mounts = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((place) => place.startsWith(folder) && !disks.includes(place));
  const tasks = processesOf(folder).filter(({ isTask }) => isTask);
  const { client, name } = all.store.bucket;
  const uploads: string[] = [];
  for await (const { key } of client.listIncompleteUploads(name, '', true) as AsyncIterable<{ key: string }>)
    uploads.push(key);
  return [
    ...containers.map(({ id, state, job }) => `container ${id.slice(0, 12)} of job ${job}: ${state}`),
    ...mounts.map((place) => `${place} is mounted`),
    ...tasks.map(({ pid, commandLine }) => `process ${pid} is left: ${commandLine.slice(0, 100)}`),
    ...AGENTS.flatMap((agent) => below(join(folder, agent, 'executions'))).map((path) => `${path} is left`),
    ...uploads.map((key) => `an upload of ${key} was never ended`),
  ];
}

function below(directory: string): readonly string[] {
  try {
    return readdirSync(directory).map((name) => join(directory, name));
  } catch {
    return []; // it works elsewhere, or never had a task
  }
}

/** Nodes as they were at first, with nothing promised to anybody; and nobody has helped. */
export async function checkNodes(all: Installation, caller: Caller): Promise<readonly string[]> {
  const problems: string[] = [];
  let runningCount = 0;
  const { nodes } = await caller.get<StatusSeen>('/v6/status/');
  if (nodes.length !== AGENTS.length) problems.push(`${nodes.length} nodes, ${AGENTS.length} have joined`);
  for (const { hostname, state, errors, resources, job_executions: executions } of nodes) {
    if (state.name !== 'READY' || errors.length > 0)
      problems.push(`node ${hostname}: ${state.name} ${JSON.stringify(errors)}`);
    for (const [name, { running }] of Object.entries(resources))
      if (running > 0) problems.push(`node ${hostname}: ${running} of ${name} are held`);
    runningCount += executions.running.total;
  }
  if (runningCount !== STRIKES)
    problems.push(`${runningCount} executions run, those of strikes are ${STRIKES}`);
  const calls = await caller.list<AuditSeen>('/v6/audit/?started=P1D');
  for (const { method, route, path } of calls)
    if (HELP.test(route)) problems.push(`somebody helped: ${method} ${path}`);
  if (calls.length === 0) problems.push(`the audit trail of ${all.world.folder} is empty`);
  return problems;
}
