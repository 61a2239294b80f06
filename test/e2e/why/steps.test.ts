/**
 * Why recipes and jobs wait for the next step of their owner or of the scheduler. A lock on the table that a pass of
 * the scheduler writes holds the pass up; rows are read as usual meanwhile.
 */
import pg from 'pg';
import t, { type Test } from 'tap';
import { migratedDatabase } from '../../support/db.ts';
import { causeAmong, causedBy, causesAt } from '../harness/causes.ts';
import { startPair } from '../harness/pair.ts';
import { createJobType, jobIs, queueJob } from '../harness/work/job-types.ts';

async function lockable(t: Test) {
  const url = await migratedDatabase(t);
  const pair = await startPair(t, { coordinator: { DATABASE_URL: url } });
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  t.teardown(() => holder.end());
  return {
    ...pair,
    holder,
    /** Nobody writes to the table until `letGo`. */
    async hold(table: string): Promise<void> {
      await holder.query('begin');
      await holder.query(`lock table ${table} in share mode`);
    },
    letGo: () => holder.query('rollback'),
  };
}

t.test('why: it recognizes a job that the next pass of the scheduler places', async (t) => {
  const { client, hold, letGo } = await lockable(t);
  const typeId = await createJobType(client, { name: 'quick', script: 'true' });
  await hold('job_exe');
  const id = await queueJob(client, typeId);
  const [due, ...others] = await causedBy(client, `/v6/jobs/${id}/why/`, 'next-pass');
  t.match(due, { reason: 'nothing prevents it: the next pass of the scheduler places it', help: null });
  t.strictSame(others, []);
  await letGo();
  await jobIs(client, id, ['COMPLETED']);
});

t.test('why: it recognizes nodes that the recipe creates next, and open conditions', async (t) => {
  const { client, holder } = await lockable(t);
  await createJobType(client, {
    name: 'counts',
    script: 'exec sleep 600',
    outputsJson: [{ name: 'N', type: 'integer', required: true }],
  });
  const job = { node_type: 'job', job_type_name: 'counts', job_type_version: '1.0.0' };
  const filters = [{ name: 'N', type: 'integer', condition: '<', values: [100] }];
  const { id: recipe_type_id } = await client.post<{ id: number }>('/v6/recipe-types/', {
    title: 'Judges',
    definition: {
      input: {},
      nodes: {
        first: { dependencies: [], input: {}, node_type: job },
        judge: {
          dependencies: [{ name: 'first' }],
          input: { N: { type: 'dependency', node: 'first', output: 'N' } },
          node_type: {
            node_type: 'condition',
            interface: { json: [{ name: 'N', type: 'integer' }] },
            data_filter: { filters },
          },
        },
        second: { dependencies: [{ name: 'judge', acceptance: true }], input: {}, node_type: job },
      },
    },
  });
  const input = { files: {}, json: {} };
  const { id } = await client.post<{ id: number }>('/v6/recipes/', { recipe_type_id, input });
  const path = `/v6/recipes/${id}/why/`;

  const open = await causeAmong(client, path, 'condition-open');
  t.match(open, {
    reason: "its condition 'judge' is not evaluated yet",
    subjects: [
      { kind: 'recipe_node', name: 'second' },
      { kind: 'condition', name: 'judge' },
    ],
  });
  const others = (await causesAt(client, path)).map(({ name, subjects }) => [name, subjects[0]?.name]);
  t.ok(
    others.some(([name, node]) => name === 'waits-for-parents' && node === 'judge'),
    JSON.stringify(others),
  );

  // As if the answer of the evaluation had been saved, and the message about it were lost.
  await holder.query(
    `update recipe_condition set is_processed = true, is_accepted = true, processed = now()`,
  );
  const due = await causeAmong(client, path, 'node-due');
  t.match(due, {
    reason: 'it is made with the next step of its recipe',
    subjects: [{ kind: 'recipe_node', name: 'second' }],
  });
});
