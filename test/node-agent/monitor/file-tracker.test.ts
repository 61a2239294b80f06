import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import t from 'tap';
import { FileTracker, type Moment, type SeenFile } from '../../../node-agent/monitor/file-tracker.ts';
import type { FileFacts } from '../../../src/storage/file-facts.ts';
import { WorkCounter } from '../../support/work-counter.ts';

const STABLE_MS = 2_000;

function facts(size: number, more: Partial<FileFacts> = {}): FileFacts {
  const identity = `1.1.${size}.${size}`;
  const times = { mtimeMs: size, mtimeUs: size * 1_000, ctimeUs: size * 1_000, birthUs: 1 };
  return {
    kind: 'file',
    size,
    ...times,
    linkCount: 1,
    allocatedBytes: 0,
    uid: 0,
    inode: '1:1',
    device: '1',
    identity,
    ...more,
  };
}

function at(nowMs: number): Moment {
  return { nowMs, wallMs: 1_000_000 + nowMs, watermarkMs: undefined };
}

function makeTracker(filesMax = 100, sinceMs = 0): FileTracker {
  return new FileTracker({ transferSuffix: '_tmp', stableMs: STABLE_MS, sinceMs, filesMax });
}

const lines = (batch: readonly SeenFile[]) =>
  batch.map(({ path, arrival, size }) => `${path} ${arrival} ${size}`);

// The first: of what has run before the counter starts most is not counted.
t.test('tracker: the cost of a pass grows with the due files, not with the open ones', async (t) => {
  const counter = await WorkCounter.start();
  t.teardown(() => counter.stop());
  const count = 100_000;
  const tracker = makeTracker(3 * count);
  // Long in transfer, some gone again, and three that are due in turn.
  for (let index = 0; index < count; index += 1) {
    tracker.observe(`${index}_tmp`, facts(1), at(0));
    tracker.observe(`${index}_tmp`, facts(2), at(1_000));
    tracker.observe(`${index}.missing`, facts(1), at(0));
    tracker.observe(`${index}.missing`, undefined, at(9_000));
  }
  for (const [index, name] of ['a', 'b', 'c'].entries()) tracker.observe(name, facts(1), at(8_000 + index));
  for (const name of tracker.due(at(9_400)).names) tracker.observe(name, facts(1), at(9_400));
  const names: string[] = [];
  const { blocks, most } = await counter.count(() => {
    for (let nowMs = 9_500; nowMs < 9_990; nowMs += 10) {
      tracker.settleMissing(nowMs);
      names.push(...tracker.due(at(nowMs)).names);
    }
    for (const nowMs of [10_000, 10_001, 10_002]) {
      const { names: due, nextInMs } = tracker.due(at(nowMs));
      names.push(...due);
      t.equal(nextInMs, nowMs < 10_002 ? 1 : Number.POSITIVE_INFINITY);
      for (const name of due) tracker.observe(name, facts(1), at(nowMs));
    }
  });
  t.strictSame(names, ['a', 'b', 'c']);
  t.ok(blocks < 10_000, `${blocks} blocks, most in ${most.join('; ')}`);
  tracker.settleMissing(10_000);
  t.equal(tracker.knownCount, count + 3, 'those that are missing are gone at their time');
});

t.test('tracker: a file is complete when it has lain still for the whole time, and no sooner', async (t) => {
  const tracker = makeTracker();
  tracker.observe('f', facts(1), at(0));
  tracker.observe('f', facts(2), at(1_500));
  t.strictSame(lines(tracker.takeBatch(9)), ['f transferring 2']);
  tracker.observe('f', facts(2), at(3_499));
  t.strictSame(lines(tracker.takeBatch(9)), []);
  t.strictSame(tracker.due(at(3_499)), { names: [], nextInMs: 1 });
  t.strictSame(tracker.due(at(3_500)).names, ['f']);
  tracker.observe('f', facts(2), at(3_500));
  t.strictSame(lines(tracker.takeBatch(9)), ['f complete 2']);
});

t.test(
  'tracker: a file that changes between its batch and the acknowledgement is reported again',
  async (t) => {
    const tracker = makeTracker();
    tracker.observe('f', facts(1), at(0));
    tracker.observe('f', facts(1), at(STABLE_MS));
    const batch = tracker.takeBatch(9);
    tracker.observe('f', facts(5), at(3_000));
    tracker.acknowledge(batch);
    tracker.observe('f', facts(5), at(3_000 + STABLE_MS));
    t.ok(lines(tracker.takeBatch(9)).includes('f complete 5'));
  },
);

t.test('tracker: an acknowledged file that vanishes is forgotten without a report', async (t) => {
  const tracker = makeTracker();
  tracker.observe('f', facts(1), at(0));
  tracker.observe('f', facts(1), at(STABLE_MS));
  const batch = tracker.takeBatch(9);
  tracker.observe('f', undefined, at(2_500));
  tracker.settleMissing(9_000);
  t.equal(tracker.knownCount, 1, 'not before it is acknowledged');
  tracker.acknowledge(batch);
  tracker.settleMissing(9_000);
  t.strictSame([tracker.knownCount, tracker.takeBatch(9)], [0, []]);
});

