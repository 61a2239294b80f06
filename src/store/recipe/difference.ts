/** The differences between two recipes: their inputs, and the products of their jobs. */
import type { RecipeDefinition } from '../../domain/recipe/recipe-definition.ts';
import { expression, object, orNull, row, type ValueOf } from '../sql/fields.ts';
import { readRecords } from '../sql/listing.ts';
import type { Sql } from '../sql/sql.ts';
import { nodesInside } from './nodes-inside.ts';

/** limit: characters of a value, and values and products that are listed. */
const VALUE_CHARS_MAX = 200;
const INPUTS_MAX = 100;
const PRODUCTS_MAX = 200;

export interface ComparedRecipe {
  readonly id: number;
  readonly recipeTypeId: number;
  readonly supersededRecipeId: number | null;
  readonly revisionNum: number;
  readonly definition: RecipeDefinition;
}

/** The existing recipes among these ids. */
export function comparedRecipes(sql: Sql, ids: readonly number[]): Promise<readonly ComparedRecipe[]> {
  return sql.execute<ComparedRecipe>(
    `select r.id, r.recipe_type_id as "recipeTypeId", r.superseded_recipe_id as "supersededRecipeId",
       rev.revision_num as "revisionNum", rev.definition
     from recipe r join recipe_type_rev rev on rev.id = r.recipe_type_rev_id where r.id = any($1::bigint[])`,
    [ids],
  );
}

const jsonOf = (alias: string) =>
  orNull(`${alias}.value`, expression<string>(`left(${alias}.value::text, ${VALUE_CHARS_MAX})`));
const INPUT = object({
  name: expression<string>('coalesce(after.name, before.name)'),
  before: jsonOf('before'),
  after: jsonOf('after'),
});
const inputsOf = (id: string) => `(select given.key as name, given.value from recipe r
  cross join lateral (
    select * from jsonb_each(r.input->'files') union all select * from jsonb_each(r.input->'json')) as given
  where r.id = ${id})`;

/** Values and lists of file ids as JSON. */
export function changedInputs(sql: Sql, from: number, to: number): Promise<readonly ValueOf<typeof INPUT>[]> {
  return readRecords(
    sql,
    INPUT,
    `${inputsOf('$1')} before full join ${inputsOf('$2')} after on after.name = before.name
     where before.value is distinct from after.value order by coalesce(after.name, before.name) limit ${INPUTS_MAX}`,
    [from, to],
  );
}

const productOf = (alias: 'before' | 'after') => {
  const f = row('file', alias);
  return orNull(f.id, object({ ...f.columns('id', 'file_size', 'is_deleted') }));
};
const PRODUCT = object({
  path: expression<string[]>('coalesce(after.path, before.path)'),
  output: expression<string | null>('coalesce(after.job_output, before.job_output)'),
  file_name: expression<string>('coalesce(after.file_name, before.file_name)'),
  before: productOf('before'),
  after: productOf('after'),
  is_same_content: expression<boolean | null>('before.sha256 = after.sha256'),
});

export interface ChangedProducts {
  readonly count: number;
  /** The first of them, by node. */
  readonly products: readonly ValueOf<typeof PRODUCT>[];
}

/**
 * Products that only one of the recipes has, recipes inside them included. Carried-over products are in both, so they
 * are left out.
 */
export async function changedProducts(sql: Sql, from: number, to: number): Promise<ChangedProducts> {
  const madeBy = (id: string) => `(select n.path, f.* from node_inside n
    join file f on f.job_id = n.job_id and f.file_type = 'PRODUCT' where n.root_id = ${id})`; // = file_job_idx
  const rows = await sql.execute<{ count: number; record: ValueOf<typeof PRODUCT> }>(
    `${nodesInside('$1::bigint, $2::bigint')}
    select count(*) over ()::int as count, ${PRODUCT} as record
    from ${madeBy('$1')} before full join ${madeBy('$2')} after on after.path = before.path
      and after.file_name = before.file_name and coalesce(after.job_output, '') = coalesce(before.job_output, '')
    where before.id is distinct from after.id
    order by coalesce(after.path, before.path), coalesce(after.file_name, before.file_name), after.id, before.id
    limit ${PRODUCTS_MAX}`,
    [from, to],
  );
  return { count: rows[0]?.count ?? 0, products: rows.map(({ record }) => record) };
}
