/**
 * MikroORM's EntityManager over the statements of this store: rows that change seldom are read and written as entities,
 * with the same connections, transactions and errors as everything else. Commits of actors and frequent reads use
 * hand-written SQL.
 */
import { type Configuration, type Dictionary, isRaw, MikroORM, type QueryResult } from '@mikro-orm/core';
import {
  AbstractSqlConnection,
  AbstractSqlDriver,
  NativeQueryBuilder,
  PostgreSqlPlatform,
  type SqlEntityManager,
} from '@mikro-orm/postgresql';
import { assert } from '../../lib/assert.ts';
import {
  AccessTokenEntity,
  AccountEntity,
  AccountIdentityEntity,
  LoginSessionEntity,
} from '../account/table.ts';
import { EventEntity } from '../event/table.ts';
import { JobEntity } from '../job/table.ts';
import { JobTypeEntity, JobTypeRevEntity } from '../job-type/table.ts';
import { ScanEntity } from '../scan/table.ts';
import { SchedulerSettingsEntity } from '../scheduler/table.ts';
import { StrikeEntity } from '../strike/table.ts';
import { WorkspaceEntity } from '../workspace/table.ts';
import type { Sql } from './sql.ts';

export type { SqlEntityManager };

/** Passed to MikroORM as its transaction. */
class Statements {
  readonly sql: Sql;

  constructor(sql: Sql) {
    this.sql = sql;
  }
}

/** Executes MikroORM's statements through the manager's `Sql`, with values as parameters. */
class StoreConnection extends AbstractSqlConnection {
  override createKyselyDialect(): never {
    throw new Error('the store has its own connections');
  }

  override connect(): Promise<void> {
    this.connected = true;
    return Promise.resolve();
  }

  override async execute<T>(
    query: string | NativeQueryBuilder,
    params: readonly unknown[] | Dictionary = [],
    method: 'all' | 'get' | 'run' = 'all',
    on?: unknown,
  ): Promise<T> {
    assert(on instanceof Statements, 'entities are read and written by entityManager(sql)');
    const given = query instanceof NativeQueryBuilder ? query.toRaw() : query;
    const raw = isRaw(given) ? given : { sql: given, params };
    const rows = await on.sql.execute(numbered(raw.sql), raw.params as readonly unknown[]);
    // MikroORM declares T independently of `method`, which alone decides the form of the result.
    if (method === 'all') return rows as T;
    if (method === 'get') return rows[0] as T;
    const result: QueryResult = { affectedRows: rows.length, insertId: 0, row: rows[0] ?? {}, rows };
    return result as T;
  }
}

/** `?` -> `$1`, `$2`, … MikroORM writes `?` for values only, and `\?` for the operator. */
function numbered(sql: string): string {
  let count = 0;
  return sql.replace(/\\\?|\?/g, (found) => (found === '?' ? `$${++count}` : '?'));
}

class StoreDriver extends AbstractSqlDriver<StoreConnection, PostgreSqlPlatform> {
  constructor(config: Configuration) {
    super(config, new PostgreSqlPlatform(), StoreConnection, []);
  }

  /** `Sql` has mapped the error already. */
  override convertException(error: Error): never {
    throw error;
  }
}

/** Tables with rows that are entities. To prepare all 80 tables took 60 ms of each start. */
const ENTITIES = [
  AccessTokenEntity,
  AccountEntity,
  AccountIdentityEntity,
  EventEntity,
  JobEntity,
  JobTypeEntity,
  JobTypeRevEntity,
  LoginSessionEntity,
  ScanEntity,
  SchedulerSettingsEntity,
  StrikeEntity,
  WorkspaceEntity,
];

let orm: MikroORM | undefined;

/** Made with the first manager: most tests that load this make none. */
function ormOfStore(): MikroORM {
  orm ??= new MikroORM({
    driver: StoreDriver,
    dbName: 'millrace',
    entities: ENTITIES,
    forceUtcTimezone: true,
  });
  return orm;
}

/** A new manager, for one operation. Changes are saved by `inEntities`. */
export function entityManager(sql: Sql): SqlEntityManager {
  const manager = ormOfStore().em.fork() as SqlEntityManager;
  manager.setTransactionContext(new Statements(sql));
  return manager;
}

/** Runs `work` in one transaction, and writes the entities that it has changed before the commit. */
export function inEntities<T>(
  sql: Sql,
  work: (manager: SqlEntityManager, sql: Sql) => Promise<T>,
): Promise<T> {
  return sql.transaction(async (tx) => {
    const manager = entityManager(tx);
    const result = await work(manager, tx);
    await manager.flush();
    return result;
  });
}
