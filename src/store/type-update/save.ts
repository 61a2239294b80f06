/**
 * Requests to update the recipe types that contain a job or recipe type to its new revision. A request is saved with
 * the revision and lists all recipe types above it, each on a level above those that it contains. They are updated page
 * by page, lowest level first; the results of a page are saved with it.
 */
import type { Sql } from '../sql/sql.ts';

/** The type that has a new revision. */
export interface NewRevision {
  readonly kind: 'job' | 'recipe';
  readonly typeId: number;
  readonly revisionNum: number;
}

export interface TypeUpdate extends NewRevision {
  readonly id: number;
  readonly name: string;
  /** Null for recipe types. */
  readonly version: string | null;
}

const BEGIN = /* sql */ `
  with recursive above(id, level) as (
    select unnest($1::bigint[]), 1
    union
    select link.recipe_type_id, above.level + 1
    from above join recipe_type_sub_type link on link.sub_recipe_type_id = above.id
  ), member as (
    select id, max(level) as level from above group by id
  ), made as (
    insert into type_update (kind, type_id, revision_num, total, created, last_modified)
    select $2, $3, $4, (select count(*) from member), at, at from to_timestamp($5 / 1000.0) as at
    where exists (select from member)
    returning id, total
  ), added as (
    insert into type_update_member (update_id, recipe_type_id, level)
    select made.id, member.id, member.level from made cross join member
  )
  select id, total from made`;

/**
 * Saves a request for all recipe types above the given ones, including these, in the transaction of the new revision,
 * which holds the catalog's lock. Undefined: there are none.
 */
export async function beginTypeUpdate(
  tx: Sql,
  { kind, typeId, revisionNum }: NewRevision,
  recipeTypeIds: readonly number[],
  nowMs: number,
): Promise<{ readonly id: number; readonly total: number } | undefined> {
  if (recipeTypeIds.length === 0) return undefined;
  const params = [recipeTypeIds, kind, typeId, revisionNum, nowMs];
  const [made] = await tx.execute<{ id: number; total: number }>(BEGIN, params);
  return made;
}

const OLDEST = /* sql */ `
  select id from type_update where completed is null order by id limit 1   -- = type_update_open_idx`;

/** The next request. Requests are processed in the order in which they were saved. */
export async function oldestTypeUpdate(sql: Sql): Promise<number | undefined> {
  const [row] = await sql.execute<{ id: number }>(OLDEST);
  return row?.id;
}

const LOCK = /* sql */ `
  select u.id, u.kind, u.type_id as "typeId", u.revision_num as "revisionNum", coalesce(jt.name, rt.name) as name,
    jt.version
  from type_update u
  left join job_type jt on u.kind = 'job' and jt.id = u.type_id
  left join recipe_type rt on u.kind = 'recipe' and rt.id = u.type_id
  where u.id = $1 and u.completed is null
  for update of u`;

/** Undefined: it is done. */
export async function lockTypeUpdate(tx: Sql, id: number): Promise<TypeUpdate | undefined> {
  const [row] = await tx.execute<TypeUpdate>(LOCK, [id]);
  return row;
}

export interface WaitingMember {
  readonly id: number;
  readonly name: string;
  readonly definition: Readonly<Record<string, unknown>>;
}

// The first member is included whatever its size.
const PAGE = /* sql */ `
  with page as (
    select m.recipe_type_id as id, t.name, t.definition,
      sum(octet_length(t.definition::text)) over (order by m.recipe_type_id) as bytes,
      row_number() over (order by m.recipe_type_id) as place
    from (
      select recipe_type_id from type_update_member
      where update_id = $1 and state = 'waiting' and level = (
        select min(level) from type_update_member where update_id = $1 and state = 'waiting')
      order by recipe_type_id limit $2   -- = type_update_member_waiting_idx
    ) m join recipe_type t on t.id = m.recipe_type_id
  )
  select id, name, definition from page where place = 1 or bytes <= $3 order by id`;

/** The next members, all of one level, so none contains another. Limited in number and bytes. */
export function waitingMembers(
  tx: Sql,
  updateId: number,
  { members, bytes }: { readonly members: number; readonly bytes: number },
): Promise<WaitingMember[]> {
  return tx.execute<WaitingMember>(PAGE, [updateId, members, bytes]);
}

const BYTES = /* sql */ `
  select coalesce(sum(octet_length(t.definition::text)), 0) as bytes
  from type_update_member m join recipe_type t on t.id = m.recipe_type_id
  where m.update_id = $1   -- = type_update_member_pkey`;

/** Bytes of the definitions of all members. Only for requests with few members. */
export async function bytesOfMembers(tx: Sql, updateId: number): Promise<number> {
  const [row] = await tx.execute<{ bytes: number }>(BYTES, [updateId]);
  return Number(row?.bytes ?? 0);
}

/** A member that another one contains, with its result. */
export interface InnerMember {
  readonly holderId: number;
  readonly name: string;
  readonly state: 'raised' | 'behind';
  /** Null for members that could not be updated. */
  readonly revisionNum: number | null;
}

