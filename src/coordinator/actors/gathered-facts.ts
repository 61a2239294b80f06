/**
 * Reads facts about files for many recipes at a time: reads that are requested in the same turn of the event loop share
 * a statement. Without this, one of the 2.4 statements for a file and its recipe was this read (at 500 files/s).
 */
import type { FileFacts } from '../../domain/filter/filter-evaluate.ts';
import type { ReadFileFacts } from './conditions.ts';

type Facts = ReadonlyMap<number, FileFacts>;

interface Question {
  readonly fileIds: readonly number[];
  readonly resolve: (facts: Facts) => void;
  readonly reject: (error: unknown) => void;
}

// limit: files of several reads in one statement. A read with more files has its own statement.
const FILES_MAX = 100;

/** Results may contain more files than were requested. A read fails only if reading its own files fails. */
export function gatheredFacts(read: ReadFileFacts): ReadFileFacts {
  let waiting: Question[] = [];
  const ask = (): void => {
    const questions = waiting;
    waiting = [];
    for (const group of groupsOf(questions)) void answer(group, read);
  };
  return (fileIds) =>
    new Promise<Facts>((resolve, reject) => {
      if (waiting.length === 0) queueMicrotask(ask);
      waiting.push({ fileIds, resolve, reject });
    });
}

function groupsOf(questions: readonly Question[]): readonly (readonly Question[])[] {
  const groups: Question[][] = [];
  let count = Number.POSITIVE_INFINITY;
  for (const question of questions) {
    count += question.fileIds.length;
    if (count > FILES_MAX) {
      groups.push([]);
      count = question.fileIds.length;
    }
    groups.at(-1)?.push(question);
  }
  return groups;
}

/** Never rejects. */
async function answer(group: readonly Question[], read: ReadFileFacts): Promise<void> {
  try {
    const facts = await read([...new Set(group.flatMap(({ fileIds }) => fileIds))]);
    for (const { resolve } of group) resolve(facts);
  } catch (error) {
    const [first] = group;
    if (group.length === 1) first?.reject(error);
    else for (const question of group) void answer([question], read);
  }
}
