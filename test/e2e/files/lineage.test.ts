/** What files were made from and what was made from them: real jobs of a recipe, with settings, one of them secret. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { startPair } from '../harness/pair.ts';
import { until } from '../harness/until.ts';
import { createJobType } from '../harness/work/job-types.ts';

interface Lineage {
  readonly files: readonly { readonly id: number; readonly file_name: string; readonly level: number }[];
  readonly jobs: readonly {
    readonly id: number;
    readonly job_type: { readonly name: string };
    readonly level: number;
  }[];
  readonly links: readonly { readonly role: string; readonly name: string | null }[];
  readonly rim: readonly { readonly direction: string; readonly next: string }[];
}

const SECRET = 'not-to-be-shown-anywhere';

/** A type with settings, one of them secret. */
async function createWithSettings(client: InterfaceClient, workspace: string): Promise<void> {
  await client.post('/v6/job-types/', {
    container_image: 'process:default',
    configuration: {
      output_workspaces: { default: workspace, outputs: {} },
      settings: { QUALITY: '85', KEY: SECRET },
    },
    manifest: {
      seedVersion: '1.0.0',
      job: {
        ...{
          name: 'first',
          jobVersion: '1.0.0',
          packageVersion: '1.0.0',
          title: 'First',
          description: 'First',
        },
        maintainer: { name: 'Millrace', email: 'tests@example.com' },
        timeout: 60,
        interface: {
          command: `sh -c 'cp "$FILE" $OUTPUT_DIR/first.out'`,
          inputs: { files: [{ name: 'FILE' }] },
          outputs: { files: [{ name: 'OUT', pattern: 'first.out', mediaType: 'text/plain' }] },
          settings: [{ name: 'QUALITY' }, { name: 'KEY', secret: true }],
        },
      },
    },
  });
}

const job = (name: string, input: object, dependencies: readonly string[] = []) => ({
  dependencies: dependencies.map((one) => ({ name: one })),
  input,
  node_type: { node_type: 'job', job_type_name: name, job_type_version: '1.0.0' },
});

t.test('lineage: it leads both ways, with types, revisions, and settings without secrets', async (t) => {
  const { client, world } = await startPair(t);
  const { name: workspace } = await client.post<{ name: string }>('/v6/workspaces/', {
    title: 'Arrivals',
    configuration: { broker: { type: 'host', host_path: world.at.arrivals } },
  });
  await createWithSettings(client, workspace);
  await createJobType(client, {
    name: 'second',
    script: 'cat "$LEFT" "$RIGHT" >$OUTPUT_DIR/second.out',
    inputs: [{ name: 'LEFT' }, { name: 'RIGHT' }],
    outputs: [{ name: 'BOTH', pattern: 'second.out', mediaType: 'text/plain' }],
    workspace,
  });
  const file = { type: 'recipe', input: 'FILE' };
  const { name: recipe } = await client.post<{ name: string }>('/v6/recipe-types/', {
    title: 'Two',
    definition: {
      input: { files: [{ name: 'FILE', required: true }] },
      nodes: {
        first: job('first', { FILE: file }),
        second: job('second', { LEFT: { type: 'dependency', node: 'first', output: 'OUT' }, RIGHT: file }, [
          'first',
        ]),
      },
    },
  });
  await client.post('/v6/strikes/', {
    title: 'Watch',
    configuration: {
      workspace,
      monitor: { type: 'dir-watcher', transfer_suffix: '_tmp', stable_ms: 100 },
      files_to_ingest: [{ filename_regex: '.*\\.txt$', data_types: [] }],
      recipe: { name: recipe },
    },
  });
  writeFileSync(join(world.at.arrivals, 'a.txt'), 'content');
  const files = await until('both products are there', async () => {
    const { results } = await client.get<{ results: { id: number; file_name: string }[] }>('/v6/files/');
    return results.length === 3 && new Map(results.map((one) => [one.file_name, one.id]));
  });
  const [source, first, second] = ['a.txt', 'first.out', 'second.out'].map((name) => files.get(name) ?? 0);
  const lineage = (id: number | undefined, query = '') =>
    client.get<Lineage>(`/v6/files/${id}/lineage/${query}`);
  const names = (one: Lineage) => one.files.map(({ file_name, level }) => `${file_name} ${level}`).sort();

  const down = await lineage(source);
  t.strictSame(names(down), ['a.txt 0', 'first.out 1', 'second.out 1'], 'the nearest way counts');
  const made = down.jobs.find(({ job_type }) => job_type.name === 'first');
  t.match(made, {
    ...{ status: 'COMPLETED', revision_num: 1, level: 1, recipe_node: 'first' },
    image: { reference: 'process:default', digest: null },
    settings: { QUALITY: '85', KEY: '*****' },
  });
  t.notOk(JSON.stringify(down).includes(SECRET));
  t.strictSame(down.rim, []);
  const link = (job: string, file: number | undefined, role: string, name: string) => ({
    job: { id: down.jobs.find(({ job_type }) => job_type.name === job)?.id },
    file: { id: file },
    ...{ role, name },
  });
  const expected = [
    link('first', source, 'input', 'FILE'),
    link('first', first, 'output', 'OUT'),
    link('second', first, 'input', 'LEFT'),
    link('second', source, 'input', 'RIGHT'),
    link('second', second, 'output', 'BOTH'),
  ];
  const sorted = (links: readonly object[]) => links.map((one) => JSON.stringify(one)).sort();
  t.strictSame(sorted(down.links), sorted(expected));

  const up = await lineage(second, '?direction=ancestors');
  t.strictSame(names(up), ['a.txt -1', 'first.out -1', 'second.out 0']);
  t.strictSame(sorted(up.links), sorted(expected), 'the same graph from its other end');
  const middle = await lineage(first, '?depth=1');
  t.strictSame(names(middle), ['a.txt -1', 'first.out 0', 'second.out 1']);
  t.strictSame(middle.rim, []);
  t.strictSame(
    (await lineage(first, '?direction=descendants')).files.map(({ id }) => id),
    [first, second].sort(),
  );

  const shallow = await lineage(second, '?direction=ancestors&depth=1');
  const [rim] = shallow.rim;
  t.match(rim, {
    direction: 'ancestors',
    file: { id: first },
    next: `/v6/files/${first}/lineage/?direction=ancestors&depth=1`,
  });
  t.strictSame(
    names(await client.get<Lineage>(rim?.next ?? '')),
    ['a.txt -1', 'first.out 0'],
    'and continues there',
  );
  const refused = await fetch(new URL(`/v6/files/${source}/lineage/?depth=21&direction=up`, client.base));
  t.equal(refused.status, 400);
  t.match(await refused.json(), { errors: [{ path: 'direction' }, { path: 'depth' }] });
  t.equal((await fetch(new URL('/v6/files/999999/lineage/', client.base))).status, 404);
});
