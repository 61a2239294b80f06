/** The recipe types that a new revision of a type concerns: those that contain it, at any depth. */
import { idArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';
import type { WaitingMember } from './save.ts';

/** A recipe type that contains the type. */
export interface ContainingType extends WaitingMember {
  /** Higher than the levels of all types that it contains; from 1. */
  readonly level: number;
  readonly revisionNum: number;
  /** It is deleted, and kept for its history. */
  readonly isHidden: boolean;
}

// Levels are numbered as in `BEGIN` of save.ts. The first type is included whatever its size.
const ABOVE = {
  name: 'containing_types',
  isKeyed: true,
  text: /* sql */ `
    with recursive above(id, level) as (
      select unnest($1::bigint[]), 1
      union
      select link.recipe_type_id, above.level + 1
      from above join recipe_type_sub_type link on link.sub_recipe_type_id = above.id
      -- = recipe_type_sub_type_sub_idx
    ), member as (
      select id, max(level) as level from above group by id
    ), first as (
      select id, level, count(*) over () as total from member order by level, id limit $2
    ), sized as (
      select first.id, first.level, first.total, t.name, t.revision_num, t.deleted, t.definition,
        sum(octet_length(t.definition::text)) over (order by first.level, first.id) as bytes,
        row_number() over (order by first.level, first.id) as place
      from first join recipe_type t on t.id = first.id   -- = recipe_type_pkey
    )
    select id, level, total, name, revision_num as "revisionNum", deleted is not null as "isHidden", definition
    from sized where place = 1 or bytes <= $3 order by level, id`,
};

/** The first of them, lowest level first, limited in number and bytes of their definitions; and how many there are. */
export async function containingTypes(
  sql: Sql,
  recipeTypeIds: readonly number[],
  { members, bytes }: { readonly members: number; readonly bytes: number },
): Promise<{ readonly types: readonly ContainingType[]; readonly total: number }> {
  if (recipeTypeIds.length === 0) return { types: [], total: 0 };
  const params = [idArray(recipeTypeIds), members, bytes];
  const types = await sql.execute<ContainingType & { total: number }>(ABOVE, params);
  return { types, total: Number(types[0]?.total ?? 0) };
}

const LINKS = {
  name: 'links_among_types',
  isKeyed: true,
  text: /* sql */ `
    select recipe_type_id as "holderId", sub_recipe_type_id as "innerId" from recipe_type_sub_type
    where recipe_type_id = any($1::bigint[]) and sub_recipe_type_id = any($1::bigint[])`,
};

/** Which of these recipe types contain which of them directly. */
export function linksAmong(
  sql: Sql,
  recipeTypeIds: readonly number[],
): Promise<{ readonly holderId: number; readonly innerId: number }[]> {
  return sql.execute(LINKS, [idArray(recipeTypeIds)]);
}
