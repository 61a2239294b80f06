// Deletions that have hidden a record and may still remove it: another coordinator finishes them after a kill.
// Files that vanished before they were complete are found by their path.

export const name = '0009-deletions-under-way';

/**
 * A coordinator of the previous schema removes the records that it has hidden, or leaves them hidden if it is killed.
 */
export const isBreaking = false;

export const up: readonly string[] = [
  /* sql */ `
create table deletion_under_way (
  kind text not null,
  record_id bigint not null,
  begun timestamptz not null,
  primary key (kind, record_id)
)`,
  /* sql */ `
create index ingest_vanished_idx on ingest (strike_id, file_path, id) where (arrival is null and status = 'ERRORED')`,
];
