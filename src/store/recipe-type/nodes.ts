/** The types that nodes of a recipe definition run. */
import type { NodeType } from '../../domain/recipe/recipe-definition.ts';
import { textArray } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';

const NODES = {
  name: 'types_of_nodes',
  isKeyed: true,
  text: /* sql */ `
    select type.id as "jobTypeId", null::bigint as "recipeTypeRevId"
    from unnest($1::text[], $2::text[]) as node(name, version)
    join job_type as type on type.name = node.name and type.version = node.version   -- = job_type_name_version_key
    union all
    select null, rev.id
    from unnest($3::text[], $4::int[]) as node(name, num)
    join recipe_type as type on type.name = node.name   -- = recipe_type_name_key
    join recipe_type_rev as rev on rev.recipe_type_id = type.id and rev.revision_num = node.num
      -- = recipe_type_rev_num_key`,
};

interface NodeRow {
  readonly jobTypeId: number | null;
  readonly recipeTypeRevId: number | null;
}

/** One entry for each node that is a job or a recipe and whose type exists. */
export async function nodesOfDefinition(
  sql: Sql,
  nodes: readonly NodeType[],
): Promise<{ readonly jobTypeIds: readonly number[]; readonly recipeTypeRevIds: readonly number[] }> {
  const jobs = nodes.flatMap((node) => (node.node_type === 'job' ? [node] : []));
  const recipes = nodes.flatMap((node) => (node.node_type === 'recipe' ? [node] : []));
  const rows = await sql.execute<NodeRow>(NODES, [
    textArray(jobs.map((node) => node.job_type_name)),
    textArray(jobs.map((node) => node.job_type_version)),
    textArray(recipes.map((node) => node.recipe_type_name)),
    `{${recipes.map((node) => node.recipe_type_revision).join(',')}}`,
  ]);
  return {
    jobTypeIds: rows.flatMap(({ jobTypeId }) => jobTypeId ?? []),
    recipeTypeRevIds: rows.flatMap(({ recipeTypeRevId }) => recipeTypeRevId ?? []),
  };
}
