/** Files that lie in a workspace without a record, over HTTP and as a command. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { createTyped } from '../apply/typed.ts';
import { until } from '../harness/until.ts';

interface Page {
  readonly checked_count: number;
  readonly next_after: string | null;
  readonly results: readonly {
    readonly file_path: string;
    readonly file_size: number;
    readonly file_modified: string;
  }[];
}

t.test('unrecorded files: each is told once, page by page, and recorded ones are not', async (t) => {
  const { client, folder, run, write } = await createTyped(t);
  const root = join(folder, 'out');
  const paths: string[] = [];
  for (let at = 0; at < 2_300; at += 1) {
    const directory = `d${at % 7}/s${at % 11}`;
    mkdirSync(join(root, directory), { recursive: true });
    paths.push(`${directory}/f${at}`);
  }
  paths.push('plain', 'two\nlines', '\u001b[31mred', 'ümlaut');
  for (const path of paths) writeFileSync(join(root, path), 'x');
  writeFileSync(join(root, '.hidden'), 'x');
  await client.post('/v6/workspaces/', {
    ...{ title: 'Archive', name: 'archive' },
    configuration: { broker: { type: 'host', host_path: root }, http: 'write' },
  });
  write('recorded.txt', 'recorded');
  const put = () => run(['file', 'put', 'recorded.txt', 'archive:d1/recorded.txt', '--record']);
  await until('the workspace is reached', async () => (await put()).code === 0);

  const told: string[] = [];
  const checked: number[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const query: string = new URLSearchParams({ after, limit: '1000' }).toString();
    const page: Page = await client.get<Page>(`/v6/workspaces/archive/unrecorded/?${query}`);
    told.push(...page.results.map((file) => file.file_path));
    checked.push(page.checked_count);
    after = page.next_after;
  }
  t.same(told, [...paths].sort(), 'in the order of paths');
  t.same(checked, [1_000, 1_000, paths.length + 1 - 2_000]);

  const named = await run(['file', 'unrecorded', 'archive', '--limit', '5000', '-o', 'json']);
  t.same(
    (JSON.parse(named.stdout) as Page['results']).map((file) => file.file_path),
    told,
  );
  t.match(named.stderr, `${paths.length} of ${paths.length + 1} files in archive have no record`);
  const some = await run(['file', 'unrecorded', 'id:1', '--limit', '2']);
  t.match(some.code === 0 ? some : await run(['file', 'unrecorded', 'archive', '--limit', '2']), {
    code: 0,
    stderr: /--limit shows more/,
  });
  t.notMatch(
    (await run(['file', 'unrecorded', 'archive'])).stdout,
    '\u001b',
    'names cannot steer the terminal',
  );
  t.match(await run(['file', 'unrecorded', 'archiv']), {
    code: 5,
    stderr: /there is no workspace 'archiv'.*archive/,
  });

  renameSync(root, `${root}-away`);
  t.match(await run(['file', 'unrecorded', 'archive']), { code: 3, stderr: /the workspace 'archive'/ });
});

t.test('unrecorded files: their times can be of any year, and their sizes of any number', async (t) => {
  const { client, run } = await createTyped(t);
  // File systems on a disk often know fewer years and smaller files.
  const root = mkdtempSync('/dev/shm/millrace-unrecorded-');
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  for (const [name, seconds, bytes] of [
    ['early', '-9000000000000', '1'],
    ['huge', '0', '9223372036854775807'],
    ['late', '9000000000000', '2'],
  ] as const) {
    t.equal(spawnSync('truncate', ['-s', bytes, join(root, name)]).status, 0);
    t.equal(spawnSync('touch', ['-d', `@${seconds}`, join(root, name)]).status, 0);
  }
  await client.post('/v6/workspaces/', {
    ...{ title: 'Memory', name: 'memory' },
    configuration: { broker: { type: 'host', host_path: root } },
  });
  await until(
    'the workspace is reached',
    async () => (await run(['file', 'unrecorded', 'memory'])).code !== 3,
  );
  const { results } = await client.get<Page>('/v6/workspaces/memory/unrecorded/');
  t.strictSame(
    results.map((file) => [file.file_path, file.file_modified, file.file_size]),
    [
      ['early', '0001-01-01T00:00:00.000Z', 1],
      ['huge', '1970-01-01T00:00:00.000Z', Number.MAX_SAFE_INTEGER],
      ['late', '9999-12-31T23:59:59.999Z', 2],
    ],
  );
});
