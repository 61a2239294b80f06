// Names of files are as long as file systems allow, 255 bytes: one that was a little longer than a column made its
// whole page of a listing, or its strike's whole batch, impossible to store. Nothing is rewritten. Not breaking.

export const name = '0017-file-names';

export const isBreaking = false;

/** Statements of this migration, in order. */
export const up: readonly string[] = [
  /* sql */ `
alter table file alter column file_name type varchar(255);
alter table ingest alter column file_name type varchar(255);
alter table purge alter column file_name type varchar(255);
`,
];
