// Records that clients of the public system made under /api/ with the word of the documents for object stores: they read
// that word back there. Not breaking: an older coordinator does not know of it.

export const name = '0011-client-spellings';

export const isBreaking = false;

/** Statements of this migration, in order. */
export const up: readonly string[] = [
  /* sql */ `
create table client_spelling (
  kind varchar(20) not null check (kind in ('workspace', 'strike', 'scan')),
  record_id bigint not null,
  primary key (kind, record_id)
);
`,
];
