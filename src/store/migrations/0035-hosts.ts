// What a host is in all, and what its agent does for it, beside what it offers: the status document tells of it.

export const name = '0035-hosts';

// A coordinator of the version before leaves the column alone.
export const isBreaking = false;

export const up: readonly string[] = [
  /* sql */ `
alter table node add column host jsonb;
`,
];
