/** The README's tour, word for word but for its address and its folder: what it promises is what is then there. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import type { Page } from '../../support/clients/interface-client.ts';
import { until } from '../harness/until.ts';
import { clientOf, createWorld } from '../harness/world.ts';

const ROOT = join(import.meta.dirname, '../../..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const TOUR = README.slice(README.indexOf('## Five minutes by hand'), README.indexOf('## Folders'));
const BLOCKS = [...TOUR.matchAll(/```\n([\s\S]*?)```/g)].map(([, block = '']) => block);

t.test('readme: its first line is the one that the picture shows', (t) => {
  const [, line = ''] = /^node bin\/(millrace\.js watch .*)$/m.exec(README.slice(0, 400)) ?? [];
  const picture = readFileSync(join(ROOT, 'docs/watch.svg'), 'utf8');
  const shown = picture
    .replace(/<[^>]*>/g, '')
    .replaceAll('&gt;', '>')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&');
  t.match(line, /^millrace\.js watch \.\/in /);
  t.ok(shown.includes(`$ ${line.replace('millrace.js', 'millrace')}`), shown);
  t.match(shown, /done {2}notes\.txt -> notes\.txt\.gz/);
  t.end();
});

t.test('readme: the tour by hand has twelve lines, and ends as it says', async (t) => {
  const [start = '', begin = '', look = ''] = BLOCKS;
  t.equal(start, 'npm start\n');
  t.equal(BLOCKS.length, 3);
  t.ok(`${begin}${look}`.trim().split('\n').length <= 12);
  const world = await createWorld(t);
  const program = await world.start('up', 'tour');
  const client = clientOf(program);
  const folder = join(world.folder, 'tour');
  const run = (text: string, cwd: string) => {
    const script = text.replaceAll('/tmp/millrace-tour', folder);
    const path = `${join(process.execPath, '..')}:${process.env.PATH}`;
    const env = { PATH: path, HOME: world.folder, MILLRACE_SERVER: program.url };
    return promisify(execFile)('sh', ['-euc', script], { cwd, env, timeout: 120_000 });
  };
  const made = await run(begin, ROOT);
  t.match(made.stdout, /^strike 'words' created$/m);
  t.match(made.stderr, /^6 created, 0 changed, 0 unchanged$/m);
  const isDone = async () => {
    const { results } = await client.get<Page<{ is_completed: boolean }>>('/v6/recipes/');
    return results.length === 2 && results.every((recipe) => recipe.is_completed);
  };
  await until('two recipes are complete', isDone);

  const [own = ''] = begin.split('\n');
  const seen = await run(`root='${ROOT}'; ${own.slice(own.indexOf('millrace()'))}\n${look}`, folder);
  t.equal(seen.stderr, '');
  const count = (word: RegExp) => seen.stdout.match(word)?.length ?? 0;
  t.equal(count(/^\d+ +(count|pack) 1\.0\.0 +COMPLETED/gm), 3);
  t.equal(count(/^\d+ +words +completed/gm), 2);
  // Which of the two files is ingested first is not defined, so the tour shows both recipes.
  t.match(seen.stdout, /◆ large {2}accepted/);
  t.match(seen.stdout, /◇ large {2}refused/);
  t.match(seen.stdout, /^file \d+ {2}texts:long\.txt/m);
  t.match(seen.stdout, /short\.txt in texts is file/);
  t.match(seen.stdout, /^out\/.*sorted\.gz$/m);
});
