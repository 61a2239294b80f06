/**
 * What every broker must do, whatever keeps the files. Not a test by itself: held over each broker by its
 * own.
 */
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Test } from 'tap';
import type { Broker, ListOptions, StoredContent, StoredEntry } from '../../src/storage/broker.ts';
import { type Content, contentOf } from '../../src/storage/content.ts';

export interface BrokerFixture {
  readonly broker: Broker;
  /** Puts a file there from outside, as a sender would. */
  put(path: string, content: string): Promise<void>;
}

/** Runs the suite; `make` gives a broker over an empty workspace that is this workspace's. */
export function storageConformance(t: Test, make: (t: Test) => Promise<BrokerFixture>): void {
  t.test('broker: an empty workspace is reachable and lists nothing', async (t) => {
    const { broker } = await make(t);
    t.match(await broker.check(), { isReachable: true, reason: '' });
    t.strictSame(await listed(broker, { recursive: true }), []);
  });

  t.test('broker: a stored file is found, read whole and in ranges, and removed once', async (t) => {
    const { broker } = await make(t);
    const stored = await broker.store(await localFile(t, 'hello world'), 'a/b/c.txt', { id: 'one' });
    t.match(stored, { path: 'a/b/c.txt', size: 11, isDuplicate: false });
    t.equal(stored.sha256, 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9');

    const entry = await broker.stat('a/b/c.txt');
    t.match(entry, { path: 'a/b/c.txt', size: 11, mtimeMs: stored.mtimeMs });
    t.equal(await text(await broker.openRead('a/b/c.txt')), 'hello world');
    t.equal(await text(await broker.openRead('a/b/c.txt', { offset: 6 })), 'world');
    t.equal(await text(await broker.openRead('a/b/c.txt', { offset: 2, length: 3 })), 'llo');
    t.equal(await text(await broker.openRead('a/b/c.txt', { offset: 2, length: 0 })), '');
    t.equal(await text(await broker.openRead('a/b/c.txt', { offset: 9, length: 50 })), 'ld');

    t.equal(await broker.remove('a/b/c.txt'), 'removed');
    t.equal(await broker.stat('a/b/c.txt'), undefined);
    t.equal(await broker.remove('a/b/c.txt'), 'absent');
  });

  t.test('broker: what is stored is never overwritten', async (t) => {
    const { broker } = await make(t);
    await broker.store(await localFile(t, 'first'), 'x/f', { id: 1 });
    const other = await broker.store(await localFile(t, 'other'), 'x/f', { id: 2 });
    const same = await broker.store(await localFile(t, 'first'), 'x/f', { id: 3 });

    t.match(other, { path: 'x/2/f', isDuplicate: false });
    t.match(same, { path: 'x/f', isDuplicate: true });
    t.equal(await text(await broker.openRead('x/f')), 'first');
    t.equal(await text(await broker.openRead('x/2/f')), 'other');
    t.strictSame(await listed(broker, { recursive: true }), ['x/2/f', 'x/f']);
  });

  t.test('broker: many that store different content at one path lose nothing', async (t) => {
    const { broker } = await make(t);
    const files = await Promise.all(Array.from({ length: 12 }, (_, n) => localFile(t, `content ${n}`)));
    const stored = await Promise.all(files.map((file, n) => broker.store(file, 'in/one', { id: `w${n}` })));
    t.equal(new Set(stored.map(({ path }) => path)).size, 12, 'each has a path of its own');
    for (const [n, { path }] of stored.entries()) {
      t.equal(await text(await broker.openRead(path)), `content ${n}`);
    }
    t.equal((await listed(broker, { recursive: true })).length, 12, 'and nothing else is there');
  });

  t.test('broker: files that are not there, and paths that are none, are refused', async (t) => {
    const { broker, put } = await make(t);
    await put('file', 'x');
    await t.rejects(broker.openRead('nothing'), { code: 'FILE_NOT_FOUND' });
    await t.rejects(broker.openRead('no/such/directory'), { code: 'FILE_NOT_FOUND' });
    const bad = ['', '/etc/passwd', '../x', 'a/../../x', 'a\u0000b', '.', 'a/..', `${'n'.repeat(256)}`];
    for (const path of bad) {
      await t.rejects(broker.stat(path), { code: 'PATH_NOT_ALLOWED' }, `stat ${JSON.stringify(path)}`);
      await t.rejects(broker.openRead(path), { code: 'PATH_NOT_ALLOWED' }, `read ${JSON.stringify(path)}`);
      await t.rejects(broker.remove(path), { code: 'PATH_NOT_ALLOWED' }, `remove ${JSON.stringify(path)}`);
      const store = broker.store(await localFile(t, 'x'), path, { id: 9 });
      await t.rejects(store, { code: 'PATH_NOT_ALLOWED' }, `store ${JSON.stringify(path)}`);
    }
    t.strictSame(await listed(broker, { recursive: true }), ['file']);
  });

  t.test('broker: a list is ordered, paged, resumed and filtered by prefix', async (t) => {
    const { broker, put } = await make(t);
    const paths = ['a', 'a-b', 'a/1', 'a/2/x', 'a/2/y', 'a0', 'b/c/d/e', 'zoë/ÿ', '日本/語'];
    for (const path of paths.filter((path) => path !== 'a')) await put(path, path);
    const all = paths.filter((path) => path !== 'a').sort();

    t.strictSame(await listed(broker, { recursive: true }), all);
    t.strictSame(await listed(broker, { recursive: false }), ['a-b', 'a0']);
    t.strictSame(await listed(broker, { recursive: true, prefix: 'a/2' }), ['a/2/x', 'a/2/y']);
    t.strictSame(await listed(broker, { recursive: true, prefix: 'a/' }), ['a/1', 'a/2/x', 'a/2/y']);
    t.strictSame(await listed(broker, { recursive: true, prefix: 'none' }), []);
    for (const after of [...all, 'a/2', 'a/2/', '', 'zzz']) {
      const rest = all.filter((path) => path > after);
      t.strictSame(await listed(broker, { recursive: true, after }), rest, `after ${after}`);
    }
    const pages = [];
    for await (const page of broker.list({ recursive: true, pageSize: 3 })) pages.push(page.length);
    t.strictSame(pages, [3, 3, 2]);
  });

  t.test('broker: the identity of a file changes with its content only', async (t) => {
    const { broker, put } = await make(t);
    await put('f', 'one');
    const before = await broker.stat('f');
    t.equal((await broker.stat('f'))?.identity, before?.identity);
    t.equal((await entries(broker, { recursive: true }))[0]?.identity, before?.identity);
    await broker.remove('f');
    await put('f', 'two!');
    t.not((await broker.stat('f'))?.identity, before?.identity);
  });

  t.test(
    'broker: a file with a path of its own is told from others there, and removed only if it is it',
    (t) => ownPaths(t, make),
  );

  t.test('broker: a store that is stopped leaves nothing behind', async (t) => {
    const { broker } = await make(t);
    const abort = new AbortController();
    const file = await localFile(t, 'x'.repeat(3_000_000));
    const store = broker.store(file, 'big', {
      id: 'stopped',
      signal: abort.signal,
      onProgress: () => abort.abort(new Error('stop')),
    });
    await t.rejects(store, { message: 'stop' });
    t.strictSame(await listed(broker, { recursive: true }), []);
    t.match(await broker.store(file, 'big', { id: 'stopped' }), { path: 'big', size: 3_000_000 });
  });
}

/** A file outside every workspace, open until the test ends. */
export async function localFile(t: Test, content: string | Buffer): Promise<Content> {
  const directory = await mkdtemp(join(tmpdir(), 'millrace-local-'));
  t.teardown(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, 'file');
  await writeFile(path, content);
  const handle = await open(path);
  t.teardown(() => handle.close());
  return contentOf(handle, (await handle.stat()).size);
}

export async function entries(broker: Broker, options: ListOptions): Promise<StoredEntry[]> {
  const all: StoredEntry[] = [];
  for await (const page of broker.list(options)) all.push(...page);
  return all;
}

export async function listed(broker: Broker, options: ListOptions): Promise<string[]> {
  return (await entries(broker, options)).map(({ path }) => path);
}

async function ownPaths(t: Test, make: (t: Test) => Promise<BrokerFixture>): Promise<void> {
  const { broker, put } = await make(t);
  t.equal(await broker.proofAt('a/f'), '', 'nothing, not even a directory');
  const told: StoredContent[] = [];
  const storeAt = async (content: string, id: string, kept?: string) => {
    const reserve = async (one: StoredContent) => {
      told.push(one);
      return kept;
    };
    return broker.store(await localFile(t, content), 'a/f', { id, isExact: true, reserve });
  };
  const { proof = '', path } = await storeAt('first', '1-0');
  t.equal(path, 'a/f');
  t.match(told, [
    { proof, size: 5, sha256: /^a7937b64b8caa58f03721bb6bacf5c78cb235febe0e70b1b84cd99541461a08e$/ },
  ]);
  t.equal(await broker.proofAt('a/f'), proof);

  t.match(await storeAt('first', '2-0', proof), { path: 'a/f', isDuplicate: false, proof }, 'kept');
  t.equal(await broker.proofAt('a/f'), proof);
  await t.rejects(storeAt('first', '2-0'), { code: 'CONFLICT' }, 'the same content of other work');
  const refusal = new Error('refused');
  const refused = { id: '2-0', isExact: true, reserve: () => Promise.reject(refusal) };
  await t.rejects(broker.store(await localFile(t, 'x'), 'b', refused), refusal);
  t.strictSame(await listed(broker, { recursive: true }), ['a/f']);

  await broker.withdraw('a/f', told.at(-1)?.proof ?? '');
  await broker.withdraw('no/f', proof);
  t.strictSame(await listed(broker, { recursive: true }), ['a/f'], 'it has another proof');
  await broker.withdraw('a/f', proof);
  t.strictSame(await listed(broker, { recursive: true }), []);
  await put('a/f', 'foreign');
  t.not(await broker.proofAt('a/f'), '');
  await broker.withdraw('a/f', proof);
  t.equal(await text(await broker.openRead('a/f')), 'foreign');
}
