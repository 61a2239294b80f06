// Requests to cancel or requeue jobs remember who asked: canceled jobs say by whom.

export const name = '0042-askers';

// A coordinator of the version before writes null: nothing is said then.
export const isBreaking = false;

export const up: readonly string[] = [
  /* sql */ `
alter table job_request add column asker text;
create unique index job_request_position_key on job_request (position);
`,
];
