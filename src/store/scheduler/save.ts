/** Saves of the scheduler other than placements: its settings, and why job types cannot be placed. */
import { reasonText } from '../../domain/reason.ts';
import { JobTypeEntity } from '../job-type/table.ts';
import type { Group } from '../sql/group.ts';
import type { Sql } from '../sql/sql.ts';
import { rowsOf } from '../sql/table-rows.ts';
import { SchedulingClassEntity } from './table.ts';

const PATCH_SETTINGS = /* sql */ `
  update scheduler_settings set is_paused = coalesce($1, is_paused),
    num_message_handlers = coalesce($2, num_message_handlers), queue_mode = coalesce($3, queue_mode),
    system_logging_level = coalesce($4, system_logging_level), last_modified = to_timestamp($5 / 1000.0)`;

export async function saveScheduler(sql: Sql, group: Group): Promise<void> {
  for (const change of group.changes('saveScheduler')) {
    const { isPaused, messageHandlerCount, queueMode, loggingLevel } = change.patch;
    await sql.execute(PATCH_SETTINGS, [isPaused, messageHandlerCount, queueMode, loggingLevel, change.atMs]);
  }
}

interface Unmet {
  readonly jobTypeId: number;
  readonly unmet: string | null;
}

const UNMET = rowsOf(JobTypeEntity).from<Unmet>(
  {
    id: (row) => row.jobTypeId,
  },
  [['unmet', 'text', (row) => row.unmet?.slice(0, 250)]],
);

const SAVE_UNMET = {
  name: 'save_unmet',
  text: /* sql */ `
    update job_type t set unmet_resources = d.unmet,
      unmet_since = case when t.unmet_resources is null then now() else coalesce(t.unmet_since, now()) end
    from (select l.id as locked_id, d.unmet from job_type l join ${UNMET.table('d')} on l.id = d.id
      order by l.id for no key update of l) as d   -- = job_type_pkey
    where t.id = d.locked_id and t.unmet_resources is distinct from d.unmet`,
};

interface UnmetClass {
  readonly key: string;
  readonly unmet: string | null;
}

const UNMET_CLASSES = rowsOf(SchedulingClassEntity).from<UnmetClass>({
  key: (row) => row.key,
  unmet: (row) => (row.unmet === null ? null : reasonText(row.unmet)),
});

const SAVE_UNMET_CLASSES = {
  name: 'save_unmet_classes',
  text: /* sql */ `
    update scheduling_class c set unmet = d.unmet
    from (select l.key as locked_key, d.unmet from scheduling_class l
      join ${UNMET_CLASSES.table('d')} on l.key = d.key
      order by l.key for no key update of l) as d   -- = scheduling_class_pkey
    where c.key = d.locked_key and c.unmet is distinct from d.unmet`,
};

export async function saveUnmet(sql: Sql, group: Group): Promise<void> {
  const classes = new Map<string, UnmetClass>();
  for (const one of group.items('saveUnmet', (change) => change.classes ?? [])) classes.set(one.key, one);
  if (classes.size > 0) await sql.execute(SAVE_UNMET_CLASSES, UNMET_CLASSES.params([...classes.values()]));
  const types = new Map<number, Unmet>();
  for (const one of group.items('saveUnmet', (change) => change.types)) types.set(one.jobTypeId, one);
  if (types.size > 0) await sql.execute(SAVE_UNMET, UNMET.params([...types.values()]));
}
