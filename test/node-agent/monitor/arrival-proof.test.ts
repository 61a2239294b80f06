import t from 'tap';
import {
  CLOCK_MARGIN_MS,
  type Evidence,
  QUIET_MS,
  restMsOf,
} from '../../../node-agent/monitor/arrival-proof.ts';
import type { FileFacts } from '../../../src/storage/file-facts.ts';

const T = 1_800_000_000_000_000;
const base: FileFacts = {
  kind: 'file',
  size: 8_192,
  mtimeMs: T / 1_000,
  mtimeUs: T,
  ctimeUs: T,
  birthUs: T,
  linkCount: 1,
  allocatedBytes: 0,
  uid: 0,
  inode: '1:2',
  device: '1',
  identity: 'a.b.c.d',
};
const heard: Evidence = {
  isFromAppearance: true,
  hasChanged: false,
  watermarkMs: T / 1_000 - 20,
  followsSuffixed: false,
};
const moved = { ...base, birthUs: T - 100_000, mtimeUs: T - 100_000 };

t.test('proof: a file that was born before the watermark was moved in, and is complete', async (t) => {
  t.equal(restMsOf(moved, undefined, heard), 0);
});

t.test('proof: a file in the making is never proved complete', async (t) => {
  t.equal(restMsOf(base, undefined, heard), undefined, 'created and written in one tick');
  t.equal(restMsOf({ ...base, mtimeUs: T + 9, ctimeUs: T + 9 }, undefined, heard), undefined, 'written to');
  t.equal(restMsOf({ ...base, ctimeUs: T + 9, size: 0 }, undefined, heard), undefined, 'still empty');
  t.equal(
    restMsOf({ ...base, ctimeUs: T + 9 }, undefined, { ...heard, hasChanged: true }),
    undefined,
    'an event says so',
  );
});

t.test('proof: without any one of its facts there is no proof', async (t) => {
  t.equal(restMsOf(moved, undefined, undefined), undefined, 'found by listing');
  t.equal(
    restMsOf(moved, undefined, { ...heard, isFromAppearance: false }),
    undefined,
    'events may have been lost',
  );
  t.equal(restMsOf({ ...moved, linkCount: 2 }, undefined, heard), undefined, 'a second name');
  t.equal(
    restMsOf({ ...moved, birthUs: 0, ctimeUs: moved.mtimeUs }, undefined, heard),
    undefined,
    'no birth time',
  );
  t.equal(
    restMsOf({ ...moved, ctimeUs: moved.mtimeUs }, undefined, heard),
    undefined,
    'the clock was set back',
  );
  const unknown = { ...heard, watermarkMs: undefined };
  t.equal(restMsOf({ ...moved, ctimeUs: moved.mtimeUs }, undefined, unknown), undefined, 'no watermark');
  const close = { ...base, birthUs: T - 25_000, mtimeUs: T, ctimeUs: T };
  t.equal(restMsOf(close, undefined, heard), undefined, 'born within the margin of the watermark');
});

t.test('proof: a file with a change time after its modification rests only a clock’s margin', async (t) => {
  t.equal(restMsOf({ ...base, ctimeUs: T + 4_000 }, undefined, heard), CLOCK_MARGIN_MS);
});

t.test('proof: an unchanged file whose size is no whole number of pages has to rest longer', async (t) => {
  t.equal(restMsOf({ ...base, size: 8_193 }, undefined, heard), QUIET_MS);
  t.equal(restMsOf({ ...base, size: 8_193 }, undefined, { ...heard, hasChanged: true }), undefined);
  t.equal(restMsOf({ ...base, size: 8_193 }, undefined, { ...heard, isFromAppearance: false }), undefined);
  t.equal(restMsOf({ ...base, size: 8_193, linkCount: 2 }, undefined, heard), undefined);
  t.equal(restMsOf({ ...base, size: 1_048_576 }, undefined, heard), undefined, 'whole pages');
});

t.test('proof: a removed suffix is recognized by inode and birth time', async (t) => {
  t.equal(restMsOf(base, base, undefined), 0);
  t.equal(restMsOf(base, { ...base, inode: '1:3' }, undefined), undefined, 'another inode');
  t.equal(restMsOf(base, { ...base, birthUs: T - 1 }, undefined), undefined, 'the inode was used again');
  t.equal(
    restMsOf({ ...base, birthUs: 0 }, { ...base, birthUs: 0 }, undefined),
    undefined,
    'births are not known',
  );
  t.equal(
    restMsOf(base, undefined, { ...heard, followsSuffixed: true }),
    CLOCK_MARGIN_MS,
    'too quick to see',
  );
});
