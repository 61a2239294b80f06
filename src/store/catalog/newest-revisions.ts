/** Lists of the revisions of one type. */
import type { List, ListedSome, PageBounds, WantedFields } from '../sql/listing.ts';
import type { Sql } from '../sql/sql.ts';

/** The list, newest first; undefined if there is no such type, because every type has a revision. */
export function newestRevisions<Filter, Record>(list: List<Filter, Record, 'revision_num'>) {
  return async (
    sql: Sql,
    type: Filter,
    page: PageBounds,
    wanted: WantedFields,
  ): Promise<ListedSome<Record> | undefined> => {
    const listed = await list(sql, type, [{ field: 'revision_num', isDescending: true }], page, wanted);
    return listed.count === 0 ? undefined : listed;
  };
}
