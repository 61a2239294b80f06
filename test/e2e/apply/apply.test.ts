/** `millrace apply` and its like as they are typed, against the real service: the examples of docs/apply.md run. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import t from 'tap';
import type { Page } from '../../support/clients/interface-client.ts';
import { until } from '../harness/until.ts';
import { createTyped, IMAGES, WORDS } from './typed.ts';

t.test('apply: the examples of the guide are applied, changed, exported and adopted', async (t) => {
  const { client, folder, run, write, put } = await createTyped(t);
  const revisions = async () => {
    const found = [];
    for (const path of ['/v6/job-types/count/1.0.0/', '/v6/recipe-types/words/', '/v6/strikes/?name=words']) {
      const record = await client.get<{ revision_num?: number; results?: { last_modified: string }[] }>(path);
      found.push(record.revision_num ?? record.results?.[0]?.last_modified);
    }
    return found;
  };
  write('words.yaml', WORDS);
  write('images.yaml', IMAGES);

  await t.test('both examples have fewer than 40 lines, and no problems', async (t) => {
    for (const example of [WORDS, IMAGES]) t.ok(example.split('\n').length < 40);
    t.same(await run(['lint', '-f', '.']), { code: 0, stdout: '12 records, no errors\n', stderr: '' });
  });

  await t.test('a dry run and an expansion change nothing', async (t) => {
    const dry = await run(['apply', '-f', 'words.yaml', '--dry-run']);
    t.equal(dry.code, 0, dry.stderr);
    t.equal(dry.stdout.match(/would be created/g)?.length, 6);
    write('full.yml', (await run(['apply', '-f', 'words.yaml', '--expand'])).stdout);
    t.equal(await client.count('/v6/workspaces/?label=set'), 0);
  });

  await t.test('the first apply creates all, the second nothing', async (t) => {
    const first = await run(['apply', '-f', 'words.yaml', '-f', 'images.yaml']);
    t.equal(first.code, 0, first.stderr);
    t.match(first.stderr, /12 created, 0 changed, 0 unchanged/);
    const before = await revisions();
    for (const file of ['words.yaml', 'full.yml']) {
      t.match((await run(['apply', '-f', file])).stderr, /0 created, 0 changed, 6 unchanged/);
    }
    t.same(await revisions(), before, 'no revision, and no new time of change');
  });

  await t.test('files that arrive become products, by the conditions', async (t) => {
    put('in/small.txt', 'three small words\n');
    put('in/large.txt', `${Array.from({ length: 200 }, (_, index) => 999 - index).join('\n')}\n`);
    const row = (width: number) => Array.from({ length: width }, (_, at) => at).join(' ');
    const image = (side: number) => `P2\n${side} ${side}\n255\n${Array(side).fill(row(side)).join('\n')}\n`;
    put('photos/small.pgm', image(8));
    put('photos/large.pgm', image(64));
    const isDone = async () => {
      const { results } = await client.get<Page<{ is_completed: boolean }>>('/v6/recipes/');
      return results.length === 4 && results.every((recipe) => recipe.is_completed);
    };
    await until('four recipes are complete', isDone, 120_000);
    const [sorted, ...others] = globSync('out/**/sorted.gz', { cwd: folder });
    t.same(others, [], 'only the large text is packed');
    const lines = gunzipSync(readFileSync(join(folder, sorted ?? '')))
      .toString()
      .trim()
      .split('\n');
    t.same([lines.length, lines[0], lines.at(-1)], [200, '800', '999']);
    t.equal(globSync('previews/**/metadata.json', { cwd: folder }).length, 2);
    const [thumbnail, ...more] = globSync('previews/**/thumbnail.pgm', { cwd: folder });
    t.same(more, [], 'only the large image has a thumbnail');
    t.match(readFileSync(join(folder, thumbnail ?? ''), 'utf8'), /^P2 16 16 255\n0\n4\n8\n/);
  });

  await t.test('a change is shown field by field, and makes one revision', async (t) => {
    write('words.yaml', WORDS.replace('> 100', '>= 50'));
    const diff = await run(['diff', '-f', 'words.yaml', '--exit-code']);
    t.equal(diff.code, 1);
    t.match(diff.stdout, /^~ recipe type 'words'\n {4}definition\.nodes\.large\.node_type\.data_filter/);
    t.match((await run(['apply', '-f', 'words.yaml'])).stderr, /0 created, 1 changed, 5 unchanged/);
    t.equal((await revisions())[1], 2);
    t.same(await run(['diff', '-f', 'words.yaml', '--exit-code']), { code: 0, stdout: '', stderr: '' });
  });

  await t.test('exported files are applied without a change', async (t) => {
    const exported = await run(['export', 'exported', '--set', 'words']);
    t.equal(exported.code, 0, exported.stderr);
    const shown = await run(['export', '-', '--set', 'words']);
    t.same(shown, await run(['export', '--set', 'words']), '- is standard output');
    t.match(shown.stdout, /^set: words$/m);
    t.notOk(existsSync(join(folder, '-')), 'and no directory');
    t.match((await run(['apply', '-f', 'exported'])).stderr, /0 created, 0 changed, 6 unchanged/);
  });

  await t.test('records of another set, or of none, are refused before anything is changed', async (t) => {
    write('other.yaml', `set: other\nworkspaces: {new: ./in, texts: ./in}\n`);
    const refused = await run(['apply', '-f', 'other.yaml']);
    t.equal(refused.code, 1);
    t.match(
      refused.stderr,
      /^other\.yaml:2:\d+: error: the workspace 'texts' belongs to the set 'words'; --adopt/m,
    );
    t.equal(await client.count('/v6/workspaces/?name=new'), 0);
    t.match(
      (await run(['apply', '-f', 'other.yaml', '--adopt'])).stdout,
      /^workspace 'texts' changed \(adopted/m,
    );
    t.equal((await run(['apply', '-f', 'words.yaml', '--adopt'])).code, 0);
  });
});
