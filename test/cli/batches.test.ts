/** Batches, scans, purges and reprocessing as people type them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { createTyped } from '../e2e/apply/typed.ts';
import { until } from '../e2e/harness/until.ts';
import { createJobType } from '../e2e/harness/work/job-types.ts';
import type { InterfaceClient } from '../support/clients/interface-client.ts';

const NODE = { dependencies: [], input: { CODE: { type: 'recipe', input: 'CODE' } } };
const JSON_INPUT = { name: 'CODE', type: 'integer' };

/** A recipe type of one job that ends with the code that it is given, and a dataset of such codes. */
async function typeAndDataset(client: InterfaceClient, codes: readonly number[]): Promise<number> {
  const [script, json] = ['exit $CODE', [{ ...JSON_INPUT }]];
  await createJobType(client, { name: 'ends', script, json, maxTries: 1 });
  await client.post('/v6/recipe-types/', {
    title: 'Ends',
    definition: {
      input: { json: [{ ...JSON_INPUT, required: true }] },
      nodes: {
        first: { ...NODE, node_type: { node_type: 'job', job_type_name: 'ends', job_type_version: '1.0.0' } },
      },
    },
  });
  const dataset = await client.post<{ id: number }>('/v6/datasets/', {
    title: 'Codes',
    definition: { parameters: { files: [], json: [JSON_INPUT] }, global_parameters: { files: [], json: [] } },
    data: codes.map((code) => ({ files: {}, json: { CODE: code } })),
  });
  return dataset.id;
}

t.test('batch: commands count, confirm, create, await, compare and cancel a batch', async (t) => {
  const { client, run } = await createTyped(t);
  const dataset = `${await typeAndDataset(client, [0, 0, 3])}`;
  const wrong: readonly (readonly [args: string[], code: number, stderr: RegExp])[] = [
    [['create', 'ends'], 2, /--dataset, or --previous/],
    [['create', 'ends', '--dataset', '1', '--previous', '1'], 2, /--dataset, or --previous/],
    [['create', 'ends', '--dataset', 'x'], 2, /dataset 'x': expected an id/],
    [['create', 'ends', '--dataset', dataset, '--priority', '0'], 2, /--priority '0'/],
    [['create', 'ends', '--dataset', dataset, '--map', 'CODE'], 2, /--map 'CODE': expected input=parameter/],
    [['create', 'edns', '--dataset', dataset], 5, /no recipe type 'edns'; did you mean 'ends'/],
    [['create', '\u001b[31m', '--dataset', dataset], 5, /no recipe type '\\x1b\[31m'/],
    [['create', 'ends', '--dataset', '999999'], 5, /there is no /],
    [['create', 'ends', '--dataset', dataset, '--node', 'none'], 3, /not valid\n.*none/],
    [['create', 'ends', '--dataset', dataset], 2, /makes up to 3 recipes, 3 jobs.*Add --yes/],
    [['show', '999999'], 5, /there is no /],
    [['compare', 'x'], 2, /batch 'x': expected an id/],
    [['create', 'ends', '--previous', '999999', '--dry-run'], 5, /there is no /],
    [['cancel', '999999'], 5, /there is no /],
    [['cancel', '999999', '--dry-run'], 5, /there is no /],
    [['wait', '999999'], 5, /there is no /],
  ];
  for (const [args, code, stderr] of wrong)
    t.match(await run(['batch', ...args]), { code, stdout: '', stderr }, args.join(' '));
  t.match(await run(['batch', 'show', '1'], 'http://127.0.0.1:1'), { code: 6, stderr: /cannot be reached/ });
  t.match(await run(['batch', 'create', 'ends', '--dataset', dataset, '--dry-run']), {
    code: 0,
    stdout: /^makes up to 3 recipes, 3 jobs\n$/,
  });
  t.equal((await client.get<{ count: number }>('/v6/batches/')).count, 0, 'nothing is made so far');

  const made = await run(['batch', 'create', 'ends', '--dataset', dataset, '--title', 'One', '--yes']);
  t.match(made, { code: 0, stdout: /^\d+\n$/ });
  const id = made.stdout.trim();
  t.match(await run(['batch', 'wait', id]), {
    code: 1,
    stdout: /2 of 3 completed; jobs: 2 completed, 1 failed/,
    stderr: /1 of 3 recipes did not complete/,
  });
  t.match(await run(['batch', 'show', id]), { code: 0, stdout: /title +One\n[\s\S]*first +2\/3 +1/ });
  t.match(await run(['batches']), { code: 0, stdout: /ends +FAILED +2\/3 +1 +One/ });

  const again = await run(['batch', 'create', 'ends', '--previous', id, '--node', 'first', '--yes']);
  t.match(again, { code: 0 });
  t.match(await run(['batch', 'wait', again.stdout.trim()]), { code: 1 });
  const compared = await run(['batch', 'compare', id]);
  t.match(compared.stdout, new RegExp(`^METRIC +BATCH ${id} +BATCH ${again.stdout.trim()}\n`));
  t.match(compared.stdout, /first: jobs_failed +1 +1\n/);
  t.match(await run(['batch', 'cancel', again.stdout.trim(), '--dry-run']), {
    code: 0,
    stdout: /cancels 1 job: 1 FAILED/,
  });
  t.match(await run(['batch', 'cancel', again.stdout.trim()]), { code: 2, stderr: /Add --yes/ });
});

