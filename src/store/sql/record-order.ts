/** Order keys of the records that several lists embed, matching the fields of `records.ts`. */
import { type ListShape, nestedOrder, type OrderJoin } from './listing.ts';

type Order = ListShape['order'];

/** `key`: the column of the list's own row with the id, which needs no join. */
export function jobTypeOrder(prefix: string, key: string, joined: OrderJoin): Order {
  return {
    ...nestedOrder(prefix, joined, {
      values: ['is_active', 'is_paused', 'is_published', 'is_system'],
      texts: ['name', 'version', 'title', 'description', 'icon_code', 'unmet_resources'],
    }),
    [`${prefix}__id`]: { by: key },
  };
}

export function recipeTypeOrder(prefix: string, key: string, joined: OrderJoin): Order {
  return {
    ...nestedOrder(prefix, joined, { values: ['revision_num'], texts: ['name', 'title', 'description'] }),
    [`${prefix}__id`]: { by: key },
  };
}

/** `rule` is null in every event. */
export function eventOrder(prefix: string, key: string): Order {
  const joined = { alias: 'e', join: `join event e on e.id = ${key}` };
  return {
    ...nestedOrder(prefix, joined, { values: ['occurred'], texts: ['type'] }),
    [`${prefix}__id`]: { by: key },
    [`${prefix}__rule`]: { by: 'null::text' },
  };
}

export function batchOrder(prefix: string, key: string): Order {
  const alias = `of_${prefix}`;
  const joined = { alias, join: `left join batch ${alias} on ${alias}.id = ${key}` };
  return {
    ...nestedOrder(prefix, joined, { values: ['created'], textsOrEmpty: ['title', 'description'] }),
    [`${prefix}__id`]: { by: key },
  };
}

export function errorOrder(prefix: string, key: string, joined: OrderJoin): Order {
  return {
    ...nestedOrder(prefix, joined, {
      values: ['is_builtin', 'should_be_retried', 'created', 'last_modified'],
      texts: ['name', 'title', 'description', 'job_type_name', 'category'],
    }),
    [`${prefix}__id`]: { by: key },
  };
}

/** `recipe` inside jobs and sub-recipes: the recipe and its type are joined together. */
export function recipeOrder(prefix: string, key: string, joined: OrderJoin, typeAlias: string): Order {
  const { alias, join } = joined;
  return {
    ...recipeTypeOrder(`${prefix}__recipe_type`, `${alias}.recipe_type_id`, { alias: typeAlias, join }),
    [`${prefix}__id`]: { by: key },
    [`${prefix}__recipe_type__id`]: { by: `${alias}.recipe_type_id`, join },
    [`${prefix}__recipe_type_rev__id`]: { by: `${alias}.recipe_type_rev_id`, join },
    [`${prefix}__event__id`]: { by: `${alias}.event_id`, join },
  };
}

export function workspaceOrder(prefix: string, key: string, joined: OrderJoin): Order {
  return {
    ...nestedOrder(prefix, joined, {
      values: ['is_active', 'created', 'deprecated', 'last_modified'],
      texts: ['name', 'title', 'description', 'base_url'],
    }),
    [`${prefix}__id`]: { by: key },
  };
}
