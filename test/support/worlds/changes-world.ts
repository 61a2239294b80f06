/** The stream of changes over a real socket, behind the real auth filter, with changes for tests. */
import type { Test } from 'tap';
import { changeRoutes } from '../../../src/api/changes/routes.ts';
import { changesApp } from '../../../src/api/changes/service.ts';
import { startServer } from '../../../src/http/native/server.ts';
import { addTick } from '../../../src/store/change/ticks.ts';
import { silentLog } from '../silent-log.ts';
import { accessWorldOf, type WorldSettings } from './access-world.ts';

export async function changesWorld(t: Test, settings: WorldSettings = {}) {
  const world = await accessWorldOf(t, settings, changeRoutes, ({ streams, logins }) => ({
    changes: changesApp({ sql: logins.sql, streams, log: silentLog }),
  }));
  const { store, access } = world;
  const { sql } = store.db;
  while (await addTick(sql));
  let requestCount = 0;
  const server = await startServer({
    ...{ host: '127.0.0.1', port: 0, dispatcher: world.dispatcher, log: silentLog },
    newRequestId: () => `request-${++requestCount}`,
    ...{ bufferedBytesMax: 4_000_000, connectionsMax: 200 },
  });
  t.teardown(async () => {
    access.streams.stop();
    await server.stop(AbortSignal.abort());
  });
  const reader = await world.token(await world.account('reader'), 'read');
  return {
    ...world,
    server,
    sql,
    /** Headers of an account without staff rights. */
    reader,
    url: `http://127.0.0.1:${server.port}/v6/changes/`,
    /** The present cursor. */
    now: async (): Promise<string> => (await world.get('/v6/changes/', reader)).json.cursor,
    /** Changes a node (or all) a number of times, each in a transaction, and assigns positions to the changes. */
    async change(times = 1, where = `id = ${store.ids.node}`): Promise<void> {
      for (let at = 0; at < times; at += 1) {
        await store.rows(`update node set is_paused = not is_paused where ${where}`);
      }
      await addTick(sql);
    },
  };
}
