/** Pruning, a service that is away, and wrong calls, as they are typed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Page } from '../../support/clients/interface-client.ts';
import { freePort } from '../../support/services/free-port.ts';
import { until } from '../harness/until.ts';
import { createTyped, IMAGES, WORDS } from './typed.ts';

t.test('apply: it prunes records, reports an unreachable service, and refuses wrong calls', async (t) => {
  const { client, folder, run, write, put } = await createTyped(t);
  write('words.yaml', WORDS);
  write('images.yaml', IMAGES);
  t.equal((await run(['apply', '-f', 'words.yaml', '-f', 'images.yaml'])).code, 0);
  put('in/large.txt', 'a file that stays\n');

  await t.test(
    'without a service nothing is done, and the message says so; the same call works later',
    async (t) => {
      const lines = [
        'set: half',
        'workspaces: {half-in: ./photos}',
        'jobs: {half: {run: ls, in: {A: file}}}',
      ];
      write('half.yaml', `${lines.join('\n')}\n`);
      const address = `127.0.0.1:${await freePort()}`;
      const away = await run(['apply', '-f', 'half.yaml'], `http://${address}`);
      t.equal(away.code, 6);
      t.match(away.stderr, /; trying again for 3 s[\s\S]*millrace: .*cannot be reached/);
      t.match(away.stderr, address);
      t.equal(away.stdout, '');
      t.match((await run(['apply', '-f', 'half.yaml'])).stderr, /2 created/);
    },
  );

  await t.test('--prune asks first, and removes records of its set only, and no files', async (t) => {
    write('words.yaml', WORDS.replace(/^strike.*\n/m, ''));
    const unasked = await run(['apply', '-f', 'words.yaml', '--prune']);
    t.equal(unasked.code, 1);
    t.match(unasked.stderr, /no longer in the files:\n {2}strike 'words'\n/);
    const pruned = await run(['apply', '-f', 'words.yaml', '--prune', '--yes']);
    t.match(pruned.stdout, /^strike 'words' (?:paused \(.+\)|deleted)$/m);
    t.equal(await client.count('/v6/strikes/?name=images'), 1);
    t.ok(existsSync(join(folder, 'in/large.txt')));
    write('words.yaml', WORDS);
    t.match((await run(['apply', '-f', 'words.yaml'])).stdout, /^strike 'words' (?:changed|created)$/m);
    const { results } = await client.get<Page<{ is_paused: boolean }>>('/v6/strikes/?name=words');
    t.equal(results[0]?.is_paused, false, 'it goes on once the file has it again');
  });

  await t.test(
    'what has been pruned already, or stays in use, is listed with why, and not asked about',
    async (t) => {
      const { stdout } = await run(['apply', '-f', 'images.yaml']);
      t.match(stdout, /^workspace 'photos' /m);
      put('photos/small.pgm', 'P2\n1 1\n255\n0\n');
      await until(
        'the file is recorded',
        async () => (await client.count('/v6/files/?file_name=small.pgm')) === 1,
      );
      write('images.yaml', 'set: images\nworkspaces: {}\n');
      const isStaying = /^workspace 'photos' left \(the file \d+ \('small\.pgm'\) is not deleted\)$/m;
      const unasked = await run(['apply', '-f', 'images.yaml', '--prune']);
      t.equal(unasked.code, 1);
      t.match(unasked.stdout, isStaying);
      t.notMatch(unasked.stderr, /workspace 'photos'/);
      t.match(unasked.stderr, / {2}strike 'images'\n {2}recipe type 'images'\n/);
      t.match(await run(['diff', '-f', 'images.yaml', '--prune', '--exit-code']), {
        code: 1,
        stdout: /^- strike 'images'$/m,
        stderr: /^workspace 'photos' would stay \(the file /m,
      });
      const pruned = await run(['apply', '-f', 'images.yaml', '--prune', '--yes']);
      t.equal(pruned.code, 0);
      t.match(pruned.stdout, /^strike 'images' paused \(it has a history\)$/m);
      const again = await run(['apply', '-f', 'images.yaml', '--prune']);
      t.equal(again.code, 0, 'there is nothing to ask about');
      t.match(again.stdout, isStaying);
      t.match(again.stdout, /^strike 'images' paused \(it has a history\)$/m);
      t.equal((await run(['diff', '-f', 'images.yaml', '--prune', '--exit-code'])).code, 0);
      t.ok(existsSync(join(folder, 'photos/small.pgm')));
    },
  );

  await t.test('wrong calls and wrong files are refused', async (t) => {
    t.match(await run(['apply']), { code: 2, stderr: /-f: which file/ });
    t.match(await run(['lint', '--fle', 'a']), { code: 2, stderr: /Did you mean --file/ });
    t.match(await run(['lint', '-f', 'none.yaml']), { code: 1, stderr: /none\.yaml:1:1: error: .*ENOENT/ });
    write('wrong.json', '{"set": "words", "jobs": {"a": {"run": "echo $NO"}}}');
    t.match(await run(['lint', '-f', 'wrong.json']), {
      code: 1,
      stderr: /^wrong\.json:1:\d+: error: no variable '\$NO' is set/,
    });
  });
});
