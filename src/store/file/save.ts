/** Stored files of a group: sources, products with their ancestry, and those that newer content supersedes. */
import { AppError } from '../../domain/errors.ts';
import type { NewProduct, NewSourceFile } from '../../domain/file/file.ts';
import { holdMentioned } from '../deletion/kinds.ts';
import type { Group } from '../sql/group.ts';
import type { Sql } from '../sql/sql.ts';
import { constraintOf } from '../sql/store-errors.ts';
import { rowsOf } from '../sql/table-rows.ts';
import { UniformRows } from '../sql/uniform-rows.ts';
import { FileAncestryEntity, FileEntity } from './table.ts';

interface Superseded {
  readonly fileId: number;
  readonly atMs: number;
}

const SUPERSEDED = rowsOf(FileEntity).from<Superseded>(
  {
    id: (row) => row.fileId,
  },
  [['at', 'ms', (row) => row.atMs]],
);

const SUPERSEDE_FILES = {
  name: 'supersede_files',
  text: /* sql */ `
    update file f set is_superseded = true, superseded = d.at, last_modified = d.at
    from ${SUPERSEDED.table('d')}
    where f.id = d.id and not f.is_superseded   -- = file_pkey`,
};

interface NewSource {
  readonly file: NewSourceFile;
  /** Newer content of the same group replaces it. */
  readonly supersededMs: number | null;
}

const SOURCES = rowsOf(FileEntity).from<NewSource>(
  {
    id: ({ file }) => file.id,
    uuid: ({ file }) => file.uuid,
    fileName: ({ file }) => file.fileName,
    mediaType: ({ file }) => file.mediaType,
    fileSize: ({ file }) => file.size,
    sha256: ({ file }) => file.sha256,
    dataTypeTags: ({ file }) => file.tags,
    workspaceId: ({ file }) => file.workspaceId,
    filePath: ({ file }) => file.filePath,
    superseded: (row) => row.supersededMs,
  },
  [['at', 'ms', ({ file }) => file.atMs]],
);

const INSERT_SOURCES = new UniformRows(
  'insert_sources',
  SOURCES,
  ['id', 'uuid', 'file_name', 'file_size', 'sha256', 'file_path'],
  (table) => /* sql */ `
    insert into file (id, uuid, file_type, file_name, media_type, file_size, sha256, data_type_tags,
      workspace_id, file_path, is_superseded, superseded, created, last_modified)
    select d.id, d.uuid::uuid, 'SOURCE', d.file_name, d.media_type, d.file_size, d.sha256, d.data_type_tags,
      d.workspace_id, d.file_path, d.superseded is not null, d.superseded, d.at, d.at
    from ${table}`,
);

/** Inserts the group's sources. `file_path_key` refuses a path that another current file has. */
export async function writeSources(sql: Sql, group: Group): Promise<void> {
  const superseded = new Map<number, Superseded>();
  for (const one of group.items('supersedeFiles', (change) => change.files)) superseded.set(one.fileId, one);
  const files = group.items('createSourceFiles', (change) => change.files);
  const rows = files.map((file): NewSource => {
    const supersededMs = superseded.get(file.id)?.atMs ?? null;
    superseded.delete(file.id);
    return { file, supersededMs };
  });
  if (superseded.size > 0) await sql.execute(SUPERSEDE_FILES, SUPERSEDED.params([...superseded.values()]));
  await INSERT_SOURCES.execute(sql, rows);
}

/**
 * Records one source, which no ingest has brought. Throws CONFLICT if another current file has its path, or if the
 * workspace is deleted.
 */
export async function recordSource(sql: Sql, file: NewSourceFile): Promise<void> {
  try {
    await sql.transaction(async (tx) => {
      await holdMentioned(tx, { workspaceIds: [file.workspaceId] });
      await INSERT_SOURCES.execute(tx, [{ file, supersededMs: null }]);
    });
  } catch (error) {
    if (constraintOf(error) !== 'file_path_key') throw error;
    throw new AppError('CONFLICT', `another request has just recorded a file at '${file.filePath}'`);
  }
}

