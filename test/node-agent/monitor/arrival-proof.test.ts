import t from 'tap';
import { type Evidence, proofOf } from '../../../node-agent/monitor/arrival-proof.ts';
import type { FileFacts } from '../../../src/storage/file-facts.ts';

const T = 1_800_000_000_000_000;
const base: FileFacts = {
  kind: 'file',
  size: 10,
  mtimeMs: T / 1_000,
  mtimeUs: T,
  ctimeUs: T,
  birthUs: T,
  linkCount: 1,
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

t.test('proof: a file born before the watermark was moved', async (t) => {
  t.equal(proofOf(moved, undefined, heard), 'moved');
});

t.test('proof: a file in the making is never proved complete', async (t) => {
  t.equal(proofOf(base, undefined, heard), 'none', 'created and written in one tick');
  t.equal(proofOf({ ...base, mtimeUs: T + 9, ctimeUs: T + 9 }, undefined, heard), 'none', 'written to');
  t.equal(proofOf({ ...base, ctimeUs: T + 9, size: 0 }, undefined, heard), 'none', 'still empty');
  t.equal(
    proofOf({ ...base, ctimeUs: T + 9 }, undefined, { ...heard, hasChanged: true }),
    'none',
    'an event says so',
  );
});

t.test('proof: what is missing makes it void', async (t) => {
  t.equal(proofOf(moved, undefined, undefined), 'none', 'found by listing');
  t.equal(
    proofOf(moved, undefined, { ...heard, isFromAppearance: false }),
    'none',
    'events may have been lost',
  );
  t.equal(proofOf({ ...moved, linkCount: 2 }, undefined, heard), 'none', 'a second name');
  t.equal(
    proofOf({ ...moved, birthUs: 0, ctimeUs: moved.mtimeUs }, undefined, heard),
    'none',
    'no birth time',
  );
  t.equal(proofOf({ ...moved, ctimeUs: moved.mtimeUs }, undefined, heard), 'none', 'the clock was set back');
  const unknown = { ...heard, watermarkMs: undefined };
  t.equal(proofOf({ ...moved, ctimeUs: moved.mtimeUs }, undefined, unknown), 'none', 'no watermark');
  const close = { ...base, birthUs: T - 25_000, mtimeUs: T, ctimeUs: T };
  t.equal(proofOf(close, undefined, heard), 'none', 'born within the margin of the watermark');
});

t.test('proof: a change time after the modification time settles', async (t) => {
  t.equal(proofOf({ ...base, ctimeUs: T + 4_000 }, undefined, heard), 'settling');
});

t.test('proof: a removed suffix is known by its inode and birth', async (t) => {
  t.equal(proofOf(base, base, undefined), 'moved');
  t.equal(proofOf(base, { ...base, inode: '1:3' }, undefined), 'none', 'another inode');
  t.equal(proofOf(base, { ...base, birthUs: T - 1 }, undefined), 'none', 'the inode was used again');
  t.equal(
    proofOf({ ...base, birthUs: 0 }, { ...base, birthUs: 0 }, undefined),
    'none',
    'births are not known',
  );
  t.equal(proofOf(base, undefined, { ...heard, followsSuffixed: true }), 'settling', 'too quick to see');
});
