// What executions used, the image that they ran, and how much of their output was cut off.

export const name = '0005-used-resources';

/** Coordinators of the previous schema leave these columns empty. */
export const isBreaking = false;

export const up: readonly string[] = [
  /* sql */ `
alter table job_exe add column used jsonb, add column image_digest text, add column log_cut jsonb;
create index job_exe_used_idx on job_exe (job_type_id, ended) where (used is not null);
`,
];
