/** Jobs of one type that are given the same file make the same product: which of them stays published. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { startPair } from '../harness/pair.ts';
import { listed } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { createJobType } from '../harness/work/job-types.ts';

interface Product {
  readonly id: number;
  readonly uuid: string;
  readonly is_published: boolean;
  readonly is_superseded: boolean;
  readonly recipe: { readonly id: number };
  readonly recipe_node: string;
}

const INPUT = { files: [{ name: 'FILE', required: true, multiple: false, media_types: [] }], json: [] };

const nodeOf = (node_type: object, input: string) => ({
  dependencies: [],
  input: { [input]: { type: 'recipe', input: 'FILE' } },
  node_type,
});
const COPY = nodeOf({ node_type: 'job', job_type_name: 'copy', job_type_version: '1.0.0' }, 'IN');

/** A recipe type with three jobs of one type on its file: at two nodes, and in a sub-recipe. */
async function threeCopies(
  client: InterfaceClient,
  workspace: string,
): Promise<{ id: number; name: string }> {
  await createJobType(client, {
    ...{ name: 'copy', inputs: [{ name: 'IN' }], workspace, isPublished: true },
    outputs: [{ name: 'OUT', pattern: '*.copy', mediaType: 'text/plain' }],
    script: 'cp $IN $OUTPUT_DIR/a.copy',
  });
  const inner = await client.post<{ name: string }>('/v6/recipe-types/', {
    title: 'Inner',
    definition: { input: INPUT, nodes: { left: COPY } },
  });
  const nodes = {
    left: COPY,
    right: COPY,
    inside: nodeOf({ node_type: 'recipe', recipe_type_name: inner.name }, 'FILE'),
  };
  return client.post('/v6/recipe-types/', { title: 'Outer', definition: { input: INPUT, nodes } });
}

async function productsOf(client: InterfaceClient): Promise<Product[]> {
  const files = await listed<{ id: number }>(client, '/v6/files/?file_type=PRODUCT&order=id');
  return Promise.all(files.map(({ id }) => client.get<Product>(`/v6/files/${id}/`)));
}

t.test('same products: nodes of a recipe keep their products; a later recipe supersedes', async (t) => {
  const { world, client } = await startPair(t);
  const { name: workspace } = await client.post<{ name: string }>('/v6/workspaces/', {
    title: 'Archive',
    configuration: { broker: { type: 'host', host_path: world.at.archive } },
  });
  const type = await threeCopies(client, workspace);
  writeFileSync(join(world.at.archive, 'in.txt'), 'hello');
  const scan = await client.post<{ id: number }>('/v6/scans/', {
    title: 'Archive',
    configuration: {
      workspace,
      scanner: { type: 'dir' },
      files_to_ingest: [{ filename_regex: '^in', data_types: [] }],
      recipe: { name: type.name },
    },
  });
  await client.post(`/v6/scans/${scan.id}/process/`, { ingest: true });
  const made = (count: number) =>
    until(`${count} products`, async () => {
      const products = await productsOf(client);
      return products.length === count && products;
    });
  const published = (products: readonly Product[]) =>
    products.filter((one) => one.is_published && !one.is_superseded).map((one) => one.id);

  const first = await made(3);
  t.equal(new Set(first.map(({ uuid }) => uuid)).size, 1, 'they are the same product');
  t.same(
    published(first),
    first.map(({ id }) => id),
    'each node keeps its own',
  );

  const [top] = await listed<{ id: number }>(client, `/v6/recipes/?recipe_type_id=${type.id}`);
  await client.post(`/v6/recipes/${top?.id}/reprocess/`, { forced_nodes: { all: false, nodes: ['left'] } });
  const second = await made(4);
  const [fresh] = second.filter(({ id }) => !first.some((one) => one.id === id));
  const old = first.find((one) => one.recipe.id === top?.id && one.recipe_node === 'left');
  t.match(fresh, { recipe_node: 'left', is_published: true });
  t.same(
    published(second),
    second.filter(({ id }) => id !== old?.id).map(({ id }) => id),
    'a node that is done again takes the place of its own product, and of no other',
  );

  const [source] = await listed<{ id: number }>(client, '/v6/files/?file_type=SOURCE');
  await client.post('/v6/recipes/', { recipe_type_id: type.id, input: { files: { FILE: [source?.id] } } });
  const third = await made(7);
  const before = new Set(second.map(({ id }) => id));
  t.same(
    published(third),
    third.filter(({ id }) => !before.has(id)).map(({ id }) => id),
    'a recipe of its own takes the place of them all',
  );
});
