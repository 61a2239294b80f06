import {
  appendFileSync,
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { link, open } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { EventWatermark } from '../../../node-agent/monitor/event-watermark.ts';
import { makeWatch, pause, realClock, settled, until } from './watch-world.ts';

/** With this nothing becomes complete by lying still while a test runs. */
const NEVER_MS = 3_600_000;

t.test('watch: a file whose suffix is removed is complete at once, slowly or quickly done', async (t) => {
  const world = await makeWatch(t, { stableMs: NEVER_MS });
  await settled(world);
  writeFileSync(join(world.root, 'slow_tmp'), 'slow');
  await pause(40);
  renameSync(join(world.root, 'slow_tmp'), join(world.root, 'slow'));
  writeFileSync(join(world.root, 'quick_tmp'), 'quick');
  renameSync(join(world.root, 'quick_tmp'), join(world.root, 'quick'));

  t.match(await world.reported('slow', 'complete'), { size: 4 });
  t.match(await world.reported('quick', 'complete'), { size: 5 });
});

t.test('watch: a file moved in from elsewhere does not have to lie still', async (t) => {
  const world = await makeWatch(t, { stableMs: NEVER_MS, transferSuffix: '' });
  await settled(world);
  for (const [name, ageMs] of [
    ['old', 80],
    ['young', 16],
    ['new', 0],
  ] as const) {
    writeFileSync(join(world.beside, name), name);
    if (ageMs > 0) await pause(ageMs);
    renameSync(join(world.beside, name), join(world.root, name));
    t.match(await world.reported(name, 'complete'), { size: name.length });
  }
});

t.test(
  'watch: a file that is created in place is reported as growing, and complete when it lies still',
  async (t) => {
    const world = await makeWatch(t, { stableMs: 2_000 });
    await settled(world);
    const path = join(world.root, 'growing');
    const file = openSync(path, 'w');
    for (let n = 0; n < 30; n += 1) {
      writeSync(file, 'x'.repeat(100));
      // What an impatient rule might take for a move: the change time alone is set.
      if (n === 3) chmodSync(path, 0o600);
      await pause(100);
      t.notOk(world.arrivalsOf('growing').includes('complete'), 'not while it grows');
    }
    closeSync(file);
    t.match(await world.reported('growing', 'complete'), { size: 3_000 });
    t.equal(world.arrivalsOf('growing').filter((arrival) => arrival === 'complete').length, 1);
    t.equal(world.arrivalsOf('growing')[0], 'transferring');
  },
);

t.test('watch: one long write into a new file is never taken for a move', async (t) => {
  const world = await makeWatch(t, { stableMs: 1_000 });
  await settled(world);
  const bytes = Buffer.alloc(192 * 1_048_576 + 1, 'x');
  const file = await open(join(world.root, 'long'), 'wx');
  await file.write(bytes);
  await file.close();
  t.match(await world.reported('long', 'complete'), { size: bytes.length });
  const early = world.reports.filter(({ arrival, size }) => arrival === 'complete' && size < bytes.length);
  t.strictSame(early, []);
});

t.test('watch: a hard link to a file that may still be written does not prove it complete', async (t) => {
  const world = await makeWatch(t, { stableMs: NEVER_MS });
  await settled(world);
  writeFileSync(join(world.beside, 'shared'), 'one');
  await pause(60);
  await link(join(world.beside, 'shared'), join(world.root, 'shared'));
  await world.reported('shared', 'transferring');
  t.strictSame(world.arrivalsOf('shared'), ['transferring']);
});

t.test(
  'watch: a suffixed file is reported by its final name as it grows, and as gone when it vanishes',
  async (t) => {
    const world = await makeWatch(t, { stableMs: 100 });
    await settled(world);
    const path = join(world.root, 'map_tmp');
    writeFileSync(path, 'abc');
    t.match(await world.reported('map', 'transferring'), { size: 3 });
    appendFileSync(path, 'def');
    await until('growth', () => world.reports.find(({ path, size }) => path === 'map' && size === 6));
    unlinkSync(path);
    await world.reported('map', 'gone');
    t.notOk(world.arrivalsOf('map').includes('complete'), 'however still it lay');

    writeFileSync(path, 'again');
    await until('it is reported again', () => world.arrivalsOf('map').at(-1) === 'transferring');
    renameSync(path, join(world.root, 'map'));
    await world.reported('map', 'complete');
    await until('the old name is forgotten', () => world.watch.stats().knownCount === 1);
    t.equal(world.arrivalsOf('map').at(-1), 'complete', 'a removed suffix is not a loss');
  },
);

t.test('watch: new content under a name that was reported is another arrival', async (t) => {
  const world = await makeWatch(t, { stableMs: 150 });
  writeFileSync(join(world.root, 'f'), 'one');
  const first = await world.reported('f', 'complete');
  appendFileSync(join(world.root, 'f'), 'two');
  const grown = await until('the longer one', () =>
    world.reports.find((file) => file.arrival === 'complete' && file.size === 6),
  );
  writeFileSync(join(world.beside, 'f'), 'swap');
  renameSync(join(world.beside, 'f'), join(world.root, 'f'));
  const swapped = await until('the other file', () =>
    world.reports.find((file) => file.arrival === 'complete' && file.size === 4),
  );
  t.equal(new Set([first, grown, swapped].map(({ identity }) => identity)).size, 3);
});

t.test(
  'watch: files that are there at first are reported; hidden files, directories and links are not',
  async (t) => {
    const world = await makeWatch(t, { stableMs: 50 });
    writeFileSync(join(world.root, '.millrace-7.tmp'), 'x');
    writeFileSync(join(world.root, '.hidden'), 'x');
    mkdirSync(join(world.root, 'folder'));
    writeFileSync(join(world.root, 'folder', 'inner'), 'x');
    symlinkSync(join(world.root, 'folder', 'inner'), join(world.root, 'link'));
    writeFileSync(Buffer.concat([Buffer.from(`${world.root}/`), Buffer.from([0x78, 0xff])]), 'odd');
    writeFileSync(join(world.root, '_tmp'), 'a suffix alone is a name');
    await world.reported('x\uf7ff', 'complete');
    await world.reported('_tmp', 'complete');
    t.strictSame(new Set(world.reports.map(({ path }) => path)), new Set(['x\uf7ff', '_tmp']));
  },
);

t.test('watch: a batch that is not acknowledged is reported again, with bounded memory', async (t) => {
  let refusals = 3;
  const batches: number[] = [];
  const kept: string[] = [];
  const world = await makeWatch(t, {
    stableMs: 20,
    filesPerBatch: 10,
    onBatch: async (files) => {
      batches.push(files.length);
      refusals -= 1;
      if (refusals >= 0) throw new Error('the coordinator is away');
      for (const { path, arrival } of files) if (arrival === 'complete') kept.push(path);
    },
  });
  for (let n = 0; n < 45; n += 1) writeFileSync(join(world.root, `f${n}`), 'x');
  await until('all are kept', () => kept.length >= 45);
  t.equal(new Set(kept).size, 45);
  t.equal(kept.length, 45, 'each once');
  t.ok(batches.every((size) => size <= 10));
  t.equal(world.watch.stats().pendingCount, 0);
});

t.test(
  'watch: a directory that vanishes and returns is unreachable meanwhile, and loses no file',
  async (t) => {
    const world = await makeWatch(t, { stableMs: 50 });
    writeFileSync(join(world.root, 'before'), 'x');
    await world.reported('before', 'complete');
    writeFileSync(join(world.root, 'half_tmp'), 'x');
    await world.reported('half', 'transferring');

    renameSync(world.root, `${world.root}-away`);
    await until('it is unreachable', () => world.reaches.at(-1)?.isReachable === false);
    t.match(world.reaches.at(-1)?.reason, /ENOENT/);
    writeFileSync(join(`${world.root}-away`, 'meanwhile'), 'x');
    renameSync(`${world.root}-away`, world.root);

    await world.reported('meanwhile', 'complete');
    t.equal(world.reaches.at(-1)?.isReachable, true);
    writeFileSync(join(world.root, 'after'), 'x');
    await world.reported('after', 'complete');
    t.strictSame(
      world.arrivalsOf('half'),
      ['transferring'],
      'absence of the directory is not loss of its files',
    );
    t.strictSame(world.arrivalsOf('before'), ['complete']);
  },
);

t.test(
  'watch: a directory that is another workspace now is unreachable, and none of its files is reported',
  async (t) => {
    let reason = '';
    const check = async () => ({ isReachable: reason === '', isUnmarked: false, reason });
    const world = await makeWatch(t, { stableMs: 20, check });
    await settled(world);
    rmSync(world.root, { recursive: true });
    reason = 'the directory is marked as workspace other';
    mkdirSync(world.root);
    writeFileSync(join(world.root, 'foreign'), 'x');
    await until('it is unreachable', () => world.reaches.at(-1)?.reason === reason);
    await pause(300);
    t.strictSame(world.reports, []);
    reason = '';
    await world.reported('foreign', 'complete');
  },
);

t.test('watch: after lost events everything is listed again, and files must lie still', async (t) => {
  const watermark = new EventWatermark(realClock, 20);
  const world = await makeWatch(t, { stableMs: 2_000, watermark, listEveryMs: NEVER_MS });
  await settled(world);
  const file = openSync(join(world.root, 'growing'), 'w');
  writeSync(file, 'x');
  for (let n = 0; n < 200; n += 1) {
    writeFileSync(join(world.beside, `f${n}`), 'x');
    renameSync(join(world.beside, `f${n}`), join(world.root, `f${n}`));
  }
  await until('a repair', () => world.watch.stats().repairCount > 0);
  for (let n = 0; n < 30; n += 1) {
    await pause(80);
    writeSync(file, 'x');
    t.notOk(world.arrivalsOf('growing').includes('complete'));
  }
  closeSync(file);
  await until(
    'all are reported',
    () => world.reports.filter(({ arrival }) => arrival === 'complete').length >= 201,
  );
  t.match(await world.reported('growing', 'complete'), { size: 31 });
});

t.test('watch: a file renamed in while the first listing lasts is reported before it ends', async (t) => {
  const parent = t.testdir({ root: {}, aside: 'content' });
  const root = join(parent, 'root');
  for (let n = 0; n < 5_000; n += 1) {
    writeFileSync(join(root, `f${n}`), '');
    utimesSync(join(root, `f${n}`), 1, 1);
  }
  // What is found is ready at once, and the listing waits until most of it is acknowledged.
  const complete: string[] = [];
  const world = await makeWatch(t, {
    ...{ root, stableMs: 100, listAheadMax: 100, filesPerBatch: 100 },
    onBatch: async (files) => {
      for (const { path, arrival } of files) if (arrival === 'complete') complete.push(path);
      await pause(50);
    },
  });
  await until('the directory is watched', () => world.reaches.length > 0);
  renameSync(join(parent, 'aside'), join(root, 'renamed'));
  await until('it is reported', () => complete.includes('renamed'));
  t.equal(world.watch.stats().listingCount, 0, 'the listing lasts');
  await until('all are reported', () => complete.length > 5_000);
  t.equal(new Set(complete).size, 5_001);
});

t.test('watch: a listing waits while what it has found is not acknowledged', async (t) => {
  // More than any machine lists in one turn.
  const FILES = 20_000;
  const parent = t.testdir({ root: {} });
  const root = join(parent, 'root');
  for (let n = 0; n < FILES; n += 1) writeFileSync(join(root, `f${n}`), '');
  const away = Promise.withResolvers<void>();
  const world = await makeWatch(t, {
    root,
    stableMs: 20,
    listAheadMax: 100,
    onBatch: async () => away.promise,
  });
  await until('some wait to be reported', () => world.watch.stats().pendingCount > 0);
  // A turn that has begun is finished.
  await pause(1_000);
  const { knownCount, listingCount } = world.watch.stats();
  t.equal(listingCount, 0, 'the listing lasts');
  await pause(500);
  t.equal(world.watch.stats().knownCount, knownCount, 'it takes no more names');
  away.resolve();
  await until('all are known', () => world.watch.stats().listingCount > 0);
  t.equal(world.watch.stats().knownCount, FILES);
});

t.test('watch: each file of a burst of 20,000 is reported once', async (t) => {
  const world = await makeWatch(t, { stableMs: 300 });
  await settled(world);
  for (let n = 0; n < 20_000; n += 1) {
    if (n % 2 === 0) writeFileSync(join(world.root, `f${n}`), 'x');
    else {
      writeFileSync(join(world.root, `f${n}_tmp`), 'x');
      renameSync(join(world.root, `f${n}_tmp`), join(world.root, `f${n}`));
    }
    if (n % 500 === 0) await pause(1);
  }
  const complete = () => world.reports.filter(({ arrival }) => arrival === 'complete');
  await until('all are reported', () => complete().length >= 20_000);
  await pause(100);
  t.equal(complete().length, 20_000);
  t.equal(new Set(complete().map(({ path }) => path)).size, 20_000);
  t.notOk(
    world.reports.some(({ arrival }) => arrival === 'gone'),
    'none was lost',
  );
});
