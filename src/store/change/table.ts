import { defineEntity, p } from '@mikro-orm/core';
import { bigint, instant } from '../sql/columns.ts';

/** The changes of statements, one row for each statement. Written only by triggers. */
export const ObjectChangeEntity = defineEntity({
  name: 'ObjectChange',
  tableName: 'object_change',
  properties: {
    xid: p.text().columnType('xid8').primary().defaultRaw('pg_current_xact_id()'),
    id: bigint().primary().autoincrement(),
    at: instant().defaultRaw('clock_timestamp()'),
    kind: p.text(),
    items: p.text(),
  },
});

/** The state of the stream of changes: one row. */
export const ChangeStreamEntity = defineEntity({
  name: 'ChangeStream',
  tableName: 'change_stream',
  properties: {
    id: p.smallint().primary().autoincrement(false).default(1),
    epoch: p.text().default(''),
    identity: p.text().default(''),
    tick: bigint().defaultRaw('0'),
    snapshot: p.text().columnType('pg_snapshot').defaultRaw('pg_current_snapshot()'),
    floor: bigint().defaultRaw('0'),
  },
});

/** Snapshots between which changes became visible, in order. */
export const ChangeTickEntity = defineEntity({
  name: 'ChangeTick',
  tableName: 'change_tick',
  properties: {
    tick: bigint().primary().autoincrement(false),
    before: p.text().columnType('pg_snapshot'),
    snapshot: p.text().columnType('pg_snapshot'),
    at: instant().defaultRaw('clock_timestamp()'),
  },
});
