/** The examples of the OpenAPI document, sent as they are but for their directories, make what they say. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Page } from '../../support/clients/interface-client.ts';
import { startPair } from '../harness/pair.ts';
import { until } from '../harness/until.ts';

interface Description {
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly examples?: readonly unknown[] }>>;
  };
}
interface RecipeNodes {
  readonly is_completed: boolean;
  readonly details: {
    readonly nodes: Readonly<Record<string, { readonly node_type: { readonly reason?: string | null } }>>;
  };
}

t.test('examples: the requests of the guide, sent in order, turn files into products', async (t) => {
  const { client, world } = await startPair(t);
  const { components } = await client.get<Description>('/v6/openapi.json');
  const data = join(world.folder, 'data');
  for (const folder of ['arrivals', 'products']) mkdirSync(join(data, folder), { recursive: true });
  const examples = (name: string): readonly unknown[] => {
    const text = JSON.stringify(components.schemas[name]?.examples ?? []);
    return JSON.parse(text.replaceAll('/data/', `${data}/`)) as readonly unknown[];
  };
  const calls = [
    ['workspaces', 'WorkspaceCreate'],
    ['job-types', 'JobTypeCreate'],
    ['recipe-types', 'RecipeTypeCreate'],
    ['strikes', 'StrikeCreate'],
    ['scans', 'ScanCreate'],
  ] as const;
  const made: { readonly id: number; readonly name: string }[] = [];
  for (const [path, name] of calls) {
    // A refusal is thrown.
    for (const body of examples(name)) made.push(await client.post(`/v6/${path}/`, body));
  }
  t.strictSame(
    made.map(({ name }) => name),
    [
      ...['arrivals', 'products', 'uploads'],
      ...['count-words', 'compress', 'checksum'],
      ...['long-texts', 'texts', 'shelf'],
    ],
  );

  for (const [name, words] of Object.entries({ 'short.txt': 8, 'long.txt': 500 })) {
    writeFileSync(join(data, 'arrivals', `${name}_tmp`), 'word '.repeat(words));
    renameSync(join(data, 'arrivals', `${name}_tmp`), join(data, 'arrivals', name));
  }
  const recipes = await until('two recipes are complete', async () => {
    const { results } = await client.get<Page<{ id: number; is_completed: boolean }>>('/v6/recipes/');
    return results.length === 2 && results.every((one) => one.is_completed) && results;
  });
  const { results } = await client.get<Page<{ file_name: string }>>('/v6/files/?file_type=PRODUCT');
  t.strictSame(results.map(({ file_name: name }) => name).sort(), ['long.txt.gz', 'long.txt.gz.sha256']);
  const reasons = await Promise.all(
    recipes.map(async ({ id }) => {
      const { details } = await client.get<RecipeNodes>(`/v6/recipes/${id}/`);
      return details.nodes['is-long']?.node_type.reason;
    }),
  );
  t.strictSame(reasons.sort(), ['WORDS 8 is not above 100', null]);

  // Those that name records are sent with what there is.
  const source = await client.get<Page<{ id: number }>>('/v6/files/?file_type=SOURCE');
  const input = { files: { TEXT: [source.results[0]?.id] }, json: {} };
  const ids = {
    jobs: { job_type_id: made[3]?.id, input },
    recipes: { recipe_type_id: made[6]?.id, input },
  };
  for (const [path, name] of [['jobs', 'JobCreate'] as const, ['recipes', 'RecipeCreate'] as const]) {
    const [example] = examples(name) as readonly [object];
    t.strictSame(Object.keys(example), Object.keys(ids[path]), 'nothing else is in the example');
    t.match(await client.post(`/v6/${path}/`, { ...example, ...ids[path] }), { id: Number });
  }
  for (const [index, body] of examples('RecipeReprocess').entries())
    await client.post(`/v6/recipes/${recipes[index]?.id}/reprocess/`, body);
});
