/** Recipes drawn as text, and run again. */
import t from 'tap';
import { drawGraph, type GraphNode, inOrder } from '../../src/cli/recipe-graph/lanes.ts';
import { createTyped } from '../e2e/apply/typed.ts';
import { until } from '../e2e/harness/until.ts';
import { createJobType } from '../e2e/harness/work/job-types.ts';
import type { InterfaceClient } from '../support/clients/interface-client.ts';

const graphOf = (edges: Readonly<Record<string, readonly string[]>>): GraphNode[] =>
  Object.entries(edges).map(([name, after]) => ({ name, after }));
const drawn = (edges: Readonly<Record<string, readonly string[]>>, columnsMax = 10) =>
  drawGraph(graphOf(edges), () => 'o', columnsMax)?.map(({ columns, name }) => `${columns}${name}`);

t.test('graph: chains, forks, joins and crossing lines are drawn', (t) => {
  t.strictSame(drawn({ a: [], b: ['a'], c: ['b'] }), ['o a', 'o b', 'o c']);
  t.strictSame(drawn({ a: [], b: ['a'], c: ['a'] }), ['o a', '├─o b', 'o c']);
  t.strictSame(drawn({ a: [], b: ['a'], c: ['a'], d: ['b', 'c'] }), ['o a', '├─o b', 'o │ c', 'o─┘ d']);
  t.strictSame(drawn({ d: ['a', 'b'], a: [], b: [] }), ['o a', '│ o b', 'o─┘ d'], 'in any order');
  t.strictSame(drawn({ a: [], b: [], c: [], d: ['a', 'c'], e: ['b', 'd'] }), [
    'o a',
    '│ o b',
    '│ │ o c',
    'o─│─┘ d',
    'o─┘ e',
  ]);
  t.strictSame(drawn({ a: ['gone'], b: ['a', 'a'] }), ['o a', 'o b']);
  t.strictSame(drawn({}), []);
  t.equal(drawn({ a: [], b: [], c: [], d: ['a', 'b', 'c'] }, 2), undefined, 'wider than the terminal');
  t.end();
});

t.test('graph: any graph is drawn with each node once, after its parents, in a column of its own', (t) => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let round = 0; round < 200; round += 1) {
    const nodes = Array.from({ length: 1 + random(30) }, (_, index) => ({
      name: `n${index}`,
      after: Array.from({ length: index === 0 ? 0 : random(4) }, () => `n${random(index)}`),
    })).sort(() => random(3) - 1);
    const names = inOrder(nodes).map(({ name }) => name);
    t.strictSame([...names].sort(), nodes.map(({ name }) => name).sort());
    for (const { name, after } of nodes)
      for (const parent of after) t.ok(names.indexOf(parent) < names.indexOf(name));
    const lines = drawGraph(nodes, () => 'o', 100) ?? [];
    t.ok(lines.every(({ columns }) => columns.split('o').length === 2));
    t.equal(lines.at(-1)?.below, '', 'no line is left open');
  }
  t.end();
});

async function recipeType(client: InterfaceClient): Promise<number> {
  const script = 'printf "{\\"WORDS\\": 2000}" >$OUTPUT_DIR/seed.outputs.json';
  await createJobType(client, { name: 'count', script, outputsJson: [{ name: 'WORDS', type: 'integer' }] });
  await createJobType(client, { name: 'next', script: 'true' });
  const job = (name: string) => ({ node_type: 'job', job_type_name: name, job_type_version: '1.0.0' });
  const condition = {
    node_type: 'condition',
    interface: { json: [{ name: 'WORDS', type: 'integer' }] },
    data_filter: { filters: [{ name: 'WORDS', type: 'integer', condition: '<', values: [100] }] },
  };
  const nodes = {
    count: { dependencies: [], input: {}, node_type: job('count') },
    large: {
      dependencies: [{ name: 'count' }],
      input: { WORDS: { type: 'dependency', node: 'count', output: 'WORDS' } },
      node_type: condition,
    },
    pack: { dependencies: [{ name: 'large', acceptance: true }], input: {}, node_type: job('next') },
    copy: { dependencies: [{ name: 'large', acceptance: false }], input: {}, node_type: job('next') },
  };
  const type = await client.post<{ id: number }>('/v6/recipe-types/', {
    title: 'Words',
    definition: { input: {}, nodes },
  });
  return type.id;
}

t.test(
  'recipe: commands draw its graph with states and values, run it again from a node, and reprocess it',
  async (t) => {
    const { client, run } = await createTyped(t);
    const { id } = await client.post<{ id: number }>('/v6/recipes/', {
      recipe_type_id: await recipeType(client),
      input: { files: {}, json: {} },
    });
    const isDone = (one: number) => async () =>
      (await client.get<{ is_completed: boolean }>(`/v6/recipes/${one}/`)).is_completed;
    await until('the recipe is complete', isDone(id));
    const shown = await run(['recipe', 'show', `${id}`, '--graph']);
    t.match(shown, { code: 0 });
    t.match(
      shown.stdout,
      /\n✓ count {2}COMPLETED {2}job \d+\n◆ large {2}accepted\n│ {5}count.WORDS > 100\n│ {5}count.WORDS = 2000\n/,
    );
    t.match(
      shown.stdout,
      /\n├─○ copy {2}not made {2}if not large\n✓ pack {2}COMPLETED {2}job \d+ {2}if large\n$/,
    );

    t.match(await run(['recipe', 'rerun', `${id}`, '--from', 'none', '--yes']), { code: 3, stderr: /none/ });
    t.match(await run(['recipe', 'rerun', 'x']), { code: 2, stderr: /recipe 'x': expected an id/ });
    t.match(await run(['recipe', 'rerun', '999999', '--yes']), { code: 5 });
    t.match(await run(['reprocess', `${id}`, '--all', '--node', 'pack']), { code: 2, stderr: /choose one/ });
    t.match(await run(['reprocess', `${id}`, '--revision', '0']), { code: 2, stderr: /--revision '0'/ });
    t.match(await run(['reprocess', `${id}`, '--dry-run']), {
      code: 3,
      stderr: /nothing is forced.*\n {2}--node NAME runs this node/,
    });
    const preview = await run(['recipe', 'rerun', `${id}`, '--from', 'pack', '--dry-run']);
    t.match(preview, { code: 0, stdout: /makes 1 job and 1 recipe; runs pack; keeps count, large/ });
    t.match(await run(['recipe', 'rerun', `${id}`, '--from', 'pack']), { code: 2, stderr: /Add --yes/ });
    const rerun = await run(['recipe', 'rerun', `${id}`, '--from', 'pack', '--yes']);
    t.match(rerun, { code: 0, stdout: /^\d+\n$/ });
    const next = Number(rerun.stdout);
    await until('the recipe in its place is complete', isDone(next));
    t.match(await client.get(`/v6/recipes/${id}/`), { is_superseded: true });
    t.match(await run(['reprocess', `${next}`, '--all', '--dry-run', '-o', 'json']), {
      code: 0,
      stdout: /"new_jobs": 1/,
    });
  },
);
