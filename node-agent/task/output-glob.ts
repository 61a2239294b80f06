/**
 * Finds the regular files below an output directory that a pattern names: `*`, `?` and `[...]` within a
 * segment, no `**`, and no leading dot matched unless written. Symbolic links are never followed. What the
 * task left is hostile: names are bytes, directories are bounded.
 */

import { Buffer } from 'node:buffer';
import { constants, type Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { nameOf } from '../../src/storage/file-name.ts';
import { TaskFailure } from './task-failure.ts';

// limit: entries looked at for one pattern.
const ENTRIES_MAX = 1_000_000;

export interface OutputEntry {
  /** Relative to the output directory, as domain/paths spells names. */
  readonly path: string;
  /** The same on disk. */
  readonly bytes: Buffer;
}

/** Matches of `pattern`, by path. A pattern that leaves the directory matches nothing. */
export async function globOutput(root: string, pattern: string): Promise<OutputEntry[]> {
  const segments = pattern.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (pattern.startsWith('/') || segments.length === 0 || segments.includes('..')) return [];
  const budget = { left: ENTRIES_MAX };
  let folders: OutputEntry[] = [{ path: '', bytes: Buffer.from(root) }];
  for (const [index, segment] of segments.entries()) {
    const wanted = index === segments.length - 1 ? 'file' : 'directory';
    const found: OutputEntry[] = [];
    for (const folder of folders) found.push(...(await matchesIn(folder, segment, wanted, budget)));
    folders = found;
  }
  return folders.sort((one, other) => (one.path < other.path ? -1 : 1));
}

async function matchesIn(
  folder: OutputEntry,
  segment: string,
  wanted: 'file' | 'directory',
  budget: { left: number },
): Promise<OutputEntry[]> {
  const found: OutputEntry[] = [];
  const matches = segmentMatcher(segment);
  // Names as bytes: as text, two different ones could read the same.
  const directory = await opendir(folder.bytes, { encoding: 'buffer' as BufferEncoding });
  for await (const entry of directory as AsyncIterable<unknown> as AsyncIterable<Dirent<Buffer>>) {
    budget.left -= 1;
    if (budget.left < 0)
      throw new TaskFailure('invalid-results-manifest', 'the output directory has too many entries');
    const isWanted = wanted === 'file' ? entry.isFile() : entry.isDirectory();
    const name = nameOf(entry.name);
    if (!isWanted || !matches(name)) continue;
    found.push({
      path: folder.path === '' ? name : `${folder.path}/${name}`,
      bytes: Buffer.concat([folder.bytes, SLASH, entry.name]),
    });
  }
  return found;
}

const SLASH = Buffer.from('/');

/** Flags to open what the task left: never a link, never a pipe that blocks. */
export const OPEN_OUTPUT = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

type Step =
  | { readonly type: 'any' }
  | { readonly type: 'one'; readonly takes: (character: string) => boolean };

/**
 * Whether a name matches one segment of a pattern. Takes time in proportion to pattern x name, whatever they
 * are.
 */
export function segmentMatcher(segment: string): (name: string) => boolean {
  const steps = readSteps([...segment]);
  const isDotWritten = segment.startsWith('.');
  return (name) => (isDotWritten || !name.startsWith('.')) && matchSteps(steps, [...name]);
}

function readSteps(pattern: readonly string[]): Step[] {
  const steps: Step[] = [];
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern[index] as string;
    if (character === '*') {
      if (steps.at(-1)?.type !== 'any') steps.push({ type: 'any' });
    } else if (character === '?') steps.push({ type: 'one', takes: () => true });
    else {
      const set = character === '[' ? readSet(pattern, index) : undefined;
      steps.push({ type: 'one', takes: set?.takes ?? ((candidate) => candidate === character) });
      index = set?.end ?? index;
    }
  }
  return steps;
}

/** `[a-z_]`, `[!0-9]`; a `]` right after the opening stands for itself. undefined when it is not closed. */
function readSet(
  pattern: readonly string[],
  start: number,
): { takes: (character: string) => boolean; end: number } | undefined {
  const isNegated = pattern[start + 1] === '!' || pattern[start + 1] === '^';
  const first = start + (isNegated ? 2 : 1);
  const end = pattern.indexOf(']', first + 1);
  if (end < 0) return undefined;
  const ranges: [string, string][] = [];
  for (let index = first; index < end; index += 1) {
    const from = pattern[index] as string;
    const isRange = pattern[index + 1] === '-' && index + 2 < end;
    ranges.push([from, isRange ? (pattern[index + 2] as string) : from]);
    if (isRange) index += 2;
  }
  const takes = (character: string): boolean =>
    ranges.some(([from, to]) => character >= from && character <= to) !== isNegated;
  return { takes, end };
}

/** Walks both once; on a mismatch only the last `*` takes one character more, which is enough. */
function matchSteps(steps: readonly Step[], name: readonly string[]): boolean {
  let [at, step] = [0, 0];
  let retry: { at: number; step: number } | undefined;
  while (at < name.length) {
    const current = steps[step];
    if (current?.type === 'any') {
      retry = { at, step };
      step += 1;
    } else if (current?.type === 'one' && current.takes(name[at] as string)) {
      at += 1;
      step += 1;
    } else if (retry !== undefined) {
      retry.at += 1;
      at = retry.at;
      step = retry.step + 1;
    } else return false;
  }
  while (steps[step]?.type === 'any') step += 1;
  return step === steps.length;
}
