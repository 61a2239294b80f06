/**
 * The rows of a whole job life (queued with its event, placed, ended with its execution) as three guarded set-based
 * statements on Millrace's own tables, on parallel lanes: no actors, leases, counters or agent. The ceiling.
 */
import { storeWorld } from '../../test/store/store-world.ts';

const LANES = 3;

const STATEMENTS = [
  `with e as (insert into event (id, type, occurred) select unnest($1::bigint[]), 'USER', now())
   insert into job (id, shard, owner_kind, owner_key, job_type_id, job_type_rev_id, event_id, status,
     num_exes,
     max_tries, priority, class_key, resources, input, created, queued, last_status_change, last_modified)
   select id, 1, 'job', id, $2, $3, id, 'QUEUED', 1, 3, 100, 'bench', '{"cpus":1}',
     '{"files":{},"json":{}}', now(),
     now(), now(), now() from unnest($1::bigint[]) as u(id)`,
  `with moved as (update job j set status = 'RUNNING', node_id = $2, started = now(),
    last_status_change = now(),
       last_modified = now()
     from unnest($1::bigint[]) as u(id) where j.id = u.id and j.status || '' = 'QUEUED' and j.num_exes = 1
     returning j.*)
   insert into job_exe (id, job_id, exe_num, job_type_id, node_id, status, resources, created, queued,
     started,
     last_modified)
   select id, id, 1, job_type_id, $2, 'RUNNING', resources, now(), queued, now(), now() from moved`,
  `with ended as (update job_exe x set status = 'COMPLETED', ended = now(), output = '{"files":{},"json":{}}',
       task_results = '{}', last_modified = now()
     from unnest($1::bigint[]) as u(id) where x.id = u.id and x.status || '' = 'RUNNING')
   update job j set status = 'COMPLETED', ended = now(), output = '{"files":{},"json":{}}',
     last_status_change = now(), last_modified = now()
   from unnest($1::bigint[]) as u(id) where j.id = u.id and j.status || '' = 'RUNNING' and j.num_exes = 1`,
].map((text, at) => ({ name: `bare_life_${at}`, text }));

export interface BareLives {
  /** `group`: lives a transaction. */
  run(count: number, group: number): Promise<void>;
  close(): Promise<void>;
}

/** On a database of its own of the test services' server. */
export async function openBareLives(): Promise<BareLives> {
  const downs: (() => Promise<void>)[] = [];
  const world = await storeWorld({ teardown: (down) => void downs.push(down) });
  const { type, rev, node } = world.ids;
  const others = [[type, rev], [node], []];
  let next = 1_000_000;
  return {
    async run(count, group) {
      const last = next + count;
      const lane = async (): Promise<void> => {
        while (next < last) {
          const ids = Array.from({ length: Math.min(group, last - next) }, (_, at) => next + at);
          next += ids.length;
          for (const [at, statement] of STATEMENTS.entries()) {
            const params = [ids, ...(others[at] ?? [])];
            await world.db.sql.transaction((tx) => tx.execute(statement, params));
          }
        }
      };
      await Promise.all(Array.from({ length: LANES }, lane));
    },
    async close() {
      for (const down of downs.reverse()) await down();
    },
  };
}
