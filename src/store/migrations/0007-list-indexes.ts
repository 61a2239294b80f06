// An index for every filter of a list over a table that grows, so that a page and its count read what they show and
// no more. Partial where most rows have nothing to be found by: those cost an index nothing. Ingests are found by part
// of their names only once they are at rest: until then each step would cost another entry, and the live ones are few.

export const name = '0007-list-indexes';

export const isBreaking = false;

/** Indexes over where the data of files, jobs and recipes came from, each with the default order of lists. */
function sources(table: 'file' | 'job' | 'recipe'): string {
  const texts = ['source_sensor_class', 'source_sensor', 'source_collection', 'source_task'];
  const byText = texts.map(
    (column) => `create index ${table}_${column}_idx on ${table} (${column}, last_modified, id)
      where ${column} is not null;`,
  );
  return [
    `create index ${table}_source_started_idx on ${table} (source_started, source_ended)
      where source_started is not null;`,
    `create index ${table}_source_ended_idx on ${table} (source_ended) where source_ended is not null;`,
    ...byText,
  ].join('\n');
}

const FILES = /* sql */ `
create index file_data_started_idx on file (data_started, data_ended) where data_started is not null;
create index file_data_ended_idx on file (data_ended) where data_ended is not null;
create index file_created_idx on file (created, id);
create index file_media_type_idx on file (media_type, last_modified, id);
create index file_type_idx on file (file_type, last_modified, id);
create index file_job_output_idx on file (job_output, last_modified, id) where job_output is not null;
create index file_recipe_node_idx on file (recipe_node, last_modified, id) where recipe_node is not null;
create index file_recipe_type_idx on file (recipe_type_id, last_modified, id) where recipe_type_id is not null;
create index file_batch_idx on file (batch_id, last_modified, id) where batch_id is not null;
create index file_countries_idx on file using gin (countries);
create index file_name_part_idx on file using gin (file_name gin_trgm_ops);
`;

const INGESTS = /* sql */ `
create index ingest_name_part_idx on ingest using gin (file_name gin_trgm_ops)
  where status in ('DEFERRED', 'INGESTED', 'ERRORED', 'DUPLICATE');
create index ingest_unfinished_idx on ingest (id) where status in ('TRANSFERRING', 'TRANSFERRED', 'INGESTING');
`;

const JOBS = /* sql */ `
create index job_error_idx on job (error_id, last_modified, id) where error_id is not null;
create index job_is_superseded_idx on job (last_modified, id) where is_superseded;
create index recipe_is_superseded_idx on recipe (last_modified, id) where is_superseded;
create index recipe_open_idx on recipe (last_modified, id) where not is_completed;
`;

export const up: readonly string[] = [
  'create extension if not exists pg_trgm;',
  FILES,
  INGESTS,
  JOBS,
  sources('file'),
  sources('job'),
  sources('recipe'),
];
