/** Why recipes are not complete, or made no more than they did: each cause made on purpose. */
import t from 'tap';
import { type Cause, causedBy, causesAt } from '../harness/causes.ts';
import { startPair } from '../harness/pair.ts';
import { until } from '../harness/until.ts';
import { createJobType, jobIs } from '../harness/work/job-types.ts';

const node = (type: object, dependencies: readonly (string | object)[], input: object = {}) => ({
  dependencies: dependencies.map((one) => (typeof one === 'string' ? { name: one } : one)),
  input,
  node_type: type,
});
const job = (name: string) => ({ node_type: 'job', job_type_name: name, job_type_version: '1.0.0' });
const whyOf = (id: number) => `/v6/recipes/${id}/why/`;

/** The causes of a node: those whose first subject it is. */
function ofNode(causes: readonly Cause[], name: string): readonly Cause[] {
  return causes.filter(({ subjects }) => subjects[0]?.kind === 'recipe_node' && subjects[0].name === name);
}

interface Nodes {
  readonly details: {
    readonly nodes: Readonly<Record<string, { node_type: { job_id?: number; recipe_id?: number } }>>;
  };
}

t.test('why: it explains jobs that wait, are behind a failure, or were superseded', async (t) => {
  const { client } = await startPair(t);
  await createJobType(client, { name: 'sleeps', script: 'exec sleep 600', timeout: 600, maxTries: 1 });
  for (const name of ['next', 'inner']) await createJobType(client, { name, script: 'true' });
  const make = (title: string, nodes: object) =>
    client.post<{ id: number; name: string }>('/v6/recipe-types/', {
      title,
      definition: { input: { files: [], json: [] }, nodes },
    });
  const inside = await make('Inside', { inner: node(job('inner'), []) });
  const outside = await make('Outside', {
    first: node(job('sleeps'), []),
    second: node(job('next'), ['first']),
    third: node(job('next'), ['second']),
    inside: node({ node_type: 'recipe', recipe_type_name: inside.name }, ['first']),
  });
  const { id } = await client.post<{ id: number }>('/v6/recipes/', {
    recipe_type_id: outside.id,
    input: { files: {}, json: {} },
  });
  const nodes = await until('its jobs are made', async () => {
    const { details } = await client.get<Nodes>(`/v6/recipes/${id}/`);
    return details.nodes.third === undefined ? undefined : details.nodes;
  });
  const [first, second] = [nodes.first?.node_type.job_id ?? 0, nodes.second?.node_type.job_id ?? 0];
  const sub = nodes.inside?.node_type.recipe_id ?? 0;
  await jobIs(client, first, ['RUNNING']);
  const waiting = await causesAt(client, whyOf(id));
  t.match(ofNode(waiting, 'first'), [{ name: 'running', subjects: [{}, { kind: 'job', id: first }] }]);
  t.match(ofNode(waiting, 'second'), [
    { name: 'waits-for-parents', reason: `it waits for node 'first' (job ${first}, RUNNING)`, since: /^20/ },
  ]);
  t.match(ofNode(waiting, 'third')[0]?.reason, /node 'second' \(job \d+, PENDING\)/);
  // Not its amounts: one of them is how long the job has run.
  const told = (causes: readonly Cause[]) => causes.map(({ amounts: _, ...cause }) => cause);
  t.strictSame(told(await causesAt(client, whyOf(id))), told(waiting), 'asking changes nothing');
  const [own] = await causedBy(client, `/v6/jobs/${second}/why/`, 'waits-for-parents');
  t.match(own.subjects, [
    { kind: 'recipe_node', name: 'second' },
    { kind: 'job', id: first, name: 'first' },
  ]);
  t.match(await causesAt(client, whyOf(sub)), [{ name: 'recipe-without-input' }]);

  await client.post('/v6/jobs/cancel/', { job_ids: [first] });
  await jobIs(client, first, ['CANCELED']);
  const blocked = await until('what is behind it is blocked', async () => {
    const causes = await causesAt(client, whyOf(id));
    return ofNode(causes, 'third')[0]?.name === 'blocked-by-parent' ? causes : undefined;
  });
  t.match(ofNode(blocked, 'first'), [{ name: 'canceled', reason: 'canceled by Anonymous' }]);
  const text = `it waits for what did not complete: node 'first' (job ${first}, CANCELED)`;
  t.equal(ofNode(blocked, 'third')[0]?.reason, text, 'not what is between');
  t.match(await causedBy(client, whyOf(sub), 'blocked-from-outside'), [
    { name: 'blocked-from-outside', subjects: [{ name: 'inner' }, { kind: 'recipe', id, name: 'inside' }] },
  ]);

  await client.post(`/v6/recipes/${id}/reprocess/`, { forced_nodes: { all: true } });
  const [superseded] = await causedBy(client, whyOf(id), 'superseded');
  t.match(superseded.reason, /^it was reprocessed: the recipe \d+ continues in its place$/);
  await causedBy(client, `/v6/jobs/${second}/why/`, 'superseded');
});

t.test('why: it shows conditions that decided otherwise, with their values', async (t) => {
  const { client } = await startPair(t);
  const number = { name: 'WORDS', type: 'integer', required: true };
  await createJobType(client, {
    name: 'ends',
    script: 'exit 7',
    json: [{ name: 'WORDS', type: 'integer' }],
    maxTries: 1,
  });
  const input = { WORDS: { type: 'recipe', input: 'WORDS' } };
  const filter = {
    node_type: 'condition',
    interface: { json: [{ name: 'WORDS', type: 'integer' }] },
    data_filter: { filters: [{ name: 'WORDS', type: 'integer', condition: '<', values: [100] }] },
  };
  const { id: typeId } = await client.post<{ id: number }>('/v6/recipe-types/', {
    title: 'Judges',
    definition: {
      input: { json: [number] },
      nodes: {
        above: node(filter, [], input),
        many: node(job('ends'), [{ name: 'above', acceptance: true }], input),
        after: node(job('ends'), ['many'], input),
        few: node(job('ends'), [{ name: 'above', acceptance: false }], input),
      },
    },
  });
  const start = async (WORDS: number) =>
    (
      await client.post<{ id: number }>('/v6/recipes/', {
        recipe_type_id: typeId,
        input: { files: {}, json: { WORDS } },
      })
    ).id;
  const causesWhen = (id: number, name: string, cause: string) =>
    until(`the node ${name} has the cause ${cause}`, async () => {
      const causes = await causesAt(client, whyOf(id));
      return ofNode(causes, name)[0]?.name === cause ? causes : undefined;
    });
  const small = await causesWhen(await start(8), 'few', 'failed');
  const [refused] = ofNode(small, 'many');
  t.match(refused, {
    name: 'condition-refused',
    reason: `the condition 'above' did not accept: WORDS 8 is not above 100`,
    since: /^20/,
  });
  t.match(ofNode(small, 'after'), [{ name: 'parent-absent', reason: `node 'many' before it is not made` }]);
  t.match(ofNode(small, 'few')[0], {
    amounts: [{ name: 'tries', wanted: 1, there: 1 }],
    reason: /exit code 7/,
  });
  // The recipe learns of the failed job a moment after the job has failed.
  const large = await causesWhen(await start(800), 'after', 'blocked-by-parent');
  t.match(ofNode(large, 'few'), [{ name: 'condition-accepted' }]);
  t.match(ofNode(large, 'many'), [{ name: 'failed' }]);
});
