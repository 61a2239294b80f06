/** Writes recipe types: each new definition is a revision, and the links list the types that the current one uses. */
import { AppError } from '../../domain/errors.ts';
import type { Labels } from '../../domain/labels.ts';
import { type AlsoSave, creating, reviving } from '../catalog/creating.ts';
import { insertNamed } from '../catalog/unique-name.ts';
import { holdMentioned } from '../deletion/kinds.ts';
import type { Sql } from '../sql/sql.ts';

export interface RecipeTypeLinks {
  readonly jobTypeIds: readonly number[];
  readonly subRecipeTypeIds: readonly number[];
}

export interface NewRecipeType extends RecipeTypeLinks {
  /** Absent: from the title. */
  readonly name?: string | undefined;
  readonly title: string;
  readonly description: string;
  /** Validated, normalised. */
  readonly definition: object;
  readonly labels: Labels;
  readonly nowMs: number;
}

export interface RecipeTypeEdit {
  readonly title?: string;
  readonly description?: string;
  readonly isActive?: boolean;
  readonly labels?: Labels;
  /** Creates a revision if it differs from the current one. */
  readonly definition?: { readonly document: object } & RecipeTypeLinks;
  readonly nowMs: number;
}

export interface WrittenRecipeType {
  readonly id: number;
  readonly name: string;
  readonly revisionNum: number;
}

const INSERT = /* sql */ `
  insert into recipe_type (name, title, description, definition, labels, created, last_modified)
  select $1, $2, $3, $4, $6::jsonb, at, at from to_timestamp($5 / 1000.0) as at
  returning id`;
const REVISION = /* sql */ `
  insert into recipe_type_rev (recipe_type_id, revision_num, definition, created)
  values ($1, $2, $3, to_timestamp($4 / 1000.0))`;
const UNLINK_JOB_TYPES = /* sql */ `delete from recipe_type_job_type where recipe_type_id = $1`;
const UNLINK_SUB_TYPES = /* sql */ `delete from recipe_type_sub_type where recipe_type_id = $1`;
const LINK_JOB_TYPES = /* sql */ `
  insert into recipe_type_job_type (recipe_type_id, job_type_id) select distinct $1::bigint, unnest($2::bigint[])`;
const LINK_SUB_TYPES = /* sql */ `
  insert into recipe_type_sub_type (recipe_type_id, sub_recipe_type_id)
  select distinct $1::bigint, unnest($2::bigint[])`;

export function createRecipeType(
  sql: Sql,
  type: NewRecipeType,
  also?: AlsoSave<WrittenRecipeType>,
): Promise<WrittenRecipeType> {
  const { title, description, nowMs } = type;
  const definition = JSON.stringify(type.definition);
  return insertNamed({
    ...{ name: type.name, title },
    stem: 'recipe-type',
    constraint: 'recipe_type_name_key',
    insert: (name) =>
      creating(sql, also, (inside) =>
        inside.transaction(async (tx) => {
          await hold(tx, type);
          const [row] = await tx.execute<{ id: number }>(INSERT, [
            name,
            title,
            description,
            definition,
            nowMs,
            JSON.stringify(type.labels),
          ]);
          const { id } = row as { id: number };
          await tx.execute(REVISION, [id, 1, definition, nowMs]);
          await link(tx, id, type);
          return { id, name, revisionNum: 1 };
        }),
      ),
    revive: (name) => reviving(sql, also, (tx) => reviveRecipeType(tx, name, type)),
  });
}

function hold(tx: Sql, { jobTypeIds, subRecipeTypeIds }: RecipeTypeLinks): Promise<void> {
  return holdMentioned(tx, { jobTypeIds, recipeTypeIds: subRecipeTypeIds });
}

const INNER = /* sql */ `
  select array(select job_type_id from recipe_type_job_type where recipe_type_id = $1) as "jobTypeIds",
    array(select sub_recipe_type_id from recipe_type_sub_type where recipe_type_id = $1) as "subRecipeTypeIds"`;

