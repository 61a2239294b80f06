/** Uploads that an agent keeps: how long, for whom, and what is left of them. */
import { linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { UploadReport } from '../../../src/domain/node/agent-messages.ts';
import type { ReceiveFile, UploadPiece } from '../../../src/domain/node/coordinator-messages.ts';
import { createHostBroker } from '../../../src/storage/host.ts';
import { HeldUploads } from '../../../src/storage/upload/held-uploads.ts';
import { needsDisks, SmallDisk } from '../../e2e/torture/small-disk.ts';

const UUID = '5e1f9a52-0d0b-4a3e-9d6a-3f1f6f6a0001';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ID = '11111111-2222-4333-8444-555555555555';

function makeFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-held-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function makeHeld(t: Test, keptMax = 10, folder = makeFolder(t)) {
  const [place, own] = [join(folder, 'place'), join(folder, 'own')];
  mkdirSync(place);
  mkdirSync(own);
  const broker = createHostBroker({ root: place, workspaceUuid: UUID, agentId: 'agent-1' });
  await broker.check({ claim: true });
  const clock = { ms: 1_000_000, nowMs: () => clock.ms };
  const start = () =>
    new HeldUploads({
      workspaces: { open: () => broker, reached: async () => broker },
      ...{ folder: own, clock, log: { debug: () => undefined }, keptMax },
    });
  const names = () => readdirSync(place).filter((name) => name !== '.millrace-workspace');
  return { held: start(), start, clock, names, place, notes: () => readdirSync(own) };
}

const request = (over: Partial<ReceiveFile> = {}): ReceiveFile => ({
  ...{ type: 'receiveFile', requestId: 'r', workspace: { uuid: UUID, name: 'place', configuration: '{}' } },
  ...{ path: '', uploadId: ID, size: -1, expiresMs: 0, isRecorded: false, isAbandoned: false },
  ...{ receiver: '', accountId: 7, isSettled: false, ...over },
});

/** Sends the texts as pieces; with `isLast` the sender ends the stream. Resolves with the last report. */
async function send(held: HeldUploads, asked: ReceiveFile, texts: readonly string[] = [], isLast = true) {
  const reports: Partial<UploadReport>[] = [];
  async function* pieces(): AsyncGenerator<UploadPiece> {
    for (const text of texts) yield { content: Buffer.from(text), isLast: false };
    if (isLast) yield { content: new Uint8Array(), isLast: true };
  }
  const channel = { report: (one: Partial<UploadReport>) => void reports.push(one), filled: () => undefined };
  await held.check(asked);
  await held.take({ ...channel, pieces: pieces(), ended: new AbortController().signal }, asked);
  return reports.at(-1);
}

const begin = (clock: { ms: number }, over: Partial<ReceiveFile> = {}) =>
  request({ path: 'a', size: 6, expiresMs: clock.ms + DAY_MS, ...over });

t.test('held uploads: they are kept until they expire, and leave nothing', async (t) => {
  const { held, start, clock, names, notes } = await makeHeld(t);
  await send(held, begin(clock), ['abc'], false);
  clock.ms += 20 * HOUR_MS;
  await held.sweep(() => false);
  t.match(
    await send(held, request()),
    { offset: 3, size: 6, isRecorded: false },
    'reading its state does not prolong it',
  );
  t.match(await send(held, request({ expiresMs: clock.ms + DAY_MS }), ['d']), { offset: 4 });
  clock.ms += 20 * HOUR_MS;
  const restarted = start();
  await restarted.sweep(() => false);
  t.match(await send(restarted, request()), { offset: 4 }, 'a further piece has prolonged it');
  clock.ms += 4 * HOUR_MS;
  await t.rejects(
    send(restarted, request()),
    { code: 'NOT_FOUND' },
    'it has expired, though it is still there',
  );
  await restarted.sweep((id) => id === ID);
  t.equal(names().length, 1, 'a stream uses it');
  await restarted.sweep(() => false);
  t.strictSame([names(), notes()], [[], []]);
});

t.test('held uploads: other accounts and workspaces do not find them', async (t) => {
  const { held, clock } = await makeHeld(t);
  await send(held, begin(clock), ['abc']);
  const workspace = { uuid: UUID.replace('5e', '6e'), name: 'other', configuration: '{}' };
  for (const wrong of [
    { accountId: 8 },
    { accountId: 0 },
    { workspace },
    { uploadId: ID.replace('1', '2') },
  ]) {
    for (const change of [{}, { isAbandoned: true }, { isSettled: true }]) {
      await t.rejects(send(held, request({ ...wrong, ...change })), { code: 'NOT_FOUND' });
    }
  }
  t.match(await send(held, request()), { offset: 3 });
});

t.test('held uploads: a file is stored once, and its state can be read for an hour', async (t) => {
  const { held, start, clock, names, notes, place } = await makeHeld(t);
  t.match(await send(held, begin(clock), ['abc', 'def']), { isStored: true, offset: 6 });
  t.strictSame(names(), ['a']);
  t.match(await send(start(), request()), { isStored: true, offset: 6, sha256: /^[0-9a-f]{64}$/ });
  await t.rejects(send(held, request(), ['g']), { code: 'TOO_LARGE' });
  clock.ms += HOUR_MS;
  await held.sweep(() => false);
  t.strictSame([names(), notes()], [['a'], []], 'the file is kept');
  t.equal(readFileSync(join(place, 'a'), 'utf8'), 'abcdef');
});

t.test('held uploads: a stored file that must be recorded is noted until it is', async (t) => {
  const { held, clock, names, notes } = await makeHeld(t);
  await send(held, begin(clock, { isRecorded: true }), ['abcdef']);
  clock.ms += 2 * HOUR_MS;
  await held.sweep(() => false);
  t.match(await send(held, request()), { isStored: true, isRecorded: true });
  await send(held, request({ isSettled: true }));
  t.match(await send(held, request()), { isStored: true, isRecorded: false });
  clock.ms += HOUR_MS;
  await held.sweep(() => false);
  t.strictSame([names(), notes()], [['a'], []]);
});

t.test('held uploads: a kill between storing a file and noting it is repaired', async (t) => {
  const { held, start, clock, names, notes, place } = await makeHeld(t);
  await send(held, begin(clock), ['abcdef'], false);
  const [hidden = ''] = names();
  linkSync(join(place, hidden), join(place, 'a'));
  t.match(await send(start(), request()), { isStored: true, offset: 6 });
  t.strictSame(names(), ['a']);
  // Killed after the note and before the hidden name was removed.
  linkSync(join(place, 'a'), join(place, hidden));
  clock.ms += DAY_MS;
  await start().sweep(() => false);
  t.strictSame([names(), notes()], [['a'], []]);
});

t.test('held uploads: a refused upload leaves nothing, and their number is limited', async (t) => {
  const { held, clock, names, notes, place } = await makeHeld(t, 2);
  writeFileSync(join(place, 'there'), 'x');
  await t.rejects(send(held, begin(clock, { path: 'there' })), { code: 'CONFLICT' });
  await t.rejects(send(held, begin(clock, { size: Number.MAX_SAFE_INTEGER })), { code: 'NO_ROOM' });
  t.strictSame([names(), notes()], [['there'], []]);
  for (const digit of ['2', '3'])
    await send(held, begin(clock, { uploadId: ID.replace('1', digit), path: digit }));
  await t.rejects(send(held, begin(clock, { path: 'b' })), { code: 'OVERLOADED' });
  await send(held, request({ uploadId: ID.replace('1', '2'), isAbandoned: true }));
  t.match(await send(held, begin(clock, { path: 'b' })), { offset: 0 });
});

t.test(
  'held uploads: a full disk is refused as NO_ROOM, and their states can still be read',
  needsDisks(),
  async (t) => {
    const disk = new SmallDisk(join(makeFolder(t), 'disk'), 64, 0o711);
    t.teardown(() => disk.unmount());
    const { held, start, clock, notes } = await makeHeld(t, 10, disk.folder);
    const size = 100_000;
    await send(held, begin(clock, { size }), ['abc'], false);
    disk.fill();
    const another = begin(clock, { uploadId: ID.replace('1', '2'), path: 'b' });
    const noNote = {
      code: 'NO_ROOM',
      message: /^the disk of .*, where the agent keeps notes of uploads, is full$/,
    };
    await t.rejects(send(held, another), noNote);
    t.strictSame(
      notes().filter((name) => !name.endsWith('.note')),
      [],
      'no note in part stays',
    );
    t.match(await send(held, request()), { offset: 3, size }, 'its state needs no room');
    await t.rejects(send(held, request(), ['d'.repeat(size - 3)]), { code: 'NO_ROOM' });
    disk.free();
    t.match(await send(held, another), { offset: 0 });
    const { offset = 0 } = (await send(held, request())) ?? {};
    t.match(await send(held, request(), ['d'.repeat(size - offset)]), { offset: size, isStored: true });
    writeFileSync(join(disk.folder, 'own', `${ID}.tmp`), '{"pa');
    await start().sweep(() => false);
    t.ok(
      notes().every((name) => name.endsWith('.note')),
      'nor one that a killed agent left',
    );
  },
);
