/** Products of a type that is not published: recorded, listed and used as any, only not published themselves. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { startPair } from '../harness/pair.ts';
import { listed } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { createJobType } from '../harness/work/job-types.ts';

interface Product {
  readonly id: number;
  readonly file_name: string;
  readonly is_published: boolean;
  readonly is_superseded: boolean;
  readonly ancestors: { readonly parents: readonly { readonly id: number }[] };
}

t.test('unpublished products: the next job of the recipe uses them', async (t) => {
  const { world, client } = await startPair(t);
  const { name: workspace } = await client.post<{ name: string }>('/v6/workspaces/', {
    title: 'Archive',
    configuration: { broker: { type: 'host', host_path: world.at.archive } },
  });
  const types = { inputs: [{ name: 'IN' }], workspace };
  const output = (name: string, pattern: string) => ({
    outputs: [{ name, pattern, mediaType: 'text/plain' }],
  });
  await createJobType(client, {
    ...{ ...types, ...output('MIDDLE', '*.middle'), name: 'draft', isPublished: false },
    script: 'tr a-z A-Z <$IN >$OUTPUT_DIR/a.middle',
  });
  await createJobType(client, {
    ...{ ...types, ...output('LAST', '*.last'), name: 'final', isPublished: true },
    script: 'rev <$IN >$OUTPUT_DIR/a.last',
  });
  const node = (name: string, dependencies: object[], input: object) => ({
    ...{ dependencies, input },
    node_type: { node_type: 'job', job_type_name: name, job_type_version: '1.0.0', job_type_revision: 1 },
  });
  const recipe = await client.post<{ name: string }>('/v6/recipe-types/', {
    title: 'Two Steps',
    definition: {
      input: { files: [{ name: 'FILE', required: true, multiple: false, media_types: [] }], json: [] },
      nodes: {
        draft: node('draft', [], { IN: { type: 'recipe', input: 'FILE' } }),
        final: node('final', [{ name: 'draft' }], {
          IN: { type: 'dependency', node: 'draft', output: 'MIDDLE' },
        }),
      },
    },
  });
  writeFileSync(join(world.at.archive, 'in.txt'), 'hello');
  const scan = await client.post<{ id: number }>('/v6/scans/', {
    title: 'Archive',
    configuration: {
      workspace,
      scanner: { type: 'dir' },
      files_to_ingest: [{ filename_regex: '^in', data_types: [] }],
      recipe: { name: recipe.name },
    },
  });
  await client.post(`/v6/scans/${scan.id}/process/`, { ingest: true });
  const products = await until('both products', async () => {
    const found = await listed<Product>(client, '/v6/files/?file_type=PRODUCT');
    return found.length === 2 && found;
  });
  const details = async (name: string): Promise<Product> => {
    const id = products.find((one) => one.file_name === name)?.id;
    return client.get<Product>(`/v6/files/${id}/`);
  };
  const [middle, last] = [await details('a.middle'), await details('a.last')];
  t.match(middle, { is_published: false, is_superseded: false });
  t.match(last, { is_published: true, is_superseded: false });
  t.ok(
    last.ancestors.parents.some(({ id }) => id === middle.id),
    'one was made of the other',
  );
});
