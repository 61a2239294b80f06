// Requeued jobs may take the newest revision of their job type; their earlier executions keep the one that they ran.

export const name = '0041-newest-revisions';

// A coordinator of the version before requeues with the revision that jobs have.
export const isBreaking = false;

export const up: readonly string[] = [
  /* sql */ `
alter table job_request add column revision text check (revision in ('newest'));
-- Null: the revision of the job.
alter table job_exe add column job_type_rev_id bigint references job_type_rev (id);
`,
];
