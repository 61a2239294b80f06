import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import type { IngestItem, IngestResult } from '../../../node-agent/ingest/ingest-item.ts';
import { runIngests } from './ingest-group.ts';
import { makeWorld } from './ingest-world.ts';

const unexpected = (_: IngestItem, error: unknown): void => {
  throw error;
};

t.test('group: two agents that move different files to one path lose none', async (t) => {
  const world = await makeWorld(t);
  const items: IngestItem[] = [];
  for (let n = 0; n < 30; n += 1) {
    await world.put('from', `${n}/f`, `content ${n}`);
    items.push(await world.item(`${n}/f`, 'one/f'));
  }
  const [half, rest] = [items.slice(0, 15), items.slice(15)];
  const groups = [half, rest].map((part) =>
    runIngests(part, world.start(), { concurrency: 4, onUnfinished: unexpected }),
  );
  await Promise.all(groups.map(({ done }) => done));

  t.ok(world.recorded.every(({ outcome }) => outcome === 'stored'));
  const kept = await world.files('to');
  t.equal(Object.keys(kept).length, 30);
  t.equal(new Set(Object.values(kept)).size, 30, 'every content once');
  t.strictSame(await world.files('from'), {});
});

t.test('group: an ingest is canceled without the others, even while it waits', async (t) => {
  const world = await makeWorld(t);
  const items: IngestItem[] = [];
  for (const name of ['a', 'b', 'c']) {
    await world.put('from', name, name.repeat(100_000));
    items.push(await world.item(name, name));
  }
  const [a, b, c] = items.map(({ ingestId }) => ingestId) as [number, number, number];
  const results = new Map<number, IngestResult['outcome']>();
  const group = runIngests(items, world.start(), {
    concurrency: 1,
    onUnfinished: unexpected,
    onResult: (item, { outcome }) => results.set(item.ingestId, outcome),
  });
  t.equal(group.cancel(b), true);
  t.equal(group.cancel(999), false);
  await group.done;
  t.equal(group.cancel(a), false, 'it has ended');
  t.strictSame(Object.fromEntries(results), { [a]: 'stored', [b]: 'canceled', [c]: 'stored' });
  t.strictSame(Object.keys(await world.files('from')), ['b']);
});

t.test('group: an ingest that could not be recorded is handed back, and the others continue', async (t) => {
  const world = await makeWorld(t);
  await world.put('from', 'a', 'a');
  await world.put('from', 'b', 'b');
  const items = [await world.item('a', 'a'), await world.item('b', 'b')];
  const ports = world.start();
  const recordResult = async (result: IngestResult): Promise<void> => {
    if (result.ingestId === items[0]?.ingestId) throw new Error('the spool is full');
    await ports.recordResult(result);
  };
  const unfinished: IngestItem[] = [];
  const onUnfinished = (item: IngestItem) => unfinished.push(item);
  await runIngests(items, { ...ports, recordResult }, { concurrency: 2, onUnfinished }).done;

  t.strictSame(unfinished, [items[0]]);
  t.strictSame(Object.keys(await world.files('from')), ['a'], 'its source is kept');
  await runIngests(unfinished, world.start(), { concurrency: 2, onUnfinished: unexpected }).done;
  t.strictSame([await world.files('from'), await world.files('to')], [{}, { a: 'a', b: 'b' }]);
});

t.test('group: progress is reported in bytes', async (t) => {
  const world = await makeWorld(t);
  await world.put('from', 'f', 'x'.repeat(600_000));
  const item = await world.item('f', null);
  const bytes: number[] = [];
  const onProgress = (_: number, count: number) => bytes.push(count);
  await runIngests([item], { ...world.start(), onProgress }, { concurrency: 9, onUnfinished: unexpected })
    .done;
  t.strictSame(bytes, [262_144, 524_288, 600_000]);
});

t.test(
  'group: a full disk at the target fails with its name, keeps the source and leaves nothing',
  async (t) => {
    const parent = await mkdtemp(join(tmpdir(), 'millrace-full-'));
    const run = promisify(execFile);
    try {
      await run('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'millrace-test', parent]);
    } catch {
      if (process.env.CI === 'true') return t.fail('a small file system cannot be mounted here');
      return t.pass('full disk', { skip: 'needs the right to mount a small tmpfs (run as root)' });
    }
    t.teardown(async () => {
      await run('umount', ['-l', parent]);
      await rm(parent, { recursive: true, force: true });
    });
    const world = await makeWorld(t, parent);
    await world.put('from', 'big', 'x'.repeat(2_000_000));
    const item = await world.item('big', 'd/big');
    await runIngests([item], world.start(), { concurrency: 1, onUnfinished: unexpected }).done;
    t.match(world.recorded, [{ outcome: 'failed', errorName: 'filesystem-io', message: /ENOSPC/ }]);
    t.strictSame(Object.keys(await world.files('from')), ['big']);
    t.strictSame(await world.files('to'), {});
  },
);
