import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { StoredFile } from '../../../src/cli/demo/demo-check.ts';
import { BUSYBOX_IMAGE, engineAt, ensureBusyboxImage } from '../../support/agent/busybox-image.ts';
import { needs, serviceUrl } from '../../support/services/services.ts';
import { startPair } from '../harness/pair.ts';
import { listed } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { createJobType, jobIs } from '../harness/work/job-types.ts';

t.test('a recipe with a job in a container: from the file to the product', needs('docker'), async (t) => {
  const host = await serviceUrl('docker');
  await ensureBusyboxImage(engineAt(host));
  const { world, client } = await startPair(t, {
    agent: { MILLRACE_EXECUTORS: 'docker', MILLRACE_DOCKER_HOST: host },
  });
  const workspace = (title: string, path: string) =>
    client.post<{ name: string }>('/v6/workspaces/', {
      title,
      configuration: { broker: { type: 'host', host_path: path } },
    });
  const arrivals = await workspace('Arrivals', world.at.arrivals);
  const archive = await workspace('Archive', world.at.archive);
  await createJobType(client, {
    name: 'shout',
    image: BUSYBOX_IMAGE,
    script: 'tr a-z A-Z <$TEXT >$OUTPUT_DIR/loud.txt; id -u',
    inputs: [{ name: 'TEXT' }],
    outputs: [{ name: 'LOUD', pattern: '*.txt', mediaType: 'text/plain' }],
    workspace: archive.name,
  });
  const recipeType = await client.post<{ name: string }>('/v6/recipe-types/', {
    title: 'Shout',
    definition: {
      input: { files: [{ name: 'FILE', required: true, multiple: false, media_types: [] }], json: [] },
      nodes: {
        shout: {
          dependencies: [],
          input: { TEXT: { type: 'recipe', input: 'FILE' } },
          node_type: {
            node_type: 'job',
            job_type_name: 'shout',
            job_type_version: '1.0.0',
            job_type_revision: 1,
          },
        },
      },
    },
  });
  await client.post('/v6/strikes/', {
    title: 'Words',
    configuration: {
      workspace: arrivals.name,
      monitor: { type: 'dir-watcher', transfer_suffix: '_tmp' },
      files_to_ingest: [
        { filename_regex: '.*', data_types: [], new_workspace: archive.name, new_file_path: 'words' },
      ],
      recipe: { name: recipeType.name },
    },
  });
  writeFileSync(join(world.at.arrivals, 'word.txt'), 'hello');
  const product = await until('the product', async () =>
    (await listed<StoredFile>(client, '/v6/files/?file_type=PRODUCT')).at(0),
  );
  t.equal(readFileSync(join(world.at.archive, product.file_path), 'utf8'), 'HELLO');
  const job = await jobIs(client, product.job?.id ?? 0, ['COMPLETED']);
  t.equal(job.num_exes, 1);
  await until(
    'the recipe is complete',
    async () => (await client.count('/v6/recipes/?is_completed=true')) === 1,
  );

  const label = [`millrace.job=${job.id}`];
  await until('its container is removed', async () => {
    const all = await engineAt(host).listContainers({ all: true, filters: { label } });
    // Other tests use the engine beside this one, with the same ids.
    return !all.some(({ Labels }) => Labels['millrace.folder']?.startsWith(world.folder));
  });
});
