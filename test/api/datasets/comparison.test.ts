/** A dataset beside the newest earlier one that has the same parameters. */
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { datasetRoutes } from '../../../src/api/datasets/routes.ts';
import { makeSource } from '../../store/make.ts';
import { storeWorld } from '../../store/store-world.ts';
import { makeCaller } from '../../support/http.ts';

t.test('comparison: members, and files that only one of both has', async (t) => {
  const store = await storeWorld(t);
  const { get, call } = makeCaller(datasetRoutes, { sql: store.db.sql });
  const newFile = async (fileName: string): Promise<number> => {
    const file = await makeSource(store, { fileName, filePath: `d/${fileName}` });
    await store.apply({ type: 'createSourceFiles', files: [file] });
    return file.id;
  };
  const [a, b, c] = [await newFile('a.txt'), await newFile('b.txt'), await newFile('c.txt')];
  const make = async (title: string, parameter: string, files: readonly number[]): Promise<number> => {
    const definition = { parameters: { files: [{ name: parameter }], json: [] } };
    const data = files.map((id) => ({ files: { [parameter]: [id] }, json: {} }));
    const made = await call('POST', '/v6/datasets/', { title, definition, data });
    t.equal(made.status, 201, made.text);
    return made.json.id;
  };
  const monday = await make('Monday', 'IN', [a, b]);
  const other = await make('Other', 'OTHER', [a]);
  const large = await make('Large', 'IN', [a, c]);
  await store.rows(`update dataset set definition = definition || $2 where id = $1`, [
    large,
    { global_data: { files: {}, json: { TEXT: randomBytes(5_000).toString('base64') } } },
  ]);
  const tuesday = await make('Tuesday', 'IN', [b, c]);

  const found = (await get(`/v6/datasets/${tuesday}/comparison/`)).json;
  t.match(found, {
    dataset: { id: tuesday, title: 'Tuesday', files: 2, members: 2 },
    before: { id: monday, title: 'Monday', files: 2, members: 2 },
    files: { common_count: 1, added_count: 1, removed_count: 1 },
  });
  t.not(found.before.id, large, 'a large definition is not read');
  t.strictSame(found.files.added, [{ id: c, file_name: 'c.txt' }]);
  t.strictSame(found.files.removed, [{ id: a, file_name: 'a.txt' }]);

  const alone = (await get(`/v6/datasets/${other}/comparison/`)).json;
  t.match(alone, { dataset: { members: 1 }, before: null, files: null });
  t.equal((await get('/v6/datasets/999999/comparison/')).status, 404);
});
