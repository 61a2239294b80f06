/**
 * Finds the regular files below an output directory that match patterns: `*`, `?` and `[...]` within a segment, no
 * `**`, and a leading dot only if the pattern has it. Symbolic links are never followed. The files of a task are
 * untrusted: names are bytes, and the number of names that are examined and kept is limited.
 */
import type { FileFacts } from '../../src/storage/file-facts.ts';
import type { Folder } from '../../src/storage/folder.ts';
import { TaskFailure } from './task-failure.ts';

// limit: names that are compared with patterns, in total, for one execution.
const NAMES_MAX = 1_000_000;
// limit: output files of one execution, in all of its outputs.
const OUTPUT_FILES_MAX = 10_000;
// limit: bytes of their paths; the report must fit in one message.
const PATHS_BYTES_MAX = 4 * 1024 * 1024;

export interface FoundOutputs {
  /** For each pattern the paths of its files, ascending, as domain/paths spells names. */
  readonly paths: readonly (readonly string[])[];
  /** Matching files that `isOwn` has refused. */
  readonly refusedCount: number;
}

/**
 * Each directory is read once, whatever the number of patterns. A pattern that leaves the directory matches nothing.
 * Files whose path `isWanted` refuses are skipped. Throws TaskFailure `invalid-results-manifest` if there is too much.
 */
export async function findOutputs(
  output: Folder,
  patterns: readonly string[],
  isOwn: (facts: FileFacts) => boolean = () => true,
  isWanted: (path: string) => boolean = () => true,
): Promise<FoundOutputs> {
  const search = new Search(patterns.length, isOwn, isWanted);
  const wanted = patterns.flatMap((pattern, index): Wanted[] => {
    const segments = pattern.split('/').filter((segment) => segment !== '' && segment !== '.');
    if (pattern.startsWith('/') || segments.length === 0 || segments.includes('..')) return [];
    return [{ index, segments: segments.map(segmentMatcher) }];
  });
  await search.look(output, '', wanted, 0);
  // Sorted, because a directory lists them in no order. They are so few that this takes some milliseconds.
  for (const paths of search.paths) paths.sort();
  return search;
}

interface Wanted {
  /** The index of the pattern. */
  readonly index: number;
  readonly segments: readonly ((name: string) => boolean)[];
}

class Search implements FoundOutputs {
  readonly paths: string[][];
  refusedCount = 0;
  readonly #isOwn: (facts: FileFacts) => boolean;
  readonly #isWanted: (path: string) => boolean;
  #namesLeft = NAMES_MAX;
  #filesLeft = OUTPUT_FILES_MAX;
  #bytesLeft = PATHS_BYTES_MAX;

  constructor(
    patternCount: number,
    isOwn: (facts: FileFacts) => boolean,
    isWanted: (path: string) => boolean,
  ) {
    this.paths = Array.from({ length: patternCount }, () => []);
    this.#isOwn = isOwn;
    this.#isWanted = isWanted;
  }

  /** `depth`: the number of segments of this directory's path, which is `prefix`. */
  async look(folder: Folder, prefix: string, wanted: readonly Wanted[], depth: number): Promise<void> {
    if (wanted.length === 0) return;
    for await (const { name, kind } of folder.names()) {
      this.#namesLeft -= wanted.length;
      if (this.#namesLeft < 0) throw tooMuch(`more than ${NAMES_MAX} names to compare with patterns`);
      const matching = wanted.filter(({ segments }) => segments[depth]?.(name));
      if (matching.length === 0 || kind === 'other') continue;
      const isFile = ({ segments }: Wanted): boolean => segments.length === depth + 1;
      const files = matching.filter(isFile);
      if (files.length > 0 && kind !== 'directory') await this.#take(folder, name, `${prefix}${name}`, files);
      if (files.length === matching.length || kind === 'file') continue;
      const below = matching.filter((one) => !isFile(one));
      await this.#lookBelow(folder, name, `${prefix}${name}/`, below, depth + 1);
    }
  }

  async #lookBelow(
    folder: Folder,
    name: string,
    prefix: string,
    wanted: readonly Wanted[],
    depth: number,
  ): Promise<void> {
    if ((await folder.facts(name))?.kind !== 'directory') return;
    const inner = await folder.enter(name);
    await this.look(inner, prefix, wanted, depth).finally(() => inner.close());
  }

  async #take(folder: Folder, name: string, path: string, matching: readonly Wanted[]): Promise<void> {
    if (!this.#isWanted(path)) return;
    const facts = await folder.facts(name);
    if (facts?.kind !== 'file') return;
    if (!this.#isOwn(facts)) {
      this.refusedCount += 1;
      return;
    }
    this.#filesLeft -= matching.length;
    if (this.#filesLeft < 0) throw tooMuch(`more than ${OUTPUT_FILES_MAX} output files`);
    this.#bytesLeft -= Buffer.byteLength(path) * matching.length;
    if (this.#bytesLeft < 0) throw tooMuch(`paths of more than ${PATHS_BYTES_MAX} bytes`);
    for (const { index } of matching) this.paths[index]?.push(path);
  }
}

function tooMuch(what: string): TaskFailure {
  return new TaskFailure('invalid-results-manifest', `the output directory has ${what}`);
}

type Step =
  | { readonly type: 'any' }
  | { readonly type: 'one'; readonly takes: (character: string) => boolean };

/** Whether a name matches one segment of a pattern. Takes time in proportion to pattern x name. */
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

/** `[a-z_]`, `[!0-9]`; a `]` right after the opening is literal. undefined if it is not closed. */
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

/** Walks both once; on a mismatch only the last `*` takes one more character, which is sufficient. */
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
