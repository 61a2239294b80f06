// Runs of diagnostics get their position from the sequence of the requests for many jobs, so that a request knows the
// runs that were answered before it: those may still make jobs that it means. A run of earlier times comes before all.

export const name = '0031-run-order';

// A coordinator of the version before inserts runs that get their position here.
export const isBreaking = false;

export const up: readonly string[] = [
  /* sql */ `
alter table diagnostic_run add column position bigint not null default 0;
alter table diagnostic_run alter column position set default nextval('job_request_position_seq');
create index diagnostic_run_position_idx on diagnostic_run (position);
create index diagnostic_run_unfinished_idx on diagnostic_run (position) where made_count < total;
`,
];
