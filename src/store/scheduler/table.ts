import { defineEntity, p } from '@mikro-orm/core';
import type { SchedulingClass } from '../../domain/scheduling/scheduling-class.ts';
import type { QueueMode } from '../../domain/scheduling/snapshot.ts';
import { bigint, instant } from '../sql/columns.ts';

/** The one row of scheduler settings. */
export const SchedulerSettingsEntity = defineEntity({
  name: 'SchedulerSettings',
  tableName: 'scheduler_settings',
  properties: {
    id: p.smallint().primary().autoincrement(false).default(1),
    isPaused: p.boolean().default(false),
    numMessageHandlers: p.integer().default(1),
    queueMode: p.text().$type<QueueMode>().default('FIFO'),
    systemLoggingLevel: p.text().default('INFO'),
    lastModified: instant().defaultRaw('now()'),
    objectVersion: p.integer().default(1),
  },
});

/** Scheduling classes of queued jobs. */
export const SchedulingClassEntity = defineEntity({
  name: 'SchedulingClass',
  tableName: 'scheduling_class',
  properties: {
    key: p.text().primary(),
    jobTypeId: bigint(),
    spec: p.json<Omit<SchedulingClass, 'key' | 'jobTypeId'>>(),
    unmet: p.text().nullable(),
  },
});
