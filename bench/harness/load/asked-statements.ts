/** The interface over a test's database, in process, and what each of its answers asked that database. */
import { apiDeps } from '../../../src/api/deps.ts';
import { apiRoutes } from '../../../src/api/resources.ts';
import { heardSql } from '../../../test/store/sql/heard-sql.ts';
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
  const sql = heardSql(world.db.sql, ({ text, params }) => void asked.push({ text, params }));
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
