/** Why a job is in its state, in words: an expression over the job behind `j`, with its type behind `jt`. */
import { UNREACHED } from '../../domain/scheduling/pass.ts';
import { inactiveText, unreachedText } from '../node/reach.ts';

const CLASS_WORKSPACES = `array(select jsonb_array_elements_text(class.spec->'workspaceIds')::bigint)`;

const NO_NODE_REACHES = 'no node that could run it reaches all of its workspaces';

/** Why a queued job is not placed or waits for a retry. Relies on job_exe_num_key. */
const QUEUED = `coalesce(
  case when jt.is_paused then 'its job type is paused' end,
  (select case when class.unmet = '${UNREACHED}'
    then coalesce(${inactiveText(CLASS_WORKSPACES)},
      ${unreachedText(CLASS_WORKSPACES, NO_NODE_REACHES, 'its workspaces')})
    else class.unmet end from scheduling_class class where class.key = j.class_key),
  case when j.num_exes > 1 then (select 'is tried again after: ' || tried.reason from job_exe tried
    where tried.job_id = j.id and tried.exe_num = j.num_exes - 1 and tried.status = 'FAILED') end)`;

// limit: nodes that a sentence names.
const NODES_MAX = 3;

/** The names of the nodes that these nodes depend on, each once, without those that are `known`. */
function parentsOf(names: string, known: string): string {
  return `array(select distinct parent ->> 'name'
        from unnest(${names}) as node,
          jsonb_array_elements(rev_of.definition -> 'nodes' -> node -> 'dependencies') as parent
        where parent ->> 'name' <> all(${known}))`;
}

/**
 * The earlier node of its recipe that failed or was canceled. If there is none, the cause is in a recipe that contains
 * this one. Relies on recipe_node_pkey and job_pkey.
 *
 * The nodes before it are collected level by level, in arrays. A recursive `union` has a hash table that is made when
 * the statement begins, whether or not a job is blocked, and as large as the planner believes that the walk gets: 33 MB
 * of zeros, half of PostgreSQL's time while jobs were posted (1,590 us a job with it, 790 without, 2026-11-25).
 */
const BLOCKED = `(select 'it waits for what did not complete: ' || coalesce((
    with recursive walk (latest, names) as (
      select first.names, first.names
      from (select ${parentsOf('array[j.recipe_node::text]', `'{}'::text[]`)} as names) as first
      union all
      select next.names, walk.names || next.names
      from walk cross join lateral (select ${parentsOf('walk.latest', 'walk.names')} as names offset 0) as next
      where cardinality(next.names) > 0),
    before (name) as (
      select unnest(names) from (select names from walk order by cardinality(names) desc limit 1) as longest)
    select string_agg(trouble.text, ', ') from (
      select 'node ''' || n.name || ''' (' || case when o.id is null then 'jobs of its recipe ' || sub.id
        else 'job ' || o.id || ', ' || o.status end || ')' as text
      from before join recipe_node n on n.recipe_id = holder.id and n.name = before.name
      left join job o on o.id = n.job_id
      left join recipe sub on sub.id = n.sub_recipe_id
      where o.status in ('FAILED', 'CANCELED') or sub.jobs_failed + sub.jobs_canceled > 0
      order by n.name limit ${NODES_MAX}) as trouble),
    'a node before its recipe, in the one that contains it')
  from recipe holder join recipe_type_rev rev_of on rev_of.id = holder.recipe_type_rev_id
  where holder.id = j.recipe_id)`;

/** Who or what canceled a job. Relies on job_request_position_key. */
const CANCELED = `case when j.is_superseded then 'its recipe was reprocessed before it was done'
  else (select 'canceled by ' || q.asker from job_request q
    where q.position = j.request_position and q.action = 'cancel') end`;

/** The row's own reason comes first: why it failed, or another note. */
export const JOB_REASON = `coalesce(j.reason, case j.status when 'QUEUED' then ${QUEUED}
  when 'BLOCKED' then ${BLOCKED} when 'CANCELED' then ${CANCELED} end)`;
