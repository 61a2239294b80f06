// Jobs and executions say why they failed, and classes of jobs why no node could ever run them.

export const name = '0037-reasons';

// A coordinator of the version before writes and reads none of these.
export const isBreaking = false;

export const up: readonly string[] = [
  /* sql */ `
alter table job add column reason text;
alter table job_exe add column reason text;
alter table scheduling_class add column unmet text;
`,
];
