/** Shared by commands that list records: repeatable options, numbers, and the limit of shown records. */
import type { RecordList } from '../../client/list.ts';
import type { Context } from './context.ts';
import { UsageError } from './exit-codes.ts';

/** For a repeatable option. */
export function list(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

export function integer(option: string, text: string, least: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least)) throw new UsageError(`${option} '${text}': expected a whole number from ${least}`);
  return value;
}

/** The first `limit` records, with a note if there are more. */
export async function limited<T>(context: Context, all: RecordList<T>, limit: number): Promise<T[]> {
  const records: T[] = [];
  for await (const record of all) {
    records.push(record);
    if (records.length >= limit) break;
  }
  const { count = 0 } = all;
  if (count > records.length) context.note(`${records.length} of ${count} are shown: --limit shows more`);
  return records;
}