t.test('tracker: names beyond the limit are left for later, and counted', async (t) => {
  const tracker = makeTracker(2);
  for (const name of ['a', 'b', 'c']) tracker.observe(name, facts(1), at(0));
  t.strictSame([tracker.knownCount, tracker.ignoredCount], [2, 1]);
});

t.test('tracker: many files that are due at once are reported in parts, until all are checked', async (t) => {
  const tracker = makeTracker(10_000);
  const all = Array.from({ length: 10_000 }, (_, index) => `f${index}`);
  for (const name of all) tracker.observe(name, facts(1), at(0));
  const looked: string[] = [];
  for (let pass = 0; pass < 3; pass += 1) {
    const { names, nextInMs } = tracker.due(at(STABLE_MS));
    t.ok(names.length <= 4_096);
    t.equal(nextInMs <= 0, pass < 2);
    t.strictSame(new Set(tracker.due(at(STABLE_MS)).names).size, names.length, 'as many until then');
    for (const name of names) tracker.observe(name, facts(1), at(STABLE_MS));
    looked.push(...names);
  }
  t.strictSame(looked.sort(), all.sort());
  t.strictSame(tracker.due(at(STABLE_MS)), { names: [], nextInMs: Number.POSITIVE_INFINITY });
});

t.test('tracker: a directory or link of a file’s name is not a file', async (t) => {
  const tracker = makeTracker();
  tracker.observe('d', facts(1, { kind: 'directory' }), at(0));
  tracker.observe('l', facts(1, { kind: 'other' }), at(0));
  t.equal(tracker.knownCount, 0);
});

t.test(
  'tracker: whatever happens, each unchanged file at the end is reported once, and no other',
  async (t) => {
    const name = fc.constantFrom('a', 'b', 'a_tmp', 'b_tmp');
    const step = fc.oneof(
      fc.record({ do: fc.constant('see' as const), name, size: fc.integer({ min: 0, max: 3 }) }),
      fc.record({ do: fc.constant('miss' as const), name }),
      fc.record({ do: fc.constantFrom('take', 'acknowledge', 'reject', 'settle') }),
    );
    const run = (steps: readonly { do: string; name?: string; size?: number }[]): void => {
      const tracker = makeTracker();
      const there = new Map<string, number>();
      const taken: (readonly SeenFile[])[] = [];
      const kept: SeenFile[] = [];
      let nowMs = 0;
      const keep = (): void => {
        const batch = taken.shift();
        if (batch === undefined) return;
        kept.push(...batch);
        tracker.acknowledge(batch);
      };
      for (const { do: what, name = '', size = 0 } of steps) {
        nowMs += 700;
        if (what === 'see') there.set(name, size);
        if (what === 'miss') there.delete(name);
        if (what === 'see' || what === 'miss') {
          tracker.observe(name, what === 'see' ? facts(size) : undefined, at(nowMs));
        }
        if (what === 'take') taken.push(tracker.takeBatch(2));
        if (what === 'acknowledge') keep();
        if (what === 'reject') tracker.reject(taken.shift() ?? []);
        if (what === 'settle') tracker.settleMissing(nowMs);
      }
      while (taken.length > 0) keep();
      for (let pass = 0; pass < 6; pass += 1) {
        nowMs += 2_500;
        for (const [name, size] of there) tracker.observe(name, facts(size), at(nowMs));
        tracker.settleMissing(nowMs);
        for (let batch = tracker.takeBatch(9); batch.length > 0; batch = tracker.takeBatch(9)) {
          taken.push(batch);
          keep();
        }
      }
      for (const [name, size] of there) {
        if (name.endsWith('_tmp')) continue;
        const last = kept.filter(({ path, arrival }) => path === name && arrival === 'complete').at(-1);
        if (last?.size !== size)
          throw new Error(`${name} was reported last with size ${last?.size}, not ${size}`);
      }
      if (tracker.pendingCount > 0) throw new Error('something is reported again and again');
      if (tracker.knownCount !== there.size)
        throw new Error(`${tracker.knownCount} known, ${there.size} there`);
    };
    fc.assert(fc.property(fc.array(step, { maxLength: 40 }), run), { numRuns: 3_000 });
    t.pass('no counterexample');
  },
);

t.test('tracker: a file that is known takes less than 200 bytes', async (t) => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const memory = (): number => {
    collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const count = 100_000;
  const tracker = makeTracker(count);
  const before = memory();
  for (let first = 0; first < count; first += 10_000) {
    const names = Array.from({ length: 10_000 }, (_, n) => `scene-${first + n}-of-the-day.tif`);
    for (const nowMs of [0, STABLE_MS]) {
      // As long as real ones: inode, two times in nanoseconds, size.
      for (const [n, name] of names.entries())
        tracker.observe(name, facts(n, { identity: realIdentity(first + n) }), at(nowMs));
      while (tracker.due(at(nowMs + 1)).nextInMs <= 0);
    }
    for (let batch = tracker.takeBatch(500); batch.length > 0; batch = tracker.takeBatch(500))
      tracker.acknowledge(batch);
  }
  const each = (memory() - before) / count;
  t.equal(tracker.knownCount, count);
  t.ok(each < 200, `${Math.round(each)} bytes a file`);
});

