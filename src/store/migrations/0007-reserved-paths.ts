// Paths in workspaces that are reserved for products which keep their own names, and the job of each.

export const name = '0007-reserved-paths';

/**
 * A coordinator of the previous schema stores products only at paths that name their execution, which need no
 * reservation.
 */
export const isBreaking = false;

export const up: readonly string[] = [
  /* sql */ `
create table reserved_path (
  workspace_id bigint not null references workspace (id) on delete cascade,
  file_path varchar(1000) not null,
  job_id bigint not null,
  job_exe_id bigint not null,
  -- tells the file of the execution from any other at the path
  proof text not null,
  file_size bigint not null,
  sha256 text not null,
  reserved timestamptz not null,
  primary key (workspace_id, file_path)
) with (autovacuum_vacuum_threshold=1000, autovacuum_analyze_threshold=1000)`,
  /* sql */ `create index reserved_path_job_idx on reserved_path (job_id)`,
];
