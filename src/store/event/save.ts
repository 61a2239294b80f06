/** Events and scheduling classes: rows that are made once and never change. */
import type { NewEvent } from '../../domain/event.ts';
import type { SchedulingClass } from '../../domain/scheduling/scheduling-class.ts';
import type { Group } from '../sql/group.ts';
import { RowSet } from '../sql/rows.ts';
import type { Sql } from '../sql/sql.ts';

const EVENTS = new RowSet<NewEvent>([
  ['id', 'id', (row) => row.id],
  ['type', 'text', (row) => row.type],
  ['occurred', 'ms', (row) => row.occurredMs],
  ['description', 'json', (row) => row.description],
]);

const INSERT_EVENTS = {
  name: 'insert_events',
  text: /* sql */ `insert into event (${EVENTS.names}) select * from ${EVENTS.table('d')}`,
};

/** `arrived`: events of the group's arrivals. */
export async function createEvents(sql: Sql, group: Group, arrived: readonly NewEvent[]): Promise<void> {
  const events = [...group.items('createEvents', (change) => change.events), ...arrived];
  if (events.length > 0) await sql.execute(INSERT_EVENTS, EVENTS.params(events));
}

const CLASSES = new RowSet<SchedulingClass>([
  ['key', 'text', (row) => row.key],
  ['job_type_id', 'id', (row) => row.jobTypeId],
  [
    'spec',
    'json',
    ({ resources, executor, workspaceIds }) => ({ resources, executor, workspaceIds: [...workspaceIds] }),
  ],
]);

const ENSURE_CLASSES = {
  name: 'ensure_classes',
  text: /* sql */ `
    insert into scheduling_class (${CLASSES.names}) select * from ${CLASSES.table('d')}
    order by d.key on conflict do nothing   -- = scheduling_class_pkey`,
};

export async function ensureClasses(sql: Sql, group: Group): Promise<void> {
  const classes = new Map<string, SchedulingClass>();
  for (const one of group.items('ensureClasses', (change) => change.classes)) classes.set(one.key, one);
  if (classes.size > 0) await sql.execute(ENSURE_CLASSES, CLASSES.params([...classes.values()]));
}