const PRODUCTS = rowsOf(FileEntity).from<NewProduct>(
  {
    id: (row) => row.id,
    uuid: (row) => row.uuid,
    fileName: (row) => row.fileName,
    mediaType: (row) => row.mediaType,
    fileSize: (row) => row.size,
    sha256: (row) => row.sha256,
    filePath: (row) => row.filePath,
    jobId: (row) => row.jobId,
    jobExeId: (row) => row.executionId,
    jobTypeId: (row) => row.jobTypeId,
    jobOutput: (row) => row.jobOutput,
    recipeId: (row) => row.recipeId,
    recipeNode: (row) => row.recipeNode,
    recipeTypeId: (row) => row.recipeTypeId,
    batchId: (row) => row.batchId,
    metaData: (row) => row.metadata,
    geometry: (row) => row.footprint?.geometry ?? null,
    centerPoint: (row) => row.footprint?.centerPoint ?? null,
    countries: (row) => row.footprint?.countries ?? [],
    dataStarted: (row) => row.dataStartedMs,
    dataEnded: (row) => row.dataEndedMs,
    sourceStarted: (row) => row.sourceStartedMs,
    sourceEnded: (row) => row.sourceEndedMs,
    sourceSensorClass: (row) => row.sourceSensorClass,
    sourceSensor: (row) => row.sourceSensor,
    sourceCollection: (row) => row.sourceCollection,
    sourceTask: (row) => row.sourceTask,
  },
  [
    ['workspace_uuid', 'text', (row) => row.workspaceUuid],
    ['at', 'ms', (row) => row.atMs],
  ],
);

const COPIED = `uuid, file_name, media_type, file_size, sha256, file_path, job_id, job_exe_id, job_type_id,
  job_output, recipe_id, recipe_node, recipe_type_id, batch_id, meta_data, geometry, center_point,
  countries, data_started, data_ended, source_started, source_ended, source_sensor_class, source_sensor,
  source_collection, source_task`;

const FROM_ROWS = COPIED.replaceAll(/\w+/g, 'd.$&').replace('d.uuid', 'd.uuid::uuid');

/**
 * Inserts products, published as their type is. A product with an unknown workspace is left out, which the row count
 * shows.
 */
const INSERT_PRODUCTS = {
  name: 'insert_products',
  text: /* sql */ `
    insert into file (id, file_type, workspace_id, is_published, created, last_modified, ${COPIED})
    select d.id, 'PRODUCT', w.id, type.is_published, d.at, d.at, ${FROM_ROWS}
    from ${PRODUCTS.table('d')}
    join job_type as type on type.id = d.job_type_id
    join workspace w on w.uuid = d.workspace_uuid::uuid   -- = job_type_pkey, workspace_uuid_key
    returning id`,
};

interface Successor {
  readonly product: NewProduct;
  /** Products with its uuid that come after it in the group: it does not supersede these. */
  readonly laterIds: readonly number[];
}

const SUCCESSORS = rowsOf(FileEntity).from<Successor>(
  {
    id: ({ product }) => product.id,
    uuid: ({ product }) => product.uuid,
    jobId: ({ product }) => product.jobId,
  },
  [
    ['later_ids', 'ids', (row) => row.laterIds],
    ['at', 'ms', ({ product }) => product.atMs],
  ],
);

/** The names of the nodes that lead to a job of a recipe; they are equal in recipes that replace each other. */
function nodePath(job: string): string {
  return /* sql */ `(
    with recursive up (parent_id, path) as (
      select r.parent_id, array[r.parent_node, ${job}.recipe_node]::text[] from recipe r where r.id = ${job}.recipe_id
      union all
      select r.parent_id, r.parent_node::text || up.path from up join recipe r on r.id = up.parent_id
    ) select path from up where parent_id is null)`;
}

/**
 * Two nodes of one recipe may make the same product: each supersedes only its own. Jobs of a recipe, its sub-recipes
 * and the recipes that it superseded have one owner.
 *
 * Predecessors are looked up for one product at a time (lateral): a join of both sets compared many products of one
 * execution with each other.
 *
 * The statement has no name, so that its query plan is not kept: one made while there are few products would scan all
 * of them. It uses file_uuid_idx once the table has statistics, or many rows.
 */
