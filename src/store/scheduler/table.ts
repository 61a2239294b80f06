import { defineEntity, p } from '@mikro-orm/core';
import { bigint, type Document, instant } from '../columns.ts';

/** The one row of scheduler settings. */
export const SchedulerSettingsEntity = defineEntity({
  name: 'SchedulerSettings',
  tableName: 'scheduler_settings',
  properties: {
    id: p.smallint().primary().autoincrement(false).default(1),
    isPaused: p.boolean().default(false),
    numMessageHandlers: p.integer().default(1),
    queueMode: p.text().default('FIFO'),
    systemLoggingLevel: p.text().default('INFO'),
    lastModified: instant().defaultRaw('now()'),
  },
});

/** Kinds of queued jobs that are alike to the scheduler. */
export const SchedulingClassEntity = defineEntity({
  name: 'SchedulingClass',
  tableName: 'scheduling_class',
  properties: {
    key: p.text().primary(),
    jobTypeId: bigint(),
    spec: p.json<Document>(),
    unmet: p.text().nullable(),
  },
});