/** The types inside a recipe type stay until the end of the transaction. Throws CONFLICT if one is deleted. */
export async function holdInner(tx: Sql, id: number): Promise<void> {
  const [inner] = await tx.execute<RecipeTypeLinks>(INNER, [id]);
  if (inner !== undefined) await hold(tx, inner);
}

const REVIVE = /* sql */ `
  update recipe_type set title = $2, description = $3, definition = $4, labels = $6, is_active = true,
    deprecated = null, revision_num = revision_num + 1, last_modified = at, deleted = null
  from to_timestamp($5 / 1000.0) as at
  where name = $1 and deleted is not null and not is_system
  returning id, revision_num as "revisionNum"`;

/** With a further revision. Undefined: no deleted recipe type has the name. */
async function reviveRecipeType(
  tx: Sql,
  name: string,
  type: NewRecipeType,
): Promise<WrittenRecipeType | undefined> {
  await hold(tx, type);
  const { title, description, labels, nowMs } = type;
  const definition = JSON.stringify(type.definition);
  const [row] = await tx.execute<Omit<WrittenRecipeType, 'name'>>(REVIVE, [
    name,
    title,
    description,
    definition,
    nowMs,
    JSON.stringify(labels),
  ]);
  if (row === undefined) return undefined;
  await tx.execute(REVISION, [row.id, row.revisionNum, definition, nowMs]);
  await link(tx, row.id, type);
  return { ...row, name };
}

const LOCK = /* sql */ `
  select id, revision_num, $2::jsonb is not null and definition is distinct from $2::jsonb as is_new_definition
  from recipe_type where name = $1 and deleted is null for update`;
const UPDATE = /* sql */ `
  update recipe_type set
    title = coalesce($2, title),
    description = coalesce($3, description),
    is_active = coalesce($4, is_active),
    deprecated = case when $4 is null or $4 = is_active then deprecated when $4 then null else at end,
    definition = coalesce($5, definition),
    labels = coalesce($8, labels),
    revision_num = $6,
    last_modified = at
  from to_timestamp($7 / 1000.0) as at
  where id = $1 and (title, description, is_active, revision_num, labels)
    is distinct from (coalesce($2, title), coalesce($3, description), coalesce($4, is_active), $6,
      coalesce($8, labels))`;

interface LockedType {
  readonly id: number;
  readonly revision_num: number;
  readonly is_new_definition: boolean;
}

/** A changed definition creates a revision; an edit that changes nothing writes nothing. Throws NOT_FOUND. */
export function editRecipeType(sql: Sql, name: string, edit: RecipeTypeEdit): Promise<WrittenRecipeType> {
  return sql.transaction(async (tx) => {
    const given = edit.definition === undefined ? null : JSON.stringify(edit.definition.document);
    const [locked] = await tx.execute<LockedType>(LOCK, [name, given]);
    if (locked === undefined) throw new AppError('NOT_FOUND', `there is no recipe type ${name}`);
    const { id } = locked;
    const definition = locked.is_new_definition ? given : null;
    const revisionNum = locked.revision_num + (definition === null ? 0 : 1);
    const { title = null, description = null, isActive = null, nowMs } = edit;
    const labels = edit.labels === undefined ? null : JSON.stringify(edit.labels);
    await tx.execute(UPDATE, [id, title, description, isActive, definition, revisionNum, nowMs, labels]);
    if (edit.definition !== undefined && definition !== null) {
      await tx.execute(REVISION, [id, revisionNum, definition, nowMs]);
      await tx.execute(UNLINK_JOB_TYPES, [id]);
      await tx.execute(UNLINK_SUB_TYPES, [id]);
      await link(tx, id, edit.definition);
    }
    return { id, name, revisionNum };
  });
}

async function link(tx: Sql, id: number, links: RecipeTypeLinks): Promise<void> {
  await tx.execute(LINK_JOB_TYPES, [id, links.jobTypeIds]);
  await tx.execute(LINK_SUB_TYPES, [id, links.subRecipeTypeIds]);
}
