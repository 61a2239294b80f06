// How long the leases of a coordinator last, so that others can tell an expiry that the database's clock made impossible by
// stepping back. Null for coordinators of the version before, whose leases are taken to last as long as any may. Not
// breaking: the old statements name their columns.

export const name = '0027-lease-durations';

export const isBreaking = false;

export const up: readonly string[] = [
  /* sql */ `
alter table coordinator add column lease_ms int;
`,
];
