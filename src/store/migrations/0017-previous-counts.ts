// What the run of a scan before its last one counted, so that both can be compared.

export const name = '0017-previous-counts';

/** A column that may be null: coordinators of the previous schema do not write it. */
export const isBreaking = false;

export const up: readonly string[] = [
  // null: no run was completed before the last one
  /* sql */ `alter table scan add column previous_counts jsonb`,
];
