import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { ENCRYPTED_PLACES } from '../../../src/coordinator/secrets/encrypted-places.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { keysInUse } from '../../../src/store/secret-key/re-encryption.ts';
import { migratedDatabase } from '../../support/db.ts';
import { silentLog } from '../../support/silent-log.ts';
import { startPair } from '../harness/pair.ts';
import { until } from '../harness/until.ts';
import { clientOf } from '../harness/world.ts';

const BIN = join(import.meta.dirname, '../../../bin/millrace.js');
const CREDENTIALS = { access_key_id: 'an-id', secret_access_key: 'a-key' };
const SECRET = {
  container_image: 'process:default',
  manifest: {
    seedVersion: '1.0.0',
    job: {
      ...{ name: 'secretive', jobVersion: '1.0.0', packageVersion: '1.0.0', title: 'x', description: 'x' },
      ...{ maintainer: { name: 'A', email: 'a@example.com' }, timeout: 60 },
      interface: {
        command: `sh -c 'test "$PASSWORD" = hush'`,
        settings: [{ name: 'PASSWORD', secret: true }],
      },
      resources: { scalar: [{ name: 'cpus', value: 0.1 }] },
    },
  },
  configuration: { settings: { PASSWORD: 'hush' } },
};

interface Key {
  readonly id: string;
  readonly is_current: boolean;
}

t.test('rotate-key: a new key takes over while work continues, through a kill as well', async (t) => {
  const databaseUrl = await migratedDatabase(t);
  const { world, coordinator, agent, client } = await startPair(t, {
    coordinator: { DATABASE_URL: databaseUrl },
  });
  const database = await openDatabase({ url: databaseUrl, log: silentLog });
  t.teardown(() => database.close());
  const { id: typeId } = await client.post<{ id: number }>('/v6/job-types/', SECRET);
  const broker = {
    type: 'objstore',
    bucket_name: 'a-bucket',
    endpoint: 'http://127.0.0.1:1',
    credentials: CREDENTIALS,
  };
  await client.post('/v6/workspaces/', { title: 'Store', configuration: { broker } });
  const inUse = () => keysInUse(database.sql, ENCRYPTED_PLACES);
  const [first] = await inUse();

  const { env } = coordinator.options;
  const settings = {
    PATH: process.env.PATH,
    MILLRACE_SECRET_KEY_FILE: env.MILLRACE_SECRET_KEY_FILE,
    DATABASE_URL: databaseUrl,
  };
  const millrace = (...args: string[]) =>
    promisify(execFile)(process.execPath, [BIN, ...args], { env: settings as NodeJS.ProcessEnv });
  const { stdout } = await millrace('rotate-key');
  const second = /new key, ([0-9a-f]{10})/.exec(stdout)?.[1] ?? '';
  await t.rejects(millrace('rotate-key', '--remove-old'), { code: 1, stderr: /still being encrypted/ });
  await coordinator.end();
  const again = await world.start('coordinator', 'coordinator', env);
  const keys = async () => (await clientOf(again).get<{ results: Key[] }>('/v6/secret-keys/')).results;
  await until(
    'the new key seals',
    async () => (await keys()).find(({ is_current }) => is_current)?.id === second,
  );
  await until('all secrets are encrypted again', async () => `${await inUse()}` === second);
  t.not(first, second);

  await until('the agent is back', () => agent.log.split('session_opened').length > 2);
  const { id } = await clientOf(again).post<{ id: number }>('/v6/jobs/', { job_type_id: typeId, input: {} });
  const status = async () => (await clientOf(again).get<{ status: string }>(`/v6/jobs/${id}/`)).status;
  await until('a job has its secret', async () => (await status()) === 'COMPLETED');
  await database.sql.execute(`update secret_key set began = began - interval '2 minutes'`);
  await until('the old key can go', () => millrace('rotate-key', '--remove-old').then(() => true));
  await again.end('SIGTERM');
  await world.start('coordinator', 'coordinator', env);
  t.pass('it starts without the old key');
});
