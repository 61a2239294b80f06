/** The facts about stored files that data filters check. */
import type { Json } from '../../domain/document/json-value.ts';
import type { FileFacts } from '../../domain/filter/filter-evaluate.ts';
import { idArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';

const FACTS = {
  name: 'filter_facts',
  isKeyed: true,
  text: /* sql */ `
    select id, file_name, media_type, data_type_tags, meta_data
    from file where id = any($1::bigint[])   -- = file_pkey`,
};

interface FactsRow {
  readonly id: number;
  readonly file_name: string;
  readonly media_type: string;
  readonly data_type_tags: string[];
  readonly meta_data: Record<string, Json>;
}

/** Facts by id; missing files are left out. */
export async function filterFacts(
  sql: Sql,
  fileIds: readonly number[],
): Promise<ReadonlyMap<number, FileFacts>> {
  const rows = await sql.execute<FactsRow>(FACTS, [idArray(fileIds)]);
  return new Map(
    rows.map((row) => [
      row.id,
      {
        fileName: row.file_name,
        mediaType: row.media_type,
        dataTypes: row.data_type_tags,
        metaData: row.meta_data,
      },
    ]),
  );
}
