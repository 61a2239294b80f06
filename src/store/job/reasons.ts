/** Why a job is in its state, in words: an expression over the job behind `j`, with its type behind `jt`. */
import { UNREACHED } from '../../domain/scheduling/pass.ts';
import { inactiveText, unreachedText } from '../node/reach.ts';

const CLASS_WORKSPACES = `array(select jsonb_array_elements_text(class.spec->'workspaceIds')::bigint)`;

const NO_NODE_REACHES = 'no node that could run it reaches all of its workspaces';

/** Why a queued job is not placed or waits for a retry. Relies on job_exe_num_key. */
export const QUEUED_REASON = `coalesce(
  case when jt.is_paused then 'its job type is paused' end,
  (select case when class.unmet = '${UNREACHED}'
    then coalesce(${inactiveText(CLASS_WORKSPACES)},
      ${unreachedText(CLASS_WORKSPACES, NO_NODE_REACHES, 'its workspaces')})
    else class.unmet end from scheduling_class class where class.key = j.class_key),
  case when j.num_exes > 1 then (select 'is tried again after: ' || tried.reason from job_exe tried
    where tried.job_id = j.id and tried.exe_num = j.num_exes - 1 and tried.status = 'FAILED') end)`;

// limit: nodes that a sentence names.
const NODES_MAX = 3;

const HAS_FAILED = `(o.status in ('FAILED', 'CANCELED') or sub.jobs_failed + sub.jobs_canceled > 0)`;

/**
 * The nodes of the recipe with these names, with their jobs or recipes. Relies on recipe_node_pkey and job_pkey.
 * `offset` keeps the planner from reading all nodes and comparing each with all names.
 */
function nodesNamed(names: string): string {
  return `unnest(${names}) as node_name
      cross join lateral (select * from recipe_node where recipe_id = holder.id and name = node_name offset 0) as n
      left join job o on o.id = n.job_id
      left join recipe sub on sub.id = n.sub_recipe_id`;
}

/** The names of the nodes that these nodes depend on, each once, without those that are `known`. */
function parentsOf(names: string, known: string): string {
  return `array(select distinct parent ->> 'name'
        from unnest(${names}) as node, jsonb_array_elements(graph.nodes -> node -> 'dependencies') as parent
        except select unnest(${known}))`;
}

/**
 * The nearest earlier nodes of its recipe that failed or were canceled. If there are none, the cause is in a recipe
 * that contains this one.
 *
 * The nodes before it are collected level by level, in arrays, as far as the first level with such a node. A recursive
 * `union` has a hash table that is made when the statement begins, whether or not a job is blocked, and as large as the
 * planner believes that the walk gets: 33 MB of zeros, half of PostgreSQL's time while jobs were posted (1,590 us a job
 * with it, 790 without, 2026-11-25). The definition, which may have megabytes, is read once for each job: each use of
 * its column would read it again, and a list of twenty blocked jobs took longer than a statement may.
 */
const BLOCKED = `(select 'it waits for what did not complete: ' || coalesce((
    with recursive walk (depth, latest, names, is_end) as (
      select 1, first.names, first.names, exists (select from ${nodesNamed('first.names')} where ${HAS_FAILED})
      from (select ${parentsOf('array[j.recipe_node::text]', `'{}'::text[]`)} as names offset 0) as first
      union all
      select walk.depth + 1, next.names, walk.names || next.names,
        exists (select from ${nodesNamed('next.names')} where ${HAS_FAILED})
      from walk cross join lateral (select ${parentsOf('walk.latest', 'walk.names')} as names offset 0) as next
      where not walk.is_end and cardinality(next.names) > 0)
    select string_agg(trouble.text, ', ') from (
      select 'node ''' || n.name || ''' (' || case when o.id is null then 'jobs of its recipe ' || sub.id
        else 'job ' || o.id || ', ' || o.status end || ')' as text
      from (select latest from walk order by depth desc limit 1) as nearest, ${nodesNamed('nearest.latest')}
      where ${HAS_FAILED}
      order by n.name limit ${NODES_MAX}) as trouble),
    'a node before its recipe, in the one that contains it')
  from recipe holder
  join recipe_type_rev rev_of on rev_of.id = holder.recipe_type_rev_id
  cross join lateral (select rev_of.definition -> 'nodes' as nodes offset 0) as graph
  where holder.id = j.recipe_id)`;

/** Who or what canceled a job. Relies on job_request_position_key. */
const CANCELED = `case when j.is_superseded then 'its recipe was reprocessed before it was done'
  else (select 'canceled by ' || q.asker from job_request q
    where q.position = j.request_position and q.action = 'cancel') end`;

/** The row's own reason comes first: why it failed, or another note. */
export const JOB_REASON = `coalesce(j.reason, case j.status when 'QUEUED' then ${QUEUED_REASON}
  when 'BLOCKED' then ${BLOCKED} when 'CANCELED' then ${CANCELED} end)`;
