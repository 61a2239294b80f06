/** Commands that follow a service into a pipe, while it is killed and started again. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { createNodeClient } from '../../../src/client/node.ts';
import { until } from '../../e2e/harness/until.ts';
import { createWorld } from '../../e2e/harness/world.ts';
import { migratedDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import { piped } from './piped.ts';

t.test('lost: a killed service is reported on standard error, and no change is missed', async (t) => {
  const world = await createWorld(t);
  const http = { DATABASE_URL: await migratedDatabase(t), MILLRACE_HTTP: `127.0.0.1:${await freePort()}` };
  let up = await world.start('up', 'up', http);
  const env = { MILLRACE_SERVER: up.url, XDG_CONFIG_HOME: join(world.folder, 'config') };
  const client = createNodeClient({ server: up.url, retryForMs: 240_000 });
  const ids: number[] = [];
  const created = () =>
    followed.written.out
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as { what: string; id: number })
      .filter(({ what }) => what === 'created');
  const make = async () => {
    const name = `place-${ids.length + 1}`;
    mkdirSync(join(world.folder, name));
    const broker = { type: 'host' as const, host_path: join(world.folder, name) };
    const { id } = await client.post('/v6/workspaces/', {
      body: { title: name, name, configuration: { broker } },
    });
    ids.push(id);
  };
  const followed = piped(t, ['changes', '-f', '--after', '0', '--kind', 'workspace', '-o', 'json'], env);
  const watched = piped(t, ['status', '--watch'], env);
  await make();
  await until('the first one is shown', async () => created().length === 1);
  await watched.shows('out', /scheduler READY/);
  t.match(
    [followed.written.err, watched.written.err],
    ['', ''],
    'while the service is there nothing stands beside the result',
  );

  const lost = `${new URL(up.url).host}[^\n]*; the connection is lost, trying again \\.\\.\\.\n`;
  const back = `${up.url}: the connection is back\n`;
  await up.end('SIGKILL');
  await followed.shows('err', new RegExp(lost));
  await watched.shows('err', new RegExp(lost));
  up = await world.start('up', 'up', http);
  await make();
  await make();
  await followed.shows('err', new RegExp(back));
  await watched.shows('err', new RegExp(back));
  await until('the last one is shown', async () => created().some(({ id }) => id === ids.at(-1)));
  for (const { written } of [followed, watched]) {
    t.match(written.err, new RegExp(`^[^\n]*${lost}${back}$`), 'each once');
  }
  t.strictSame(
    created().map(({ id }) => id),
    ids,
    'each workspace once, in order',
  );
  t.notMatch(watched.written.out, 'trying again');
  t.equal(await followed.interrupted(), 130);
  t.equal(await watched.interrupted(), 0);
});
