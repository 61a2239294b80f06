/** The cost on the event loop of a new revision of a job type that a large recipe type contains. */
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { InterfaceClient } from '../support/clients/interface-client.ts';
import { WorkCounter } from '../support/work-counter.ts';
import { guardedService } from '../support/worlds/guarded-service.ts';

const NODES = 500;
const VALUES = 400;
/** A coordinator takes some thousand steps a second. Reading the definition takes millions. */
const STEPS_MAX = 400_000;

interface JobType {
  readonly manifest: { readonly job: object };
}

interface TypeUpdates {
  readonly results: readonly { readonly status: string; readonly recipe_types_raised: number }[];
}

t.test('large type updates: large definitions are not read on the event loop', async (t) => {
  const counter = await WorkCounter.start();
  t.teardown(() => counter.stop());
  const { url } = await guardedService(t);
  const client = new InterfaceClient(url);
  const values = Array.from({ length: VALUES }, (_, index) => `value ${index}`);
  const condition = {
    dependencies: [],
    input: {},
    node_type: {
      node_type: 'condition',
      interface: { json: [{ name: 'B', type: 'string', required: false }] },
      data_filter: { filters: [{ name: 'B', type: 'string', condition: 'in', values: [values] }] },
    },
  };
  const describe = {
    dependencies: [],
    input: { INPUT_FILE: { type: 'recipe', input: 'FILE' } },
    node_type: { node_type: 'job', job_type_name: 'demo-describe', job_type_version: '1.0.0' },
  };
  const many = Array.from({ length: NODES }, (_, index) => [`n${index}`, condition] as const);
  const nodes = { describe, ...Object.fromEntries(many) };
  await client.post('/v6/recipe-types/', {
    title: 'Large',
    definition: { input: { files: [{ name: 'FILE' }], json: [] }, nodes },
  });
  const path = '/v6/job-types/demo-describe/1.0.0/';
  const { manifest } = await client.get<JobType>(path);
  const changed = { ...manifest, job: { ...manifest.job, title: 'Another' } };

  const ended = async (): Promise<TypeUpdates> => {
    for (;;) {
      const found = await client.get<TypeUpdates>('/v6/type-updates/');
      if (found.results[0]?.status === 'COMPLETED') return found;
      await sleep(250);
    }
  };
  const { blocks, touched, most } = await counter.count(async () => {
    await client.patch(path, { manifest: changed });
    t.match((await ended()).results, [{ recipe_types_raised: 2 }]);
  });

  t.ok(blocks + touched < STEPS_MAX, `${blocks} blocks and ${touched} touched, most in ${most.join('; ')}`);
});
