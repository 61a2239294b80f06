/**
 * The answer to a new recipe is built from memory. No node runs its jobs here, so a read finds the very same record.
 */
import t from 'tap';
import { migratedDatabase } from '../../support/db.ts';
import { createJobType } from '../harness/work/job-types.ts';
import { clientOf, createWorld } from '../harness/world.ts';

const job = { node_type: 'job', job_type_name: 'waits', job_type_version: '1.0.0' };
const node = (nodeType: object, ...after: string[]) => ({
  dependencies: after.map((name) => ({ name })),
  input: {},
  node_type: nodeType,
});
const condition = (least: number) => ({
  ...node({
    node_type: 'condition',
    interface: { json: [{ name: 'N', type: 'number' }] },
    data_filter: { filters: [{ name: 'N', type: 'number', condition: '<=', values: [least] }] },
  }),
  input: { N: { type: 'recipe', input: 'N' } },
});
const INPUT = {
  json: [
    { name: 'N', type: 'number' },
    { name: 'MORE', type: 'object', required: false },
  ],
};

interface Created {
  readonly id: number;
  readonly state: string;
  readonly is_completed: boolean;
  readonly details: { readonly nodes: Record<string, unknown> };
}

t.test('the answer to a new recipe is what a read finds', async (t) => {
  const world = await createWorld(t);
  const client = clientOf(
    await world.start('coordinator', 'coordinator', { DATABASE_URL: await migratedDatabase(t) }),
  );
  await createJobType(client, { name: 'waits', script: 'true' });
  const typeOf = (title: string, nodes: object) =>
    client.post<{ id: number; name: string }>('/v6/recipe-types/', {
      title,
      definition: { input: INPUT, nodes },
    });
  const create = async (recipe_type_id: number, json: object, more: object = {}): Promise<Created> => {
    const made = await client.post<Created>('/v6/recipes/', { recipe_type_id, input: { json }, ...more });
    t.strictSame(made, await client.get(`/v6/recipes/${made.id}/`));
    return made;
  };

  const inner = await client.post<{ name: string }>('/v6/recipe-types/', {
    title: 'Inner',
    definition: { input: {}, nodes: { inside: node(job), second: node(job, 'inside') } },
  });
  const sub = node({ node_type: 'recipe', recipe_type_name: inner.name }, 'b');
  const outer = await typeOf('Outer', {
    ...{ b: node(job), a: node(job, 'b'), Z: node(job, 'a', 'b'), sub, '10': node(job) },
    ...{ yes: condition(1), after: node(job, 'yes') },
  });
  const made = await create(outer.id, { N: 1 });
  t.strictSame(Object.keys(made.details.nodes).sort(), ['10', 'Z', 'a', 'after', 'b', 'sub', 'yes']);
  t.equal(made.state, 'QUEUED');
  const refused = await create(outer.id, { N: 1e-7, MORE: { z: 0.1, a: [null, -0, 1e21], é: 'é' } });
  t.notOk('after' in refused.details.nodes, 'a node behind a condition that refused');
  await create(outer.id, { N: 1 }, { configuration: { priority: 7 } });
  await create(outer.id, { N: 1 }, { configuration: {} });

  const alone = await typeOf('Alone', { never: condition(5), after: node(job, 'never') });
  t.match(await create(alone.id, { N: 1 }), { state: 'COMPLETED', is_completed: true });
});
