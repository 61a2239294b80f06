/** The README's tour, word for word but for its address and its folder: what it promises is what is then there. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import type { Page } from '../../support/clients/interface-client.ts';
import { until } from '../harness/until.ts';
import { clientOf, createWorld } from '../harness/world.ts';

const README = readFileSync(join(import.meta.dirname, '../../../README.md'), 'utf8');
const TOUR = README.slice(README.indexOf('## Five minutes by hand'), README.indexOf('## Folders'));
const BLOCKS = [...TOUR.matchAll(/```\n([\s\S]*?)```/g)].map(([, block = '']) => block);

t.test('readme: the tour by hand ends as it says', async (t) => {
  const world = await createWorld(t);
  const program = await world.start('up', 'tour');
  const client = clientOf(program);
  const run = async (blocks: readonly string[]) => {
    const script = blocks
      .join('\n')
      .replaceAll('/tmp/millrace-tour', join(world.folder, 'tour'))
      .replaceAll('http://127.0.0.1:8080', program.url.replace(/\/$/, ''));
    const path = `${join(process.execPath, '..')}:${process.env.PATH}`;
    const options = { env: { PATH: path, HOME: world.folder }, timeout: 60_000 };
    const { stdout, stderr } = await promisify(execFile)('sh', ['-euc', script], options);
    t.equal(stderr, '');
    return stdout;
  };
  const [start, definitions] = [BLOCKS[0], BLOCKS.slice(1, -1)];
  const looks = BLOCKS.at(-1) ?? '';
  t.equal(start, 'npm start\n');

  const made = (await run(definitions)).trim().split('\n');
  t.strictSame(
    made.map((line) => (JSON.parse(line) as { name?: string }).name),
    ['arrivals', 'products', 'tour-checksum', 'tour-compress', 'tour', 'tour'],
    'each call answers with what it made',
  );
  const isDone = async () => {
    const { results } = await client.get<Page<{ is_completed: boolean }>>('/v6/recipes/');
    return results.length === 2 && results.every((recipe) => recipe.is_completed);
  };
  await until('two recipes are complete', isDone);

  const seen = await run([definitions[0] ?? '', looks]);
  const count = (word: RegExp) => seen.match(word)?.length ?? 0;
  t.equal(count(/"status": "INGESTED"/g), 2);
  t.equal(count(/"is_completed": true/g), 2);
  t.equal(count(/"status": "COMPLETED"/g), 3);
  t.equal(count(/"file_type": "PRODUCT"/g), 3);
  for (const end of [
    'hello.txt',
    'numbers.txt',
    'hello.txt.sha256',
    'numbers.txt.sha256',
    'numbers.txt.gz',
  ]) {
    t.match(seen, new RegExp(`^/.*/tour/products/.*/${end.replaceAll('.', '\\.')}$`, 'm'));
  }
  t.notMatch(seen, /hello\.txt\.gz/, 'a small file is not compressed');
});
