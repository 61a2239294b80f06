// Runs of scans that were asked for while something of the scan was under way.

export const name = '0033-waiting-scans';

// A coordinator of the version before starts none of them; they wait for one of this version.
export const isBreaking = false;

export const up: readonly string[] = [
  /* sql */ `
-- A dry run and an ingest at most, in the order in which they were asked for.
alter table scan add column waiting jsonb not null default '[]';
`,
];
