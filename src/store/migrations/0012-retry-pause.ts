// A job that is tried again after a failure of the system waits a little first: from when on it may be placed. Not
// breaking: an older coordinator places it at once.

export const name = '0012-retry-pause';

export const isBreaking = false;

/** Statements of this migration, in order. */
export const up: readonly string[] = [
  /* sql */ `
alter table job add column not_before timestamptz;
`,
];
