import t from 'tap';
import { up } from '../../../src/store/migrations/0032-declared-media-types.ts';
import { storeWorld } from '../store-world.ts';

const store = await storeWorld(t);

async function setOutputs(files: readonly object[]): Promise<void> {
  await store.rows('update job_type_rev set manifest = $1 where job_type_id = $2', [
    JSON.stringify({ job: { interface: { outputs: { files } } } }),
    store.ids.type,
  ]);
}

async function outputs(): Promise<unknown> {
  const [row] = await store.rows<{ files: unknown }>(
    `select manifest #> '{job,interface,outputs,files}' as files from job_type_rev where job_type_id = $1`,
    [store.ids.type],
  );
  return row?.files;
}

t.test('migration 0032: the media type that stood for none goes, all else stays in its order', async (t) => {
  const picture = { name: 'PICTURE', pattern: '*.png', mediaType: 'image/png' };
  const data = { name: 'DATA', pattern: '*.bin' };
  const all = [{ name: 'ANY', pattern: '*' }, picture, data];
  await setOutputs(all.map((output) => ({ mediaType: 'application/octet-stream', ...output })));
  for (const statement of up) await store.rows(statement);
  t.strictSame(await outputs(), all);

  await setOutputs([picture]);
  for (const statement of up) await store.rows(statement);
  t.strictSame(await outputs(), [picture]);
  await setOutputs([]);
  for (const statement of up) await store.rows(statement);
  t.strictSame(await outputs(), []);
});
