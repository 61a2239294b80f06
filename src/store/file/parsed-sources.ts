/**
 * Source files that jobs described: the files, their ingests, and the values that those jobs and their recipes inherit.
 * Other jobs and recipes keep the values that they had when they began.
 */
import type { ParsedSource } from '../../domain/file/parsed-source.ts';
import { countIngests, ingestColumns } from '../metrics/hour-totals.ts';
import type { Group } from '../sql/group.ts';
import { guarded } from '../sql/guard-sql.ts';
import type { Sql } from '../sql/sql.ts';
import { rowsOf } from '../sql/table-rows.ts';
import { FileEntity } from './table.ts';

const PARSED = rowsOf(FileEntity).from<ParsedSource>(
  {
    id: (row) => row.fileId,
    dataStarted: (row) => row.dataStartedMs,
    dataEnded: (row) => row.dataEndedMs,
    sourceSensorClass: (row) => row.sensorClass,
    sourceSensor: (row) => row.sensor,
    sourceCollection: (row) => row.collection,
    sourceTask: (row) => row.task,
    metaData: (row) => row.metadata,
    geometry: (row) => row.footprint?.geometry ?? null,
    centerPoint: (row) => row.footprint?.centerPoint ?? null,
    countries: (row) => row.footprint?.countries ?? null,
  },
  [
    ['tags', 'texts', (row) => row.tags],
    ['at', 'ms', (row) => row.atMs],
  ],
);

/** Tags keep their order, new ones come last. */
const UPDATE_FILES = {
  name: 'parse_sources',
  text: /* sql */ `
    update file f set is_parsed = true, parsed = d.at, last_modified = d.at,
      data_started = d.data_started, data_ended = d.data_ended,
      source_started = d.data_started, source_ended = d.data_ended,
      source_sensor_class = coalesce(d.source_sensor_class, f.source_sensor_class),
      source_sensor = coalesce(d.source_sensor, f.source_sensor),
      source_collection = coalesce(d.source_collection, f.source_collection),
      source_task = coalesce(d.source_task, f.source_task),
      data_type_tags = f.data_type_tags
        || array(select tag from unnest(d.tags) tag where tag <> all(f.data_type_tags)),
      meta_data = d.meta_data,
      geometry = coalesce(d.geometry, f.geometry),
      center_point = coalesce(d.center_point, f.center_point),
      countries = coalesce(d.countries, f.countries)
    from ${PARSED.table('d')}
    where f.id = d.id and ${guarded('f.file_type')} = 'SOURCE'   -- = file_pkey`,
};

/** The counters are by the hour of the data: an ingest whose data time changes moves to another hour. */
const UPDATE_INGESTS = {
  name: 'parse_ingests',
  text: /* sql */ `
    with d as materialized (select * from ${PARSED.table('d')}),
    was as materialized (
      select i.* from d join ingest i on i.source_file_id = d.id   -- = ingest_source_file_idx
      order by i.id for no key update of i),
    became as (
      update ingest i set data_started = d.data_started, data_ended = d.data_ended,
        last_modified = greatest(i.last_modified, d.at)
      from was join d on d.id = was.source_file_id
      where i.id = was.id   -- = ingest_pkey
      returning i.*)
    ${countIngests(`select ${ingestColumns('was', -1)} from was
      union all select ${ingestColumns('became', 1)} from became`)}`,
};

interface Heir {
  readonly id: number;
  readonly atMs: number;
}

const HEIRS = rowsOf(FileEntity).from<Heir>(
  {
    id: (row) => row.id,
  },
  [['at', 'ms', (row) => row.atMs]],
);

/** Computes the origin of a job's or recipe's input again from all its files. */
function inheritSource(table: 'job' | 'recipe') {
  return {
    name: `inherit_source_${table}`,
    text: /* sql */ `
      update ${table} t set source_started = s.started, source_ended = s.ended,
        source_sensor_class = s.sensor_class, source_sensor = s.sensor, source_collection = s.collection,
        source_task = s.task, last_modified = greatest(t.last_modified, s.at)
      from (
        select d.id, d.at, min(f.source_started) as started, max(f.source_ended) as ended,
          max(f.source_sensor_class) as sensor_class, max(f.source_sensor) as sensor,
          max(f.source_collection) as collection, max(f.source_task) as task
        from ${HEIRS.table('d')}
          join ${table}_input_file link on link.${table}_id = d.id   -- = ${table}_input_file_pkey
          join file f on f.id = link.file_id
        group by d.id, d.at
      ) as s
      where t.id = s.id   -- = ${table}_pkey`,
  };
}

const INHERIT_JOBS = inheritSource('job');
const INHERIT_RECIPES = inheritSource('recipe');

/**
 * Saves the parsed sources of one group, whose jobs and files are already written. Reports of several turns about one
 * file are merged; the last one wins.
 */
export async function parseSources(sql: Sql, group: Group): Promise<void> {
  const sources = group.items('parseSources', (change) => change.sources);
  if (sources.length === 0) return;
  const byFile = new Map<number, ParsedSource>();
  const jobs = new Map<number, Heir>();
  const recipes = new Map<number, Heir>();
  for (const one of sources) {
    const before = byFile.get(one.fileId);
    byFile.set(one.fileId, before === undefined ? one : later(before, one));
    jobs.set(one.jobId, { id: one.jobId, atMs: one.atMs });
    for (const id of one.recipeIds) recipes.set(id, { id, atMs: one.atMs });
  }
  const params = PARSED.params([...byFile.values()].sort((a, b) => a.fileId - b.fileId));
  await sql.execute(UPDATE_FILES, params);
  await sql.execute(UPDATE_INGESTS, params);
  await sql.execute(INHERIT_JOBS, HEIRS.params([...jobs.values()]));
  if (recipes.size > 0) await sql.execute(INHERIT_RECIPES, HEIRS.params([...recipes.values()]));
}

function later(before: ParsedSource, after: ParsedSource): ParsedSource {
  return {
    ...after,
    sensorClass: after.sensorClass ?? before.sensorClass,
    sensor: after.sensor ?? before.sensor,
    collection: after.collection ?? before.collection,
    task: after.task ?? before.task,
    tags: [...new Set([...before.tags, ...after.tags])],
    footprint: after.footprint ?? before.footprint,
  };
}
