/** The light runtime: containers by a program of our own (container.c), which takes the configuration of runc. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findNativeProgram } from '../../native-programs.ts';
import { type ProcessName, parseProcessStat } from '../../proc.ts';
import type { RuntimeConfig } from '../bundle.ts';
import type { Filters, SeccompFilter } from '../seccomp.ts';
import { compileFilter } from './filter.ts';
import { findGroupPlaces, type GroupPlaces, groupsOf } from './groups.ts';
import type { KeptGroups } from './kept-groups.ts';
import { encodeContainer } from './light-order.ts';

export interface LightRuntime {
  readonly program: string;
  readonly filters: ReadonlyMap<SeccompFilter, Buffer>;
  readonly places: GroupPlaces;
}

/** Throws with the reason if this host or this installation cannot have it. */
export function openLight(filters: Filters): LightRuntime {
  const program = findNativeProgram('container');
  const compiler = findNativeProgram('filter');
  if (program === undefined || compiler === undefined)
    throw new Error('its programs are missing: install cc, and run `npm run build`');
  const { native, every } = filters;
  const compiled = [native, every].map((filter) => [filter, compileFilter(compiler, filter)] as const);
  return { program, filters: new Map(compiled), places: findGroupPlaces() };
}

/** Writes what the program reads to the folder of a container. Returns its command. */
export function prepareLight(
  light: LightRuntime,
  folder: string,
  config: RuntimeConfig,
  kept: KeptGroups,
): string[] {
  const { cgroupsPath, resources, seccomp } = config.linux;
  const filter = light.filters.get(seccomp);
  if (filter === undefined) throw new Error('the filter was not compiled');
  const rootfs = join(folder, 'rootfs');
  mkdirSync(rootfs, { recursive: true, mode: 0o755 });
  const groups = groupsOf(light.places, cgroupsPath, resources);
  const { paths } = groups;
  const put = (name: string, content: string | Buffer): void =>
    writeFileSync(join(folder, name), content, { mode: 0o600 });
  const record = (chargedBytes: number): void =>
    put(GROUPS, JSON.stringify({ paths, chargedBytes } satisfies Recorded));
  // The mark of this runtime, and what is removed later, so it is written first.
  record(0);
  const chargedBytes = kept.give(groups);
  if (chargedBytes !== undefined) record(chargedBytes);
  put('filter', filter);
  put('order', encodeContainer(config, { ...groups, areMade: chargedBytes !== undefined }, rootfs));
  return [light.program, folder];
}

const GROUPS = 'groups';

interface Recorded {
  readonly paths: GroupPlaces;
  /** What was charged to them before the container began. */
  readonly chargedBytes: number;
}

export interface LightState {
  /** Undefined until it has begun. */
  readonly init: ProcessName | undefined;
  readonly groups: GroupPlaces;
  readonly chargedBytes: number;
  /** Why it did not begin; empty if it did. */
  readonly fault: string;
}

/** Undefined if the folder is of a container of another runtime. */
export function readLight(folder: string): LightState | undefined {
  const recorded = textOf(join(folder, GROUPS));
  if (recorded === '') return undefined;
  const { paths, chargedBytes } = JSON.parse(recorded) as Recorded;
  return {
    groups: paths,
    chargedBytes,
    init: parseProcessStat(textOf(join(folder, 'state'))),
    fault: textOf(join(folder, 'fault')),
  };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // not written yet, or removed
  }
}
