// What coordinators warn of, and since when: each of them tells it, also of the others, and goes on with it after a restart.

export const name = '0038-coordinator-warnings';

// A coordinator of the version before tells of itself only, from memory.
export const isBreaking = false;

export const up: readonly string[] = [
  /* sql */ `
create table coordinator_warning (
  place text not null,
  name text not null,
  coordinator_id text not null,
  reason text not null,
  started timestamptz not null,
  seen timestamptz not null,
  primary key (place, name)
);
`,
];
