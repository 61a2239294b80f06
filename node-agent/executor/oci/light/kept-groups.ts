/**
 * Control groups of containers that have ended, kept for later containers with equal limits (version 1). Making,
 * limiting and removing those of one container takes a third of what it costs to set it up; most of that is setting the
 * share of processors. With version 2 the kernel cannot forget the peak of a group, so each container has new ones.
 *
 * A group is kept only if its container has ended by itself, nothing runs in it, the kernel has killed nothing in it
 * for its memory, and next to no memory is charged to it: what a container has read stays in the kernel's memory, and
 * would be taken off the next one's. Peak and processor time begin anew, and the little that is charged is subtracted
 * from the peak.
 */
import { readdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { outOfMemoryKills } from '../../cgroup.ts';
import { type ContainerGroups, findGroupPlaces, type GroupPlaces } from './groups.ts';

// limit: sets of groups that wait for containers.
const KEPT_MAX = 32;
const LEFT_BYTES_MAX = 4 * 1024 * 1024;

interface KeptSet {
  readonly name: string;
  readonly limits: string;
  readonly paths: GroupPlaces;
}

export class KeptGroups {
  /** How the names of all groups of this agent begin. */
  readonly #prefix: string;
  /** Oldest first. */
  readonly #free: KeptSet[] = [];
  /** Limits of groups that this run of the agent has given or made, by the path of one of them. */
  readonly #limits = new Map<string, string>();
  #count = 0;

  constructor(prefix: string) {
    this.#prefix = `${prefix}-kept-`;
  }

  /** Moves kept groups to where these are to be, and returns the bytes charged to them. Undefined: make new ones. */
  give({ paths, limits }: ContainerGroups): number | undefined {
    const { memory } = paths;
    if (memory === undefined) return undefined;
    const wanted = limits.map(([path, value]) => `${basename(path)} ${value}`).join();
    this.#limits.set(memory, wanted);
    const index = this.#free.findIndex((kept) => kept.limits === wanted);
    const [kept] = index < 0 ? [] : this.#free.splice(index, 1);
    if (kept === undefined) return undefined;
    try {
      for (const [from, to] of pairs(kept.paths, paths)) renameSync(from, to);
      writeFileSync(join(memory, 'memory.max_usage_in_bytes'), '0');
      writeFileSync(join(paths.cpuacct ?? paths.cpu ?? '', 'cpuacct.usage'), '0');
      return usageOf(memory);
    } catch {
      for (const path of [...Object.values(kept.paths), ...Object.values(paths)]) removeIfEmpty(path);
      return undefined;
    }
  }

  /** Keeps the groups of a container that has ended by itself. False: they have to be removed. */
  keep(paths: GroupPlaces): boolean {
    const { memory = '' } = paths;
    const limits = this.#limits.get(memory);
    if (limits === undefined) return false;
    this.#limits.delete(memory);
    this.#count += 1;
    const name = `${this.#prefix}${this.#count}`;
    const placed = Object.entries(paths).map(([key, path]) => [key, join(dirname(path), name)]);
    const kept = { name, limits, paths: Object.fromEntries(placed) as GroupPlaces };
    try {
      if (isUsed(memory) || usageOf(memory) > LEFT_BYTES_MAX || outOfMemoryKills(memory) > 0) return false;
      for (const [from, to] of pairs(paths, kept.paths)) renameSync(from, to);
    } catch {
      for (const path of Object.values(kept.paths)) removeIfEmpty(path);
      return false;
    }
    this.#free.push(kept);
    if (this.#free.length > KEPT_MAX) remove(this.#free.shift());
    return true;
  }

  /** Forgets the groups of a container, which somebody else removes. */
  forget({ memory = '' }: GroupPlaces): void {
    this.#limits.delete(memory);
  }

  /** Removes all that are kept. */
  close(): void {
    for (const kept of this.#free.splice(0)) remove(kept);
  }

  /** Removes what an earlier run of the agent has kept. */
  removeLeftovers(): void {
    const held = new Set(this.#free.map(({ name }) => name));
    for (const place of Object.values(placesHere())) {
      const names = readdirSync(place).filter((name) => name.startsWith(this.#prefix) && !held.has(name));
      for (const name of names) removeIfEmpty(join(place, name));
    }
  }
}

function placesHere(): GroupPlaces {
  try {
    return findGroupPlaces();
  } catch {
    return {}; // not all are there, so none was made
  }
}

/** From one path to the other; controllers can share a directory. */
function pairs(from: GroupPlaces, to: GroupPlaces): Map<string, string> {
  return new Map(Object.entries(from).map(([key, path]) => [path, to[key] as string]));
}

function usageOf(memory: string): number {
  return Number(readFileSync(join(memory, 'memory.usage_in_bytes'), 'utf8'));
}

function isUsed(path: string): boolean {
  return readFileSync(join(path, 'cgroup.procs'), 'utf8') !== '';
}

function remove(kept: KeptSet | undefined): void {
  for (const path of Object.values(kept?.paths ?? {})) removeIfEmpty(path);
}

function removeIfEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // It does not exist, or is still in use: the next start removes it.
  }
}