const INNER = /* sql */ `
  select link.recipe_type_id as "holderId", t.name, m.state, m.revision_num as "revisionNum"
  from recipe_type_sub_type link
  join type_update_member m on m.update_id = $1 and m.recipe_type_id = link.sub_recipe_type_id
  join recipe_type t on t.id = link.sub_recipe_type_id
  where link.recipe_type_id = any($2::bigint[]) and m.state in ('raised', 'behind')
  order by t.name`;

/** The types inside the given recipe types that the request has updated, or could not update. */
export function innerMembers(
  tx: Sql,
  updateId: number,
  holderIds: readonly number[],
): Promise<InnerMember[]> {
  return tx.execute<InnerMember>(INNER, [updateId, holderIds]);
}

/** The result for a member. */
export type MemberOutcome =
  | { readonly id: number; readonly state: 'raised'; readonly definition: object }
  | { readonly id: number; readonly state: 'unchanged' }
  | { readonly id: number; readonly state: 'behind'; readonly reason: string };

const RAISE = /* sql */ `
  with raised as (
    update recipe_type t set definition = given.definition, revision_num = t.revision_num + 1, last_modified = at
    from jsonb_to_recordset($2::jsonb) as given(id bigint, state text, definition jsonb, reason text),
      to_timestamp($3 / 1000.0) as at
    where given.state = 'raised' and t.id = given.id
    returning t.id, t.revision_num, t.definition, t.last_modified
  ), revisions as (
    insert into recipe_type_rev (recipe_type_id, revision_num, definition, created)
    select id, revision_num, definition, last_modified from raised
  ), settled as (
    update type_update_member m set state = given.state, reason = given.reason, revision_num = raised.revision_num
    from jsonb_to_recordset($2::jsonb) as given(id bigint, state text, reason text)
    left join raised on raised.id = given.id
    where m.update_id = $1 and m.recipe_type_id = given.id
    returning m.state
  )
  update type_update set last_modified = to_timestamp($3 / 1000.0),
    raised_count = raised_count + (select count(*) from settled where state = 'raised'),
    unchanged_count = unchanged_count + (select count(*) from settled where state = 'unchanged'),
    behind_count = behind_count + (select count(*) from settled where state = 'behind')
  where id = $1`;

// Types that came to contain a member after the request was saved. Members that were settled before that wait again.
const FOLLOW = /* sql */ `
  with follower as (
    select link.recipe_type_id as id, max(m.level) + 1 as level
    from type_update_member m
    join recipe_type_sub_type link on link.sub_recipe_type_id = m.recipe_type_id
    where m.update_id = $1 and m.recipe_type_id = any($2::bigint[])
    group by link.recipe_type_id
  ), known as (
    select f.id, m.state from follower f
    join type_update_member m on m.update_id = $1 and m.recipe_type_id = f.id
  ), added as (
    insert into type_update_member as m (update_id, recipe_type_id, level)
    select $1, id, level from follower
    on conflict (update_id, recipe_type_id) do update
      set level = greatest(m.level, excluded.level), state = 'waiting', revision_num = null, reason = null
      where m.level < excluded.level or m.state <> 'waiting'
  )
  update type_update set
    total = total + (select count(*) from follower) - (select count(*) from known),
    raised_count = raised_count - (select count(*) from known where state = 'raised'),
    unchanged_count = unchanged_count - (select count(*) from known where state = 'unchanged'),
    behind_count = behind_count - (select count(*) from known where state = 'behind')
  where id = $1`;

/** Saves the results of a page: new revisions of the updated types, whose links do not change. */
export async function settleMembers(
  tx: Sql,
  updateId: number,
  outcomes: readonly MemberOutcome[],
  nowMs: number,
): Promise<void> {
  await tx.execute(RAISE, [updateId, JSON.stringify(outcomes), nowMs]);
  const raised = outcomes.filter((one) => one.state === 'raised').map((one) => one.id);
  if (raised.length > 0) await tx.execute(FOLLOW, [updateId, raised]);
}

const COMPLETE = /* sql */ `
  update type_update set completed = at, last_modified = at from to_timestamp($2 / 1000.0) as at where id = $1`;
const FORGET = /* sql */ `
  delete from type_update_member where update_id = $1 and state <> 'behind'   -- = type_update_member_pkey`;

/** Nothing waits any more. */
export async function completeTypeUpdate(tx: Sql, id: number, nowMs: number): Promise<void> {
  await tx.execute(COMPLETE, [id, nowMs]);
  await tx.execute(FORGET, [id]);
}

const BEHIND = /* sql */ `
  select t.name, m.reason from type_update_member m join recipe_type t on t.id = m.recipe_type_id
  where m.update_id = $1 and m.state = 'behind' order by t.name limit $2   -- = type_update_member_pkey`;

/** Members that keep their revision, and why. */
export function membersBehind(
  tx: Sql,
  updateId: number,
  limit: number,
): Promise<{ readonly name: string; readonly reason: string }[]> {
  return tx.execute(BEHIND, [updateId, limit]);
}
