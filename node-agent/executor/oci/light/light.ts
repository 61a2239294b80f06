/** The light runtime: containers by a program of our own (container.c), which takes the configuration of runc. */
import { readFileSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs';
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

/** What is known of a container without asking the kernel. */
export interface LightRecord {
  /** The digest of its image. */
  readonly image: string;
  readonly paths: GroupPlaces;
  /** What was charged to them before the container began. */
  readonly chargedBytes: number;
}

/** Writes what the program reads to the folder of a container, which has the folder `rootfs`. */
export function prepareLight(
  light: LightRuntime,
  folder: string,
  config: RuntimeConfig,
  image: string,
  kept: KeptGroups,
): { readonly argv: string[]; readonly record: LightRecord } {
  const { cgroupsPath, resources, seccomp } = config.linux;
  const filter = light.filters.get(seccomp);
  if (filter === undefined) throw new Error('the filter was not compiled');
  const groups = groupsOf(light.places, cgroupsPath, resources);
  const given = kept.give(groups);
  const record = { image, paths: given?.paths ?? groups.paths, chargedBytes: given?.chargedBytes ?? 0 };
  const put = (name: string, content: string | Buffer): void =>
    writeFileSync(join(folder, name), content, { mode: 0o600 });
  // The mark of this runtime, and what is removed later, so it is written first.
  put(RECORD, JSON.stringify(record satisfies LightRecord));
  const own = { ...groups, paths: record.paths, areMade: given !== undefined };
  put('order', encodeContainer(config, own, join(folder, 'rootfs'), filter));
  return { argv: [light.program, folder], record };
}

const RECORD = 'groups';
/** Everything in the folder of a container that has run. The record goes first: its groups are no longer this one's. */
const FILES = [RECORD, 'order', 'hosts', 'state', 'fault'] as const;

/** Undefined if the folder is of a container of another runtime. */
export function readLight(folder: string): LightRecord | undefined {
  const text = textOf(join(folder, RECORD));
  return text === '' ? undefined : (JSON.parse(text) as LightRecord);
}

/** The first process of a container; undefined until it has begun. */
export function initOfLight(folder: string): ProcessName | undefined {
  return parseProcessStat(textOf(join(folder, 'state')));
}

/** Why a container did not begin; empty if it did. */
export function faultOfLight(folder: string): string {
  return textOf(join(folder, 'fault'));
}

/** Removes the folder of a container. False if it has not run, or something else is left. */
export function removeLight(folder: string): boolean {
  try {
    for (const name of FILES) unlinkSync(join(folder, name));
    rmdirSync(join(folder, 'rootfs'));
    rmdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // not written yet, or removed
  }
}