const PREDECESSORS = /* sql */ `
  select f.id, max(d.at) as "atMs"
  from ${SUCCESSORS.table('d')}
  cross join lateral (
    select f.id, f.job_id from file f
    where f.uuid = d.uuid::uuid and f.file_type = 'PRODUCT' and not f.is_superseded
    offset 0) as f
  cross join lateral (select * from job j where j.id = d.job_id offset 0) as maker   -- = job_pkey
  cross join lateral (select * from job j where j.id = f.job_id offset 0) as made   -- = job_pkey
  where f.id <> d.id and f.id <> all(d.later_ids) and case
    when made.id = maker.id or made.owner_kind <> 'recipe' then true
    when made.owner_kind <> maker.owner_kind or made.owner_key <> maker.owner_key then true
    else ${nodePath('made')} = ${nodePath('maker')} end
  group by f.id`;

interface Predecessor {
  readonly id: number;
  readonly atMs: number;
}

const PREDECESSOR_ROWS = rowsOf(FileEntity).from<Predecessor>({ id: (row) => row.id }, [
  ['at', 'ms', (row) => row.atMs],
]);

const SUPERSEDE = {
  name: 'supersede_products',
  isKeyed: true,
  text: /* sql */ `
    update file f set is_superseded = true, superseded = d.at, is_published = false, last_modified = d.at
    from ${PREDECESSOR_ROWS.table('d')}
    where f.id = d.id and not f.is_superseded   -- = file_pkey`,
};

async function supersede(sql: Sql, products: readonly NewProduct[]): Promise<void> {
  const found = await sql.execute<Predecessor>(PREDECESSORS, SUCCESSORS.params(successorsOf(products)));
  if (found.length > 0) await sql.execute(SUPERSEDE, PREDECESSOR_ROWS.params(found));
}

function successorsOf(products: readonly NewProduct[]): Successor[] {
  const byUuid = Map.groupBy(products, ({ uuid }) => uuid);
  return [...byUuid.values()].flatMap((same) => {
    const ids = same.map(({ id }) => id);
    return same.map((product, place): Successor => ({ product, laterIds: ids.slice(place + 1) }));
  });
}

interface Descent {
  readonly product: NewProduct;
  readonly inputFileId: number;
}

const DESCENTS = rowsOf(FileAncestryEntity).from<Descent>({
  descendantId: ({ product }) => product.id,
  ancestorId: (row) => row.inputFileId,
  jobId: ({ product }) => product.jobId,
  jobExeId: ({ product }) => product.executionId,
  recipeId: ({ product }) => product.recipeId,
  batchId: ({ product }) => product.batchId,
});

/** The inputs themselves and their ancestors; a file that is both is direct. */
const INSERT_ANCESTRY = {
  name: 'insert_ancestry',
  text: /* sql */ `
    with d as materialized (select * from ${DESCENTS.table('d')})
    insert into file_ancestry (descendant_id, ancestor_id, is_direct, job_id, job_exe_id, recipe_id, batch_id)
    select descendant_id, ancestor_id, bool_or(is_direct), min(job_id), min(job_exe_id), min(recipe_id),
      min(batch_id)
    from (
      select d.descendant_id, d.ancestor_id, true as is_direct, d.job_id, d.job_exe_id, d.recipe_id,
        d.batch_id
      from d
      union all
      select d.descendant_id, a.ancestor_id, false, d.job_id, d.job_exe_id, d.recipe_id, d.batch_id
      from d join file_ancestry a on a.descendant_id = d.ancestor_id   -- = file_ancestry_pkey
    ) as lines
    group by descendant_id, ancestor_id`,
};

/**
 * Writes the products of the group. Their jobs and executions are already written. Earlier products with the same uuid
 * are superseded, except those of other nodes of the same recipe.
 */
export async function writeProducts(sql: Sql, group: Group): Promise<void> {
  const placed = group.placed('createProducts');
  const products = placed.flatMap(({ change }) => change.products);
  if (products.length === 0) return;
  const rows = await sql.execute<{ id: number }>(INSERT_PRODUCTS, PRODUCTS.params(products));
  if (rows.length < products.length) {
    const written = new Set(rows.map((row) => row.id));
    for (const { change, turn } of placed) {
      if (change.products.some(({ id }) => !written.has(id)))
        group.refuse(turn, 'createProducts: no such workspace');
    }
    group.throwIfRefused();
  }
  await supersede(sql, products);
  const descents = products.flatMap((product) =>
    [...new Set(product.inputFileIds)].map((inputFileId): Descent => ({ product, inputFileId })),
  );
  if (descents.length > 0) await sql.execute(INSERT_ANCESTRY, DESCENTS.params(descents));
}
