// Since when a job type has needed what no node has: a warning tells it, the same from every coordinator.

export const name = '0036-unmet-since';

export const isBreaking = false;

export const up: readonly string[] = [
  /* sql */ `
-- Counts while unmet_resources is set. Null: a coordinator of the version before has set it.
alter table job_type add column unmet_since timestamptz;
update job_type set unmet_since = now() where unmet_resources is not null;
`,
];
