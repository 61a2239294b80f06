/**
 * MikroORM's EntityManager over the statements of this store: rows that change seldom are read and written as entities,
 * on the connections, in the transactions and with the errors of all else. Commits of actors and what each request
 * reads use hand-written SQL.
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
import { ENTITIES } from '../tables.ts';
import type { Sql } from './sql.ts';

export type { SqlEntityManager };

/** What MikroORM takes for a transaction of its own. */
class Statements {
  readonly sql: Sql;

  constructor(sql: Sql) {
    this.sql = sql;
  }
}

/** Sends what MikroORM has written by the `Sql` of the manager, with its values as parameters. */
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

/** `?` -> `$1`, `$2`, … MikroORM writes every value and no identifier so, and `\?` for the operator. */
function numbered(sql: string): string {
  let count = 0;
  return sql.replace(/\\\?|\?/g, (found) => (found === '?' ? `$${++count}` : '?'));
}

class StoreDriver extends AbstractSqlDriver<StoreConnection, PostgreSqlPlatform> {
  constructor(config: Configuration) {
    super(config, new PostgreSqlPlatform(), StoreConnection, []);
  }

  /** `Sql` says already what a failure means. */
  override convertException(error: Error): never {
    throw error;
  }
}

const ORM = new MikroORM({
  driver: StoreDriver,
  dbName: 'millrace',
  entities: [...ENTITIES],
  forceUtcTimezone: true,
});

/** A manager of its own for one operation. Changes are saved by `inEntities`. */
export function entityManager(sql: Sql): SqlEntityManager {
  const manager = ORM.em.fork() as SqlEntityManager;
  manager.setTransactionContext(new Statements(sql));
  return manager;
}

/** One transaction at whose end what `work` has changed is written. */
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
