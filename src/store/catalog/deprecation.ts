/** Deprecates a type together with everything that contains it, upward through all recipe types. */
import type { Sql } from '../sql/sql.ts';

/**
 * Deprecates the active recipe types above the given ones (with `isInclusive` also these themselves). Resolves with
 * their names.
 */
export async function deprecateRecipeTypes(
  tx: Sql,
  ids: readonly number[],
  isInclusive: boolean,
  nowMs: number,
): Promise<readonly string[]> {
  const rows = await tx.execute<{ name: string }>(
    `with recursive above as (
       select unnest($1::bigint[]) as id
       union select link.recipe_type_id
       from above join recipe_type_sub_type link on link.sub_recipe_type_id = above.id
     )
     update recipe_type set is_active = false, deprecated = at, last_modified = at
     from above, to_timestamp($2 / 1000.0) as at
     where recipe_type.id = above.id and is_active and ($3 or not recipe_type.id = any($1::bigint[]))
     returning name`,
    [ids, nowMs, isInclusive],
  );
  return rows.map((row) => row.name).sort();
}
