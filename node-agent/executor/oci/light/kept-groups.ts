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
import { existsSync, readdirSync, renameSync, rmdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { outOfMemoryKills } from '../../cgroup.ts';
import { GroupFiles, type Reader, readControl, readGroupFile } from '../../group-files.ts';
import { type ContainerGroups, findGroupPlaces, type GroupPlaces } from './groups.ts';

// limit: sets of groups that wait for containers.
const KEPT_MAX = 32;
const LEFT_BYTES_MAX = 4 * 1024 * 1024;

interface KeptSet {
  readonly limits: string;
  readonly paths: GroupPlaces;
  readonly files: GroupFiles;
}

export interface GivenGroups {
  readonly paths: GroupPlaces;
  /** What is charged to them before their container begins. */
  readonly chargedBytes: number;
}

export class KeptGroups {
  /** How the names of all kept groups of this agent begin. */
  readonly #prefix: string;
  /** Oldest first. */
  readonly #free: KeptSet[] = [];
  /** By the path of one of their groups: kept ones that have a container. */
  readonly #given = new Map<string, KeptSet>();
  /** Limits of groups that are made for containers of this run of the agent, by the path of one of them. */
  readonly #limits = new Map<string, string>();
  #count = 0;

  constructor(prefix: string) {
    this.#prefix = `${prefix}-kept-`;
  }

  /** Gives kept groups to a container that would have these. Undefined: make them. */
  give({ paths, limits }: ContainerGroups): GivenGroups | undefined {
    const { memory } = paths;
    if (memory === undefined) return undefined;
    const wanted = limits.map(([path, value]) => `${basename(path)} ${value}`).join();
    const index = this.#free.findIndex((kept) => kept.limits === wanted);
    const [kept] = index < 0 ? [] : this.#free.splice(index, 1);
    try {
      if (kept !== undefined) {
        const chargedBytes = begunAnew(kept);
        this.#given.set(kept.paths.memory as string, kept);
        return { paths: kept.paths, chargedBytes };
      }
    } catch {
      remove(kept);
    }
    this.#limits.set(memory, wanted);
    return undefined;
  }

  /** What reads the files of a container's groups. */
  readerOf({ memory = '' }: GroupPlaces): Reader {
    return this.#given.get(memory)?.files.read ?? readControl;
  }

  /** Keeps the groups of a container that has ended by itself. False: they have to be removed. */
  keep(paths: GroupPlaces): boolean {
    const { memory = '' } = paths;
    const kept = this.#given.get(memory) ?? this.#asKept(paths);
    const read = this.readerOf(paths);
    this.#limits.delete(memory);
    this.#given.delete(memory);
    if (kept === undefined) return false;
    try {
      if (!isFit(memory, read)) {
        kept.files.close();
        return false;
      }
      // They have this name from now on: the record of a container says which ones it has.
      for (const [from, to] of pairs(paths, kept.paths)) if (from !== to) renameSync(from, to);
    } catch {
      remove(kept);
      return false;
    }
    this.#free.push(kept);
    if (this.#free.length > KEPT_MAX) remove(this.#free.shift());
    return true;
  }

  /** Groups that were made for a container, as they will be called. */
  #asKept(paths: GroupPlaces): KeptSet | undefined {
    const { memory = '' } = paths;
    const limits = this.#limits.get(memory);
    if (limits === undefined) return undefined;
    let name: string;
    // An earlier run of the agent may have left a container in some.
    do {
      this.#count += 1;
      name = `${this.#prefix}${this.#count}`;
    } while (existsSync(join(dirname(memory), name)));
    const placed = Object.entries(paths).map(([key, path]) => [key, join(dirname(path), name)]);
    return { limits, paths: Object.fromEntries(placed) as GroupPlaces, files: new GroupFiles() };
  }

  /** Forgets the groups of a container, which somebody else removes. */
  forget({ memory = '' }: GroupPlaces): void {
    this.#limits.delete(memory);
    this.#given.get(memory)?.files.close();
    this.#given.delete(memory);
  }

  /** Removes all that are kept. */
  close(): void {
    for (const kept of this.#free.splice(0)) remove(kept);
  }

  /** Removes what an earlier run of the agent has kept, but for those that containers have. */
  removeLeftovers(had: readonly GroupPlaces[]): void {
    const held = new Set([...had, ...this.#free.map(({ paths }) => paths)].flatMap(Object.values));
    for (const place of Object.values(placesHere())) {
      const names = readdirSync(place).filter((name) => name.startsWith(this.#prefix));
      for (const path of names.map((name) => join(place, name))) if (!held.has(path)) removeIfEmpty(path);
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

function usageOf(memory: string, read: Reader): number {
  const text = read(join(memory, 'memory.usage_in_bytes'));
  if (text === '') throw new Error('the charged memory is unknown');
  return Number(text);
}

/** Begins their peak and processor time anew. Returns the bytes that are charged to them. */
function begunAnew({ paths, files }: KeptSet): number {
  const { memory = '', cpuacct, cpu = '' } = paths;
  files.write(join(memory, 'memory.max_usage_in_bytes'), '0');
  files.write(join(cpuacct ?? cpu, 'cpuacct.usage'), '0');
  return usageOf(memory, files.read);
}

function isFit(memory: string, read: Reader): boolean {
  const isUsed = readGroupFile(join(memory, 'cgroup.procs')) !== '';
  return !isUsed && usageOf(memory, read) <= LEFT_BYTES_MAX && outOfMemoryKills(memory, read) === 0;
}

function remove(kept: KeptSet | undefined): void {
  kept?.files.close();
  for (const path of Object.values(kept?.paths ?? {})) removeIfEmpty(path);
}

function removeIfEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // It does not exist, or is still in use: the next start removes it.
  }
}
