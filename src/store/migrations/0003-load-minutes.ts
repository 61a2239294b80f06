// Live jobs by type and minute, for a day: a row a minute, so that there are never more than 1,500.

export const name = '0003-load-minutes';

/** Coordinators of the previous schema take no such samples, and nothing else changes. */
export const isBreaking = false;

export const up: readonly string[] = [
  /* sql */ `
create table load_minute (
  minute timestamptz primary key,
  measured timestamptz not null,
  live jsonb not null
);
create index load_minute_measured_idx on load_minute (measured, minute);
`,
];
