// Which files of a purge an agent was asked to remove: one that is gone when it is asked for again was removed then, and
// the receipt counts it so, whoever was killed before the answer came. Not breaking.

export const name = '0021-purge-asked';

export const isBreaking = false;

/** Statements of this migration, in order. */
export const up: readonly string[] = [
  /* sql */ `
alter table purge_file add column was_asked boolean not null default false;
`,
];
