/** The one row of scheduler settings. Columns only: indexes, checks and foreign keys are the migrations'. */
import { defineEntity, p } from '@mikro-orm/core';

export const SchedulerSettingsEntity = defineEntity({
  name: 'SchedulerSettings',
  tableName: 'scheduler_settings',
  properties: {
    id: p.smallint().primary().autoincrement(false).default(1),
    isPaused: p.boolean().default(false),
    numMessageHandlers: p.integer().default(1),
    queueMode: p.text().default('FIFO'),
    systemLoggingLevel: p.text().default('INFO'),
    lastModified: p.datetime().columnType('timestamptz').defaultRaw('now()'),
  },
});
