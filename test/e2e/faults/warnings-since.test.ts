/**
 * Since when coordinators warn: each of them says the same, also of the others, and continues with it after a restart.
 */
import t from 'tap';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { migratedDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import { needs } from '../../support/services/services.ts';
import { NatsServer } from '../harness/nats-server.ts';
import { until } from '../harness/until.ts';
import { clientOf, createWorld } from '../harness/world.ts';

interface Warning {
  readonly name: string;
  readonly description: string;
  readonly started: string;
}
interface Status {
  readonly scheduler: { readonly warnings: readonly Warning[] };
  readonly dependencies: { readonly msg_queue: { readonly warnings: readonly object[] } };
}

async function warningsOf(client: InterfaceClient): Promise<readonly Warning[]> {
  return (await client.get<Status>('/v6/status/')).scheduler.warnings;
}

/** When each coordinator's began, by its address. */
async function begun(client: InterfaceClient): Promise<ReadonlyMap<string, string>> {
  const warnings = (await warningsOf(client)).filter(({ name }) => name === 'NATS_UNAVAILABLE');
  return new Map(warnings.map(({ description, started }) => [description.split(': ')[0] ?? '', started]));
}

t.test('warnings: each coordinator without NATS reports since when', needs('nats'), async (t) => {
  const world = await createWorld(t);
  const nats = new NatsServer(t, await freePort());
  const env = { DATABASE_URL: await migratedDatabase(t), NATS_URL: nats.url };
  const ports = [await freePort(), await freePort(), await freePort(), await freePort()] as const;
  const start = (at: 0 | 1) =>
    world.start('coordinator', `coordinator-${at}`, {
      ...env,
      ...{ MILLRACE_GRPC: `127.0.0.1:${ports[at]}`, MILLRACE_HTTP: `127.0.0.1:${ports[at + 2]}` },
    });
  const places = [`Coordinator 127.0.0.1:${ports[2]}`, `Coordinator 127.0.0.1:${ports[3]}`] as const;
  const first = await start(0);
  const [one] = [clientOf(first)];
  const alone = await begun(one);
  t.strictSame([...alone.keys()], [places[0]]);
  const other = clientOf(await start(1));
  const both = await until('both are without NATS', async () => {
    const found = await begun(one);
    return found.size === 2 ? found : undefined;
  });
  t.equal(both.get(places[0]), alone.get(places[0]));
  t.ok((both.get(places[1]) ?? '') > (both.get(places[0]) ?? ''), 'each has its own instant');
  t.strictSame(await begun(other), both, 'the other coordinator says the same');
  const queue = (await other.get<Status>('/v6/status/')).dependencies.msg_queue.warnings;
  t.equal(queue.length, 2);

  await first.end('SIGKILL');
  const again = clientOf(await start(0));
  t.strictSame(await begun(again), both, 'after a restart it continues with its own');
  t.strictSame(
    await until('the other has heard', async () => {
      const found = await begun(other);
      return found.size === 2 ? found : undefined;
    }),
    both,
  );

  await nats.begin();
  await until('nobody is without NATS', async () => {
    return (await begun(again)).size === 0 && (await begun(other)).size === 0;
  });
  const mended = new Date().toISOString();
  await nats.kill();
  const returned = await until('both are without NATS again', async () => {
    const found = await begun(again);
    return found.size === 2 ? found : undefined;
  });
  for (const since of returned.values()) t.ok(since > mended, 'a condition that returned has a later start');
  t.strictSame(
    await until('the other says the same', async () => {
      const found = await begun(other);
      return found.size === 2 ? found : undefined;
    }),
    returned,
  );
});

t.test('warnings: missing authentication is reported since its first coordinator started', async (t) => {
  const world = await createWorld(t);
  const database = { DATABASE_URL: await migratedDatabase(t) };
  const open = {
    ...{
      MILLRACE_AUTH: 'off-beyond-loopback',
      MILLRACE_HTTP: '0.0.0.0:0',
      MILLRACE_ALLOWED_HOSTS: '0.0.0.0',
    },
  };
  const ports = [await freePort(), await freePort(), await freePort()] as const;
  const start = (at: 0 | 1 | 2, more: Readonly<Record<string, string>>) =>
    world.start('coordinator', `coordinator-${at}`, {
      ...{ ...database, MILLRACE_GRPC: `127.0.0.1:${ports[at]}`, ...more },
    });
  const first = await start(0, open);
  const since = (await warningsOf(clientOf(first)))[0]?.started ?? '';
  t.match(since, /^\d{4}-/);
  const second = await start(1, open);
  const opened = async (client: InterfaceClient) =>
    (await warningsOf(client)).filter(({ name }) => name === 'AUTHENTICATION_OFF');
  t.match(
    await opened(clientOf(second)),
    [{ started: since }],
    'one that came later says since when the first was',
  );
  await first.end('SIGKILL');
  const again = await start(0, open);
  const found = await opened(clientOf(again));
  t.match(found, [{ started: since }], 'and so does one that was started again');
  const closed = clientOf(await start(2, {}));
  t.match(
    await opened(closed),
    [{ started: since }],
    'one that only this machine reaches says it of the others',
  );
  for (const program of [second, again]) await program.end('SIGTERM');
  await until('the open ones are gone', async () => (await opened(closed)).length === 0);
});