t.test('scan: commands count and ingest its files, and purge the sources with their products', async (t) => {
  const { client, folder, run } = await createTyped(t);
  const place = join(folder, 'place');
  mkdirSync(place);
  for (const name of ['a.txt', 'b\u001b[2J.txt', 'c.bin']) writeFileSync(join(place, name), name);
  await client.post('/v6/workspaces/', {
    title: 'Place',
    configuration: { broker: { type: 'host', host_path: place } },
  });
  const create = ['scan', 'create', 'Old texts', '--workspace', 'place'];
  t.match(await run(create), { code: 2, stderr: /--match, or --regex/ });
  t.match(await run([...create, '--match', '[a']), { code: 2, stderr: /--match '\[a':/ });
  t.match(await run([...create, '--match', '*', '--to-path', 'x']), { code: 2, stderr: /goes with --to/ });
  t.match(await run([...create, '--match', '*', '--recipe', 'none', '--dry-run']), {
    code: 3,
    stderr: /the scan is not valid\n.*none/,
  });
  t.match(await run(['scan', 'create', 'X', '--workspace', 'plaec', '--match', '*']), {
    code: 5,
    stderr: /did you mean 'place'/,
  });
  t.match(await run([...create, '--match', '*.txt', '--dry-run']), {
    code: 0,
    stdout: 'the scan is valid\n',
  });
  t.equal((await run(['scan', 'list', '-o', 'name'])).stdout, '', 'nothing is made so far');
  t.match(await run([...create, '--match', '*.txt']), { code: 0, stdout: 'old-texts\n' });
  t.match(await run(['scan', 'test', 'old-texts', 'a.txt', 'c.bin']), {
    code: 0,
    stdout:
      /^scan old-texts: ingest PENDING.*\n +a.txt +taken by files_to_ingest\[0\], .*, starts nothing\n +c.bin +not /,
  });
  t.match(await run(['why', 'scan', 'old-texts', 'a.txt', '-o', 'name']), { code: 0, stdout: 'a.txt\n' });
  t.match(await run(['scan', 'start', 'old-texts']), { code: 2, stderr: /not counted yet.*Add --yes/ });
  t.match(await run(['scan', 'start', 'old-texts', '--dry-run', '--wait']), {
    code: 0,
    stdout: /dry run +COMPLETED\nwaiting +-\n[\s\S]*dry run: 2 files match, 1 do not/,
  });
  t.match(await run(['scan', 'start', 'old-texts']), { code: 2, stderr: /2 files match/ });
  t.match(await run(['scan', 'start', 'old-texts', '--wait', '--yes']), {
    code: 0,
    stdout: /ingest +COMPLETED/,
  });
  t.match(await run(['scan', 'wait', 'old-texts', '-o', 'name']), { code: 0, stdout: 'old-texts\n' });
  t.match(await run(['scan', 'cancel', 'old-texts', '--dry-run']), { code: 0, stdout: /ingests of scan/ });
  t.match(await run(['scan', 'cancel', 'old-texts', '--dry-run', '-o', 'json']), {
    code: 0,
    stdout: /^\{\n {2}"dry_run": "cancels .*"\n\}\n$/,
  });
  t.match(await run(['scan', 'cancel', 'old-texts']), { code: 2, stderr: /Add --yes/ });
  t.match(await run(['scan', 'cancel', 'old-texts', '--yes']), { code: 0, stderr: /canceled: \d+ jobs?/ });

  await until('both files are ingested', async () => {
    const { count } = await client.get<{ count: number }>('/v6/files/');
    return count === 2;
  });
  t.match(await run(['purge', 'place:none.txt']), { code: 5, stderr: /no file at place:none.txt/ });
  t.match(await run(['purge', 'nonsense']), { code: 2, stderr: /expected workspace:path, or an id/ });
  t.match(await run(['purge', '999999', '--dry-run']), { code: 5, stderr: /there is no file 999999/ });
  t.match(await run(['purge', 'place:b\u001b[2J.txt', '--dry-run']), {
    code: 0,
    stdout: /^removes 1 file \(9 bytes\), \d+ jobs?.*, 0 recipes\n$/,
  });
  t.match(await run(['purge', 'place:a.txt']), { code: 2, stderr: /cannot be undone.*Add --yes/ });
  t.match(await run(['purge', 'place:a.txt', '--wait', '--yes']), { code: 0, stdout: /^\d+\n$/ });
  t.match(await run(['purge', 'place:a.txt', '--dry-run']), { code: 5 }, 'it is gone');
});
