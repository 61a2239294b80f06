/** Who is let in by several coordinators of one installation, and by one that lets everybody in. */
import { join } from 'node:path';
import t from 'tap';
import { migratedDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import type { Program } from '../harness/program.ts';
import { until } from '../harness/until.ts';
import { callerOf, logIn, PASSWORD } from '../harness/work/access-calls.ts';
import { createWorld } from '../harness/world.ts';

t.test('access: two coordinators that start at once create one account, and both accept it', async (t) => {
  const world = await createWorld(t);
  const shared = {
    DATABASE_URL: await migratedDatabase(t),
    MILLRACE_AUTH: 'on',
    MILLRACE_SECRET_KEY_FILE: join(world.folder, 'secret.key'),
  };
  const ports = [await freePort(), await freePort()];
  const start = (index: number): Promise<Program> =>
    world.start('coordinator', `coordinator-${index}`, {
      ...{ ...shared, MILLRACE_HTTP: `127.0.0.1:${ports[index]}`, MILLRACE_GRPC: '127.0.0.1:0' },
    });
  const started = await Promise.all([start(0), start(1)]);
  const printed = started.flatMap((program) => PASSWORD.exec(program.output)?.[1] ?? []);
  t.equal(printed.length, 1);
  const [one, other] = [callerOf(ports[0] ?? 0), callerOf(ports[1] ?? 0)];
  const session = await logIn(one, printed[0] ?? '');
  t.equal((await other('GET', '/v6/accounts/profile/', undefined, session)).status, 200);
  const { json: made } = await other('POST', '/v6/tokens/', { name: 'x' }, session);
  const token = { authorization: `Bearer ${made.token}` };
  for (const call of [one, other]) t.equal((await call('GET', '/v6/jobs/', undefined, token)).status, 200);
  t.equal((await one('DELETE', `/v6/tokens/${made.id}/`, undefined, session)).status, 204);
  t.equal((await one('GET', '/v6/jobs/', undefined, token)).status, 401, 'at once where it was revoked');
  await until(
    'the other has noticed',
    async () => (await other('GET', '/v6/jobs/', undefined, token)).status === 401,
  );
});

t.test('access: the status warns of a service beyond loopback without authentication', async (t) => {
  const world = await createWorld(t);
  const port = await freePort();
  const call = callerOf(port);
  const env = { MILLRACE_HTTP: `0.0.0.0:${port}`, MILLRACE_AUTH: 'off-beyond-loopback' };
  const up = await world.start('up', 'up', env);
  t.notMatch(up.output, /password/);
  t.match(up.log, /authentication_off/);
  const { json } = await until('the status can be read', async () => {
    const found = await call('GET', '/v6/status/');
    return found.status === 200 ? found : undefined;
  });
  t.match(json.scheduler.warnings, [{ name: 'AUTHENTICATION_OFF' }]);
});
