import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { openKeyFile, readKeyFile } from '../../src/store/secret-key/key-file.ts';
import { storeWorld } from '../store/store-world.ts';
import { runTyped } from './run-typed.ts';

async function world(t: Test, env: Record<string, string> = {}) {
  const file = join(t.testdir(), 'secret.key');
  await openKeyFile(file);
  return {
    file,
    ids: async () => (await readKeyFile(file)).map(({ id }) => id),
    run: (...args: string[]) =>
      runTyped(['rotate-key', ...args], { env: { MILLRACE_SECRET_KEY_FILE: file, ...env } }),
  };
}

t.test(
  'rotate-key: adds a key to the file that the settings name, and prints its id and no key',
  async (t) => {
    const { file, ids, run } = await world(t);
    const [first] = await ids();
    const { code, stdout, stderr } = await run();
    const [same, second] = await ids();

    t.match({ code, stderr, same }, { code: 0, stderr: '', same: first });
    t.equal(stdout, `${file} has a new key, ${second}\n`);
    t.match(await run('--secret-key-file', `${file}.none`), { code: 1, stderr: /none cannot be read/ });
    t.match(await run('--nope'), { code: 2, stderr: /unknown option '--nope'/ });
    t.equal((await ids()).length, 2);
  },
);

t.test(
  'rotate-key: older keys are removed only if nothing is encrypted with them, or with --sure',
  async (t) => {
    const { file, ids, run } = await world(t);
    t.match(await run('--remove-old', '--sure'), { code: 0, stdout: /has one key only/ });
    await run();
    const [first, second] = await ids();
    t.match(await run('--remove-old'), { code: 1, stderr: /--sure/ });
    t.equal((await ids()).length, 2);
    t.match(await run('--remove-old', '--sure'), { code: 0, stdout: new RegExp(`^${first} moved to`) });
    t.strictSame(await ids(), [second]);
    t.match(readFileSync(`${file}.retired`, 'utf8'), first);
  },
);

t.test('rotate-key: it reads in the database whether anything still needs the older keys', async (t) => {
  const store = await storeWorld(t);
  const { file, ids, run } = await world(t, { DATABASE_URL: store.url });
  await run();
  const [first, second] = await ids();
  const seals = (id = '', isCompleted = false) =>
    store.rows(
      `insert into secret_key values ($1, true, now(), now(), case when $2::boolean then now() end)
       on conflict (id) do update set completed = excluded.completed`,
      [id, isCompleted],
    );
  t.match(await run('--remove-old'), { code: 1, stderr: new RegExp(`still being encrypted with ${second}`) });
  await seals(first, true);
  t.match(await run('--remove-old'), { code: 1 });
  await store.rows('delete from secret_key');
  await seals(second);
  t.match(await run('--remove-old', '--sure'), { code: 1 }, 'the database knows better');
  t.notOk(existsSync(`${file}.retired`));
  await seals(second, true);
  t.match(await run('--remove-old'), { code: 0 });
  t.strictSame(await ids(), [second]);
  writeFileSync(`${file}.next`, '');
  t.match(await run(), { code: 1, stderr: /\.next exists/ });
});
