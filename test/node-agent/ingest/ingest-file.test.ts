import { link, lstat, mkdir, rename, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { finishIngest, performIngest } from '../../../node-agent/ingest/ingest-file.ts';
import type { IngestItem, IngestResult } from '../../../node-agent/ingest/ingest-item.ts';
import { createHostBroker } from '../../../src/storage/host.ts';
import { Crash, type Fault, makeWorld, otherFileSystem, sha256, type World } from './ingest-world.ts';

const elsewhere = await otherFileSystem();
const MOVES = [
  { how: 'linked', parent: tmpdir() },
  ...(elsewhere === undefined ? [] : [{ how: 'copied', parent: elsewhere }]),
] as const;
// limit: far more steps than any move takes, so that a loop that never ends is noticed.
const STEPS_MAX = 80;

t.test('ingest: this machine allows both ways of moving', async (t) => {
  if (process.env.CI === 'true') t.equal(MOVES.length, 2);
  else t.pass('copied between file systems', elsewhere === undefined ? { skip: 'needs /dev/shm' } : {});
});

for (const { how, parent } of MOVES) {
  t.test(`ingest: a file is ${how} to its target and its source removed`, async (t) => {
    const world = await makeWorld(t, parent);
    await world.put('from', 'a.txt', 'content');
    const item = await world.item('a.txt', 'x/y/a.txt');

    const result = await performIngest(item, world.start());

    t.match(result, {
      outcome: 'stored',
      place: { workspace: 'to', path: 'x/y/a.txt' },
      size: 7,
      mtimeMs: item.expectedMtimeMs,
      sha256: sha256('content'),
    });
    t.strictSame(world.recorded, [result]);
    t.strictSame(await world.files('from'), {});
    t.strictSame(await world.files('to'), { 'x/y/a.txt': 'content' });
    const moved = await lstat(join(world.roots.to, 'x/y/a.txt'), { bigint: true });
    t.equal(Number(moved.mtimeNs / 1_000_000n), item.expectedMtimeMs, 'it keeps its time of modification');
    t.equal(moved.nlink, 1n);
  });

  t.test(`ingest: a crash at any step of a file ${how} loses nothing and doubles nothing`, async (t) => {
    for (const redo of ['perform', 'finish'] as const) await crashEverywhere(t, parent, redo);
  });

  t.test(
    `ingest: a failure at any step of a file ${how} is reported, and the next try succeeds`,
    async (t) => {
      let isEnough = false;
      for (let step = 1; !isEnough; step += 1) {
        t.ok(step < STEPS_MAX, 'the move ends');
        const world = await makeWorld(t, parent);
        await world.put('from', 'f', 'content');
        const item = await world.item('f', 'd/f');
        isEnough = await runUntilFault(world, item, 'fail', step);
        await performIngest(item, world.start());
        await checkDone(t, world, item, `failure at step ${step}, ${world.steps[step - 1]}`);
      }
    },
  );

  t.test(`ingest: a second crash during the repetition of a file ${how} loses nothing either`, async (t) => {
    for (let first = 1; first <= 24; first += 3) {
      for (let second = 1; second <= 24; second += 2) {
        const world = await makeWorld(t, parent);
        await world.put('from', 'f', 'content');
        const item = await world.item('f', 'd/f');
        await runUntilFault(world, item, 'crash', first);
        await runUntilFault(world, item, 'crash', second);
        await performIngest(item, world.start());
        await checkDone(t, world, item, `crashes at ${first} and ${second}`);
      }
    }
  });

  t.test(`ingest: a file ${how} goes to a directory of its id if its target has other content`, async (t) => {
    const world = await makeWorld(t, parent);
    await world.put('from', 'f', 'new');
    await world.put('to', 'd/f', 'old');
    const item = await world.item('f', 'd/f');
    const path = `d/${item.ingestId}/f`;
    t.match(await performIngest(item, world.start()), {
      outcome: 'stored',
      place: { workspace: 'to', path },
    });
    t.strictSame(await world.files('to'), { 'd/f': 'old', [path]: 'new' });
    t.strictSame(await world.files('from'), {});
    t.match(await performIngest(item, world.start()), { outcome: 'stored', place: { path } }, 'repeated');
  });

  t.test(
    `ingest: identical content at the target leaves the source of a file to be ${how} alone`,
    async (t) => {
      const world = await makeWorld(t, parent);
      await world.put('from', 'f', 'same');
      await world.put('to', 'd/f', 'same');
      const item = await world.item('f', 'd/f');
      const expected = { outcome: 'duplicate', place: { path: 'd/f' }, size: 4, sha256: sha256('same') };
      t.match(await performIngest(item, world.start()), expected);
      t.strictSame(await world.files('from'), { f: 'same' });
      t.strictSame(await world.files('to'), { 'd/f': 'same' });
    },
  );

  t.test(`ingest: a file to be ${how} that is being written to is left alone`, async (t) => {
    const world = await makeWorld(t, parent);
    const path = join(world.roots.from, 'f');
    await world.put('from', 'f', 'x'.repeat(2_000_000));
    const item = await world.item('f', 'f');
    let isWritten = false;
    const ports = world.start();
    const result = await performIngest(item, {
      ...ports,
      onProgress: () => {
        if (!isWritten) void writeFile(path, 'more', { flag: 'a' });
        isWritten = true;
      },
    });
    // The write races with the reading: either it was noticed, or everything had been read before.
    t.match(result.outcome, /changed/);
    t.strictSame(Object.keys(await world.files('from')), ['f']);
    t.strictSame(await world.files('to'), {});
  });

  t.test(`ingest: a newer file that takes the name of one ${how} survives`, async (t) => {
    const world = await makeWorld(t, parent);
    await world.put('from', 'f', 'old');
    await world.put('from', 'newer', 'newer');
    const item = await world.item('f', 'f');
    const ports = world.start();
    const recordResult = async (result: IngestResult) => {
      await rename(join(world.roots.from, 'newer'), join(world.roots.from, 'f'));
      await ports.recordResult(result);
    };
    t.match(await performIngest(item, { ...ports, recordResult }), { outcome: 'stored' });
    t.strictSame(await world.files('from'), { f: 'newer' });
    t.strictSame(await world.files('to'), { f: 'old' });
  });

  t.test(`ingest: a canceled file to be ${how} stays, whole and alone`, async (t) => {
    const world = await makeWorld(t, parent);
    await world.put('from', 'f', 'x'.repeat(1_000_000));
    const item = await world.item('f', 'f');
    const abort = new AbortController();
    const ports = { ...world.start(), onProgress: () => abort.abort() };
    t.match(await performIngest(item, ports, abort.signal), { outcome: 'canceled' });
    t.strictSame(Object.keys(await world.files('from')), ['f']);
    t.strictSame(await world.files('to'), {});
  });
}

t.test('ingest: a file without a target is hashed where it stays', async (t) => {
  const world = await makeWorld(t);
  await world.put('from', 'd/f', 'content');
  const item = await world.item('d/f', null);
  const place = { workspace: 'from', path: 'd/f' };
  t.match(await performIngest(item, world.start()), { outcome: 'stored', place, sha256: sha256('content') });
  const same = { ...item, target: { workspace: 'from', path: 'd//./f' } };
  t.match(
    await performIngest(same, world.start()),
    { outcome: 'stored', place },
    'a target that is the source',
  );
  t.strictSame(await world.files('from'), { 'd/f': 'content' });
});

t.test('ingest: two workspaces that share a directory do not remove the only name', async (t) => {
  const world = await makeWorld(t);
  await world.put('from', 'sub/f', 'content');
  const item = await world.item('sub/f', 'f');
  const ports = world.start();
  const inner = createHostBroker({ workspaceUuid: 'to', root: join(world.roots.from, 'sub'), agentId: 'a' });
  const reached = async (uuid: string) => (uuid === 'to' ? inner : ports.reached(uuid));
  t.match(await performIngest(item, { ...ports, reached }), { outcome: 'stored', place: { path: 'f' } });
  t.strictSame(await world.files('from'), { 'sub/f': 'content' });
});

t.test('ingest: a file that differs from what was seen is changed, and a missing one is gone', async (t) => {
  const world = await makeWorld(t);
  await world.put('from', 'f', 'content');
  const item = await world.item('f', 'f');
  const unknown = { ...item, expectedIdentity: '' };
  for (const wrong of [
    { ...item, expectedIdentity: 'a.b.c.d' },
    { ...unknown, expectedSize: 8 },
    { ...unknown, expectedMtimeMs: 1 },
  ]) {
    t.match(await performIngest(wrong, world.start()), { outcome: 'changed' });
  }
  for (const absent of ['nothing', 'no/directory', 'f/g']) {
    const gone = await performIngest({ ...item, source: { workspace: 'from', path: absent } }, world.start());
    t.match(gone, { outcome: absent === 'f/g' ? 'failed' : 'gone' }, absent);
  }
  const inPlace = { ...item, source: { workspace: 'from', path: 'nothing' }, target: null };
  t.match(await performIngest(inPlace, world.start()), { outcome: 'gone' });
  t.strictSame(await world.files('from'), { f: 'content' });
  t.strictSame(await world.files('to'), {});
});

t.test('ingest: links, directories and paths out of the workspace are never moved', async (t) => {
  const world = await makeWorld(t);
  await world.put('to', 'victim', 'content');
  await symlink(join(world.roots.to, 'victim'), join(world.roots.from, 'link'));
  await symlink(world.roots.to, join(world.roots.from, 'out'));
  await mkdir(join(world.roots.from, 'folder'));
  await world.put('from', 'f', 'x');
  const item = await world.item('f', 'f');
  const from = (path: string): IngestItem => ({ ...item, source: { workspace: 'from', path } });
  t.match(await performIngest(from('link'), world.start()), { outcome: 'gone' });
  t.match(await performIngest(from('folder'), world.start()), { outcome: 'gone' });
  t.match(await performIngest(from('out/victim'), world.start()), {
    outcome: 'failed',
    errorName: 'unknown',
  });
  t.match(await performIngest(from('../x'), world.start()), { outcome: 'failed' });
  const target = { workspace: 'to', path: '../escaped' };
  t.match(await performIngest({ ...item, target }, world.start()), { outcome: 'failed' });
  t.strictSame(await world.files('to'), { victim: 'content' });
});

t.test('ingest: a source and target that are one file already end as the target', async (t) => {
  const world = await makeWorld(t);
  await world.put('from', 'f', 'content');
  await link(join(world.roots.from, 'f'), join(world.roots.to, 'f'));
  t.match(await performIngest(await world.item('f', 'f'), world.start()), { outcome: 'stored' });
  t.strictSame([await world.files('from'), await world.files('to')], [{}, { f: 'content' }]);
});

t.test('ingest: times are compared exactly, before 1970 and at the edge of a millisecond too', async (t) => {
  const world = await makeWorld(t, elsewhere ?? tmpdir());
  for (const [n, seconds] of [1_700_000_000.001, 1_699_999_999.999999, -86_400.5, 0].entries()) {
    await world.put('from', `f${n}`, 'x');
    await utimes(join(world.roots.from, `f${n}`), seconds, seconds);
    const item = { ...(await world.item(`f${n}`, `f${n}`)), expectedIdentity: '' };
    t.match(await performIngest(item, world.start()), { outcome: 'stored', mtimeMs: item.expectedMtimeMs });
    t.match(await performIngest(item, world.start()), { outcome: 'stored' }, 'found again where it went');
  }
});

async function crashEverywhere(t: Tap, parent: string, redo: 'perform' | 'finish'): Promise<void> {
  let isEnough = false;
  for (let step = 1; !isEnough; step += 1) {
    t.ok(step < STEPS_MAX, 'the move ends');
    const world = await makeWorld(t, parent);
    await world.put('from', 'f', 'content');
    const item = await world.item('f', 'd/f');
    isEnough = await runUntilFault(world, item, 'crash', step);
    const at = `crash at step ${step}, ${world.steps.at(-1)}, ${redo}`;

    const [sources, targets] = [await world.files('from'), await world.files('to')];
    const isKept = Object.values(sources).includes('content');
    t.ok(isKept || targets['d/f'] === 'content', `${at}: the content is there`);
    if (!isKept) t.match(world.recorded[0], { outcome: 'stored' }, `${at}: recorded before the source went`);

    const known = world.recorded[0];
    if (redo === 'finish' && known !== undefined) await finishIngest(item, known, world.start());
    else await performIngest(item, world.start());
    await checkDone(t, world, item, at);
  }
}

type Tap = Parameters<typeof makeWorld>[0];

/** Whether the ingest went through without meeting its fault. */
async function runUntilFault(world: World, item: IngestItem, fault: Fault, step: number): Promise<boolean> {
  world.steps.length = 0;
  try {
    await performIngest(item, world.start(fault, step));
  } catch (error) {
    if (!(error instanceof Crash) && fault === 'crash') throw error;
  }
  return world.steps.length < step;
}

async function checkDone(t: Tap, world: World, item: IngestItem, at: string): Promise<void> {
  t.strictSame(await world.files('from'), {}, `${at}: nothing is left at the source`);
  t.strictSame(await world.files('to'), { 'd/f': 'content' }, `${at}: exactly one copy at the target`);
  const last = world.recorded.at(-1);
  t.match(last, { outcome: 'stored', place: { path: 'd/f' }, sha256: sha256('content') }, `${at}: recorded`);
  t.equal(last?.ingestId, item.ingestId);
}
