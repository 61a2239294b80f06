/** The client against a service with accounts: its token comes from a function and may lapse meanwhile. */
import { EventEmitter, once } from 'node:events';
import { inspect } from 'node:util';
import t from 'tap';
import { createNodeClient } from '../../src/client/node.ts';
import { createWorld } from '../e2e/harness/world.ts';
import { migratedDatabase } from '../support/db.ts';

const PASSWORD = 'a password of tests';

t.test('client: a lapsed token is replaced by the present one of its source', async (t) => {
  const world = await createWorld(t);
  const up = await world.start('up', 'up', {
    DATABASE_URL: await migratedDatabase(t),
    MILLRACE_AUTH: 'on',
    MILLRACE_ADMIN_PASSWORD: PASSWORD,
  });
  const nobody = createNodeClient({ server: up.url });
  await t.rejects(nobody.get('/v6/status/'), { name: 'RefusedError', status: 401 });
  const answer = await nobody.call('POST', '/v6/login/', { body: { username: 'admin', password: PASSWORD } });
  const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
  const csrf = cookies.find((cookie) => cookie.startsWith('csrftoken='))?.split('=')[1] ?? '';
  const admin = createNodeClient({
    server: up.url,
    headers: () => ({ cookie: cookies.join('; '), 'x-csrftoken': csrf }),
  });
  const issue = (name: string) => admin.post('/v6/tokens/', { body: { name, scope: 'read' } });
  const first = await issue('first');
  const second = await issue('second');

  await t.test('the stream of changes continues with the next token', async (t) => {
    const calls = new EventEmitter();
    let token = first.token;
    const following = createNodeClient({
      server: up.url,
      token: () => {
        setImmediate(() => calls.emit('token'));
        return token;
      },
    });
    const opened = once(calls, 'token');
    const next = following
      .changes({ filters: { kind: ['scheduler'] }, after: '0' })
      [Symbol.asyncIterator]()
      .next();
    await opened;
    token = second.token;
    const openedAgain = once(calls, 'token');
    await admin.delete('/v6/tokens/{id}/', { path: { id: first.id } });
    await openedAgain;
    await admin.patch('/v6/scheduler/', { body: { is_paused: true } });
    t.match((await next).value, { kind: 'scheduler', to: 'PAUSED' });
  });

  await t.test('a refused call gets the token once more, and no error shows it', async (t) => {
    const lapsed = createNodeClient({ server: up.url, token: () => first.token });
    const refused = await lapsed.get('/v6/status/').catch((error: unknown) => error);
    t.match(refused, { name: 'RefusedError', status: 401 });
    t.notMatch(inspect(refused, { depth: 9 }), first.token);
    const sources = [first.token, second.token];
    const replacing = createNodeClient({ server: up.url, token: () => sources.shift() });
    t.match(await replacing.get('/v6/accounts/profile/'), { username: 'admin' });
  });

  await t.test('a caller without the role is refused', async (t) => {
    const reader = createNodeClient({ server: up.url, token: () => second.token });
    await t.rejects(reader.patch('/v6/scheduler/', { body: { is_paused: false } }), {
      name: 'RefusedError',
      status: 403,
    });
  });
});
