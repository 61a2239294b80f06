// Whether the agent of a node lets launches wait for room, so that it may be sent a little more work than fits.

export const name = '0021-work-ahead';

/** A coordinator of the previous schema does not write the column, and sends no work ahead. */
export const isBreaking = false;

export const up: readonly string[] = [
  /* sql */ `alter table node add column takes_work_ahead boolean not null default false`,
];
