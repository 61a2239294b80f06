/** The facts about a recipe that is to be reprocessed, and the new revision. */
import type { DataDocument } from '../../domain/job/job.ts';
import type { Sql } from '../sql/sql.ts';

export interface ReprocessFacts {
  readonly chainId: number;
  readonly recipeTypeRevId: number;
  readonly isSuperseded: boolean;
  /** The recipe that replaced it; null: none, or it was purged. */
  readonly successorId: number | null;
  readonly parentId: number | null;
  /** Null for a sub-recipe that waits. */
  readonly input: DataDocument | null;
  readonly typeName: string;
  readonly isTypeActive: boolean;
  /** The id of the requested revision; null if there is none. */
  readonly nextRevId: number | null;
}

/** `revisionNum` null: the newest. Undefined if there is no such recipe. */
export async function reprocessFacts(
  sql: Sql,
  recipeId: number,
  revisionNum: number | null,
): Promise<ReprocessFacts | undefined> {
  const rows = await sql.execute<ReprocessFacts>(
    `select r.chain_id as "chainId", r.recipe_type_rev_id as "recipeTypeRevId", r.is_superseded as "isSuperseded",
       r.parent_id as "parentId", r.input, rt.name as "typeName", rt.is_active as "isTypeActive",
       next.id as "nextRevId", case when r.is_superseded then (select max(by.id) from recipe by
         where by.chain_id = r.chain_id and by.superseded_recipe_id = r.id) end as "successorId"
     from recipe r join recipe_type rt on rt.id = r.recipe_type_id
     left join recipe_type_rev next on next.recipe_type_id = rt.id
       and next.revision_num = coalesce($2::int, rt.revision_num)
     where r.id = $1`,
    [recipeId, revisionNum],
  );
  return rows[0];
}