function realIdentity(n: number): string {
  return [BigInt(n) + 60_000_000n, 1_764_000_000_000_000_000n, 1_764_000_000_000_000_000n + BigInt(n), 5_000n]
    .map((part) => part.toString(36))
    .join('.');
}

t.test('tracker: a listing shows which known and unknown names it has not found', async (t) => {
  const tracker = makeTracker();
  for (const nowMs of [0, STABLE_MS]) {
    for (const name of ['kept', 'lost', 'other']) tracker.observe(name, facts(1), at(nowMs));
  }
  tracker.acknowledge(tracker.takeBatch(9));
  tracker.observe('growing', facts(1), at(3_000));
  tracker.beginListing();
  const lacking = () => [...tracker.notFound()].filter((name) => name !== undefined).sort();
  t.strictSame(lacking(), ['growing', 'kept', 'lost', 'other']);
  tracker.observe('kept', facts(1), at(4_000));
  tracker.observe('other', facts(2), at(4_000));
  t.strictSame(lacking(), ['growing', 'lost']);
  tracker.observe('lost', undefined, at(4_000));
  tracker.observe('growing', facts(1), at(4_000));
  t.strictSame(lacking(), [], 'what is missing is not asked for again');
  tracker.beginListing();
  t.strictSame(lacking(), ['growing', 'kept', 'other']);
});

t.test('tracker: a known file that comes back within a second stays known', async (t) => {
  const tracker = makeTracker();
  for (const nowMs of [0, STABLE_MS]) tracker.observe('f', facts(1), at(nowMs));
  tracker.acknowledge(tracker.takeBatch(9));
  tracker.observe('f', undefined, at(3_000));
  tracker.observe('f', facts(1), at(3_500));
  tracker.settleMissing(9_000);
  t.strictSame([tracker.knownCount, lines(tracker.takeBatch(9))], [1, []]);
  tracker.observe('f', facts(7), at(10_000));
  tracker.observe('f', facts(7), at(10_000 + STABLE_MS));
  t.strictSame(lines(tracker.takeBatch(9)), ['f complete 7']);
});

t.test('tracker: files of events are reported before files of a listing', async (t) => {
  const tracker = makeTracker();
  const evidence = {
    isFromAppearance: false,
    hasChanged: true,
    watermarkMs: undefined,
    followsSuffixed: false,
  };
  for (const nowMs of [0, STABLE_MS]) {
    for (let n = 0; n < 8; n += 1) tracker.observe(`listed-${n}`, facts(1), at(nowMs));
    for (let n = 0; n < 8; n += 1) tracker.observe(`heard-${n}`, facts(1), at(nowMs), evidence);
  }
  const first = tracker.takeBatch(8).map(({ path }) => path);
  t.equal(first.filter((path) => path.startsWith('heard')).length, 6);
  t.equal(first.filter((path) => path.startsWith('listed')).length, 2, 'which are not left behind for ever');
});

t.test('tracker: a file whose suffix was removed is not reported as gone', async (t) => {
  const tracker = makeTracker();
  tracker.observe('f_tmp', facts(1), at(0));
  tracker.observe('f_tmp', facts(2), at(1_000));
  t.strictSame(lines(tracker.takeBatch(9)), ['f transferring 2']);
  tracker.observe('f_tmp', undefined, at(1_100));
  tracker.observe('f', facts(2), at(1_101));
  const batch = tracker.takeBatch(9);
  t.strictSame(lines(batch), ['f complete 2']);
  tracker.acknowledge(batch);
  tracker.settleMissing(9_000);
  t.strictSame([tracker.knownCount, lines(tracker.takeBatch(9))], [1, []]);
});

t.test('tracker: files older than a given time are left alone until they are changed or moved', async (t) => {
  const tracker = makeTracker(100, 5_000);
  tracker.observe('old', facts(1, { ctimeUs: 4_999_999 }), at(0));
  tracker.observe('old_tmp', facts(1, { ctimeUs: 4_000_000 }), at(0));
  tracker.observe('new', facts(1, { ctimeUs: 5_000_000 }), at(0));
  t.equal(tracker.knownCount, 1);
  tracker.observe('old', facts(2, { ctimeUs: 6_000_000 }), at(10));
  // Its content is as old as it was: only its name is new.
  tracker.observe('renamed', facts(1, { ctimeUs: 6_000_000, mtimeMs: 1 }), at(10));
  for (const name of ['new', 'old', 'renamed']) {
    const size = name === 'old' ? 2 : 1;
    tracker.observe(name, facts(size, { ctimeUs: name === 'new' ? 5_000_000 : 6_000_000 }), at(20_000));
  }
  t.strictSame(lines(tracker.takeBatch(10)).sort(), [
    'new complete 1',
    'old complete 2',
    'renamed complete 1',
  ]);
});
