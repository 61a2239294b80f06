/** The nodes of recipes and of all recipes inside them, as the first table of a statement. */

/**
 * `node_inside` has a row for each: `root_id`, the recipe that it was found from; `recipe_id`, its own recipe; `path`,
 * the names of the nodes that lead to it, with its own; `job_id`; `is_kept`: taken over, itself or with the recipe that
 * it is inside of. `roots` gives ids, such as `$1`.
 */
export const nodesInside = (roots: string) => `with recursive recipe_inside as (
    select id as root_id, id, array[]::text[] as path, false as is_kept from recipe where id in (${roots})
    union all
    -- = recipe_node_pkey
    select up.root_id, n.sub_recipe_id, up.path || n.name::text, up.is_kept or not n.is_original
    from recipe_inside up
    join recipe_node n on n.recipe_id = up.id where n.sub_recipe_id is not null
  ), node_inside as (
    select up.root_id, up.id as recipe_id, up.path || n.name::text as path, n.job_id,
      up.is_kept or not n.is_original as is_kept
    from recipe_inside up join recipe_node n on n.recipe_id = up.id
  )`;
