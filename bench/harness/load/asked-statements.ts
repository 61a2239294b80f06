/** The interface over a test's database, in process, and what each of its answers asked that database. */
import { apiDeps } from '../../../src/api/deps.ts';
import { apiRoutes } from '../../../src/api/resources.ts';
import type { Sql } from '../../../src/store/sql/sql.ts';
import type { StoreWorld } from '../../../test/store/store-world.ts';
import { makeCaller } from '../../../test/support/http.ts';
import { idleParts } from '../../../test/support/idle-parts.ts';

export interface Asked {
  readonly text: string;
  readonly params: readonly unknown[];
}

export interface ListCaller {
  /** How many records a page has; 0 of what is no page. Throws when it is not answered with 200. */
  get(path: string): Promise<number>;
  /** The statements of one page. Throws as `get` does. */
  statementsOf(path: string): Promise<readonly Asked[]>;
}

export function listCaller(world: StoreWorld): ListCaller {
  let asked: Asked[] = [];
  const sql: Sql = {
    execute: (statement, params = []) => {
      asked.push({ text: typeof statement === 'string' ? statement : statement.text, params: [...params] });
      return world.db.sql.execute(statement, params);
    },
    transaction: (work) => world.db.sql.transaction(work),
  };
  const caller = makeCaller(apiRoutes('any'), apiDeps(idleParts(sql)), {
    nowMs: Date.now,
    isCheckingReplies: false,
  });
  const get = async (path: string): Promise<number> => {
    asked = [];
    const { status, text, json } = await caller.get(path);
    if (status !== 200) throw new Error(`${path}: ${text}`);
    return json.results?.length ?? 0;
  };
  return {
    get,
    async statementsOf(path) {
      await get(path);
      return asked;
    },
  };
}
