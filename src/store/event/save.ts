/** Events and scheduling classes: rows that never change. */
import type { NewEvent } from '../../domain/event.ts';
import type { SchedulingClass } from '../../domain/scheduling/scheduling-class.ts';
import { SchedulingClassEntity } from '../scheduler/table.ts';
import type { Group } from '../sql/group.ts';
import type { Sql } from '../sql/sql.ts';
import { rowsOf } from '../sql/table-rows.ts';
import { UniformRows } from '../sql/uniform-rows.ts';
import { EventEntity } from './table.ts';

const EVENTS = rowsOf(EventEntity).from<NewEvent>({
  id: (row) => row.id,
  type: (row) => row.type,
  occurred: (row) => row.occurredMs,
  description: (row) => row.description,
  traceParent: (row) => row.traceParent,
});

const INSERT_EVENTS = new UniformRows(
  'insert_events',
  EVENTS,
  ['id', 'description'],
  (table) => /* sql */ `insert into event (${EVENTS.names}) select * from ${table}`,
);

/** `arrived`: events of the group's arrivals. */
export async function createEvents(sql: Sql, group: Group, arrived: readonly NewEvent[]): Promise<void> {
  const events = [...group.items('createEvents', (change) => change.events), ...arrived];
  await INSERT_EVENTS.execute(sql, events);
}

const CLASSES = rowsOf(SchedulingClassEntity).from<SchedulingClass>({
  key: (row) => row.key,
  jobTypeId: (row) => row.jobTypeId,
  spec: ({ resources, executor, workspaceIds }) => ({ resources, executor, workspaceIds: [...workspaceIds] }),
});

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
