// When the first of the rows that are counted was last modified, for counters by spans of instants: their differences.

export const name = '0024-first-modified';

export const isBreaking = false;

/** Alone: lists read the counters and their differences, and folding writes to both in the other order. */
export const up: readonly string[] = ['alter table list_count_delta add column least timestamptz'];
