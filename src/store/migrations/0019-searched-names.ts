// Indexes for what people search lists by: a part of the name, title or description.

export const name = '0019-searched-names';

export const isBreaking = false;

const SEARCHED = {
  strike: ['name', 'title', 'description'],
  workspace: ['name', 'title', 'description'],
  batch: ['title', 'description'],
  dataset: ['title', 'description'],
} as const;

export const up: readonly string[] = Object.entries(SEARCHED).map(
  ([table, columns]) =>
    `create index ${table}_part_idx on ${table} using gin (${columns.map((one) => `${one} gin_trgm_ops`).join(', ')})`,
);
