/** The control groups of a container of the light runtime, where runc would have them, in both versions. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RuntimeResources } from '../bundle.ts';

const ROOT = '/sys/fs/cgroup';
const REQUIRED_1 = ['memory', 'pids', 'cpu', 'devices'] as const;
/** Counts processor time, mostly in the same place as `cpu`. */
const COUNTED_1 = 'cpuacct';
const REQUIRED_2 = ['memory', 'pids', 'cpu'] as const;

/** Character devices that every container may use, as `major:minor`: the usual nodes of /dev, and terminals. */
const DEVICES = ['1:3', '1:5', '1:7', '1:8', '1:9', '5:0', '5:2', '136:*'];

/** Parents of the containers' groups: by controller with version 1, one below '' with version 2. */
export type GroupPlaces = Readonly<Record<string, string>>;

export interface ContainerGroups {
  /** Directories by controller, as in `GroupPlaces`. */
  readonly paths: GroupPlaces;
  /** Whether they exist, with their limits. */
  readonly areMade?: boolean;
  /** Files of these groups, with what is written to them in this order, before a process is inside. */
  readonly limits: readonly (readonly [path: string, value: string])[];
  /** With version 2: allowed devices; version 1 has them among the limits. */
  readonly devices: readonly string[];
}

/** Throws with the reason if not all limits can be set here. */
export function findGroupPlaces(): GroupPlaces {
  return existsSync(join(ROOT, 'cgroup.controllers')) ? placesOfVersion2() : placesOfVersion1();
}

function placesOfVersion2(): GroupPlaces {
  // Refused if processes are in the parent and it is not the real root, as in most containers.
  writeFileSync(
    join(ROOT, 'cgroup.subtree_control'),
    REQUIRED_2.map((controller) => `+${controller}`).join(' '),
  );
  return { '': ROOT };
}

/** Below our own groups, so that limits of the agent apply to containers too. */
function placesOfVersion1(): GroupPlaces {
  const own = new Map<string, string>();
  for (const line of readFileSync('/proc/self/cgroup', 'utf8').split('\n')) {
    const [, names = '', path = '/'] = line.split(':');
    for (const name of names.split(',')) own.set(name, path);
  }
  const placeOf = (controller: string) => join(ROOT, controller, own.get(controller) ?? '/');
  for (const controller of REQUIRED_1) {
    const place = placeOf(controller);
    if (!own.has(controller) || !existsSync(place)) throw new Error(`no control group ${place}`);
  }
  const isTogether = own.get('cpu') === own.get(COUNTED_1) && isMountedTogether();
  const all = own.has(COUNTED_1) && !isTogether ? [...REQUIRED_1, COUNTED_1] : REQUIRED_1;
  return Object.fromEntries(all.map((controller) => [controller, placeOf(controller)]));
}

function isMountedTogether(): boolean {
  return /^\d+:(cpu,cpuacct|cpuacct,cpu):/m.test(readFileSync('/proc/self/cgroup', 'utf8'));
}

/** Pure. */
export function groupsOf(places: GroupPlaces, name: string, resources: RuntimeResources): ContainerGroups {
  const paths = Object.fromEntries(Object.entries(places).map(([key, place]) => [key, join(place, name)]));
  const { memory, pids, cpu } = resources;
  const { '': unified } = paths;
  if (unified !== undefined) {
    const files = {
      'memory.max': memory.limit,
      // Version 2 counts swap alone, the configuration together with memory.
      ...(memory.swap === undefined ? {} : { 'memory.swap.max': memory.swap - memory.limit }),
      'pids.max': pids.limit,
      'cpu.max': `${cpu.quota} ${cpu.period}`,
    };
    const limits = Object.entries(files).map(([file, value]) => [join(unified, file), `${value}`] as const);
    return { paths, limits, devices: DEVICES };
  }
  const at = (controller: string, file: string) => join(paths[controller] ?? '', file);
  const limits: [string, string | number][] = [
    [at('memory', 'memory.limit_in_bytes'), memory.limit],
    ...(memory.swap === undefined
      ? []
      : ([[at('memory', 'memory.memsw.limit_in_bytes'), memory.swap]] as [string, number][])),
    [at('pids', 'pids.max'), pids.limit],
    [at('cpu', 'cpu.cfs_period_us'), cpu.period],
    [at('cpu', 'cpu.cfs_quota_us'), cpu.quota],
    [at('devices', 'devices.deny'), 'a'],
    ...DEVICES.map((device): [string, string] => [at('devices', 'devices.allow'), `c ${device} rwm`]),
  ];
  return { paths, limits: limits.map(([path, value]) => [path, `${value}`]), devices: [] };
}
