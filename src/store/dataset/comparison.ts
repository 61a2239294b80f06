/** Compares a dataset with the one before it: the newest earlier dataset with the same parameters. */
import { countMembers } from '../batch/list.ts';
import { object, row } from '../sql/fields.ts';
import { readRecords } from '../sql/listing.ts';
import type { Sql } from '../sql/sql.ts';

/** limit: earlier datasets among which the one before is looked for. */
const EARLIER_MAX = 100;
/**
 * limit: bytes of an earlier definition, as it is stored. Larger ones are not read: a hundred of them would take longer
 * than a statement may.
 */
const DEFINITION_BYTES_MAX = 4_096;
/** limit: files of a dataset that are compared one by one. */
const FILES_MAX = 100_000;
/** limit: files that are named on each side. */
const NAMED_MAX = 20;

const d = row('dataset', 'd');
const file = row('file', 'f');
const COMPARED = object({
  ...d.columns('id'),
  ...d.textsOrEmpty('title'),
  ...d.instants('created'),
  files: d.column('file_count'),
});
const NAMED = object(file.columns('id', 'file_name'));

/** Undefined if there is no such dataset. */
export async function comparedDatasets(sql: Sql, id: number) {
  const [dataset] = await readRecords(sql, COMPARED, 'dataset d where d.id = $1 and d.deleted is null', [id]);
  if (dataset === undefined) return undefined;
  const [before] = await readRecords(
    sql,
    COMPARED,
    // A case, since the conditions of an "and" may be evaluated in any order.
    `(select * from dataset where id < $1 and deleted is null order by id desc limit ${EARLIER_MAX}) d
     where case when pg_column_size(d.definition) <= ${DEFINITION_BYTES_MAX}
       then d.definition->'parameters' = (select definition->'parameters' from dataset where id = $1)
       else false end
     order by d.id desc limit 1`,
    [id],
  );
  const withMembers = async (one: typeof dataset) => ({ ...one, members: await countMembers(sql, one.id) });
  if (before === undefined) return { dataset: await withMembers(dataset), before: null, files: null };
  const [now, then, files] = await Promise.all([
    withMembers(dataset),
    withMembers(before),
    Math.max(dataset.files, before.files) > FILES_MAX ? null : differingFiles(sql, dataset, before),
  ]);
  return { dataset: now, before: then, files };
}

interface Counted {
  readonly id: number;
  readonly files: number;
}

async function differingFiles(sql: Sql, dataset: Counted, before: Counted) {
  const [added, removed, [row]] = await Promise.all([
    filesOfOne(sql, dataset.id, before.id),
    filesOfOne(sql, before.id, dataset.id),
    sql.execute<{ count: number }>(
      `select count(*) as count from dataset_file one join dataset_file other on other.file_id = one.file_id
       where one.dataset_id = $1 and other.dataset_id = $2`, // = dataset_file_key
      [dataset.id, before.id],
    ),
  ]);
  const common = row?.count ?? 0;
  return {
    common_count: common,
    ...{ added_count: dataset.files - common, added },
    ...{ removed_count: before.files - common, removed },
  };
}

/** The first files of a dataset that another one does not have. */
function filesOfOne(sql: Sql, id: number, otherId: number) {
  return readRecords(
    sql,
    NAMED,
    `(select link.file_id from dataset_file link
      where link.dataset_id = $1 and not exists (
        select from dataset_file other where other.dataset_id = $2 and other.file_id = link.file_id)
      order by link.file_id limit ${NAMED_MAX}) as found join file f on f.id = found.file_id
     order by f.id`,
    [id, otherId],
  );
}
