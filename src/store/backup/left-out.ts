/** Which tables a backup contains: all of the schema except these. New tables are included by default. */
import { MIGRATION_TABLE } from '../migration-list.ts';
import { ENTITIES } from '../tables.ts';

/** Tables without their rows in a backup, and why. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  object_change: 'positions in the stream of changes mean nothing in another history',
  change_stream: 'a restored database has an epoch of its own',
  change_tick: 'positions in the stream of changes mean nothing in another history',
  shard_lease: 'no coordinator holds a shard of a restored database',
  coordinator: 'no coordinator runs on a restored database',
  coordinator_warning: 'coordinators warn again of what still is',
  secret_key_holder: 'coordinators report the keys that they have',
  login_session: 'people log in again',
  login_code: 'it ends after minutes',
  idempotency_key: 'what it answers for may be lost',
  idempotency_claim: 'the request that it stands for has ended',
  [MIGRATION_TABLE]: 'the header names the migrations',
};

/** Tables whose rows are in a backup, in alphabetical order. */
export function backedUpTables(): readonly string[] {
  const names = ENTITIES.map((entity) => entity.meta.tableName);
  return names.filter((name) => !Object.hasOwn(LEFT_OUT, name)).sort();
}
