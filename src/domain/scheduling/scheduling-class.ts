/**
 * A scheduling class: jobs with the same type, resources, executor and workspaces, which the scheduler treats alike.
 * The queue is kept by class, so that a class that cannot be placed blocks no jobs behind it.
 */
import { createHash } from 'node:crypto';

/** Amounts by resource name: cpus in cores, mem and disk in MiB, gpus in units, others as named. */
export type Resources = Readonly<Record<string, number>>;

export interface SchedulingClass {
  /** The hash of all other fields, so that equal classes have equal keys. */
  readonly key: string;
  readonly jobTypeId: number;
  readonly resources: Resources;
  /** `process:<profile>`, or `docker` for any container executor. */
  readonly executor: string;
  /** Workspaces a node must reach, ascending. */
  readonly workspaceIds: readonly number[];
}

/** Creates a class and its key from its parts. */
export function schedulingClassOf(parts: Omit<SchedulingClass, 'key'>): SchedulingClass {
  const workspaceIds = [...new Set(parts.workspaceIds)].sort((a, b) => a - b);
  const names = Object.keys(parts.resources).sort();
  const resources = Object.fromEntries(names.map((name) => [name, parts.resources[name] ?? 0]));
  const spec = { jobTypeId: parts.jobTypeId, resources, executor: parts.executor, workspaceIds };
  const key = createHash('sha256').update(JSON.stringify(spec)).digest('base64url').slice(0, 22);
  return { key, ...spec };
}

const PROCESS_PREFIX = 'process:';

/** The executor of a container image: `process:<profile>` runs as a process, everything else in a container. */
export function executorOf(containerImage: string): string {
  return containerImage.startsWith(PROCESS_PREFIX) ? containerImage : 'docker';
}

/** Whether a node with these executors can run the class: containers run with `oci` as well as with `docker`. */
export function hasExecutor(offered: ReadonlySet<string>, executor: string): boolean {
  return offered.has(executor) || (executor === 'docker' && offered.has('oci'));
}
