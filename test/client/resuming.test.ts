/** The client while the service is killed and started again: lists, changes and creates continue. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { UnreachableError } from '../../src/client/errors.ts';
import { createNodeClient } from '../../src/client/node.ts';
import { createWorld } from '../e2e/harness/world.ts';
import { migratedDatabase } from '../support/db.ts';
import { freePort } from '../support/services/free-port.ts';

const RETRY_FOR_MS = 240_000;

t.test('client: calls continue after the service was killed and started again', async (t) => {
  const world = await createWorld(t);
  const http = { DATABASE_URL: await migratedDatabase(t), MILLRACE_HTTP: `127.0.0.1:${await freePort()}` };
  let up = await world.start('up', 'up', http);
  const restart = async () => {
    await up.end('SIGKILL');
    up = await world.start('up', 'up', http);
  };
  const client = createNodeClient({ server: up.url, retryForMs: RETRY_FOR_MS });
  let made = 0;
  const make = () => {
    made += 1;
    const title = `place-${made}`;
    mkdirSync(join(world.folder, title), { recursive: true });
    return client.post('/v6/workspaces/', {
      body: { title, configuration: { broker: { type: 'host', host_path: join(world.folder, title) } } },
    });
  };

  await t.test('a list continues and yields each record once', async (t) => {
    for (let number = 0; number < 4; number += 1) await make();
    const titles: string[] = [];
    for await (const { title } of client.list('/v6/workspaces/', { pageSize: 1 })) {
      titles.push(title);
      if (titles.length === 2) await restart();
    }
    t.strictSame(titles, ['place-1', 'place-2', 'place-3', 'place-4'], 'each record once');
  });

  await t.test('changes continue, each once and in order', async (t) => {
    const filters = { kind: ['workspace' as const], what: ['created' as const] };
    const ids: number[] = [];
    for await (const { id } of client.changes({ filters, after: '0' })) {
      ids.push(id);
      if (ids.length === 2) {
        await restart();
        await make();
      }
      if (ids.length === made) break;
    }
    const listed: number[] = [];
    for await (const { id } of client.list('/v6/workspaces/')) listed.push(id);
    t.strictSame(ids, listed);
  });

  await t.test('a create that is sent while the service is away is carried out once', async (t) => {
    await up.end('SIGKILL');
    const creating = make();
    up = await world.start('up', 'up', http);
    const { title } = await creating;
    t.equal(await client.count('/v6/workspaces/', { query: { name: [title] } }), 1);
  });

  await t.test('a service that stays away is an error that names its address and no token', async (t) => {
    await up.end('SIGKILL');
    const away = createNodeClient({ server: up.url, token: () => 'a-secret-token', retryForMs: 0 });
    const error = await away.get('/v6/version/').catch((error: unknown) => error);
    t.ok(error instanceof UnreachableError, String(error));
    t.match(String(error), new URL(up.url).host);
    t.match(String(error), 'ECONNREFUSED');
    t.notMatch(JSON.stringify(error) + String((error as Error).stack), 'a-secret-token');
    const changes = away.changes()[Symbol.asyncIterator]();
    await t.rejects(changes.next(), UnreachableError);
  });
});
