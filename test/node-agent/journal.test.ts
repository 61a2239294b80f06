/** The journal and the spool over it: nothing durable is lost, damage costs only what is damaged. */
import { appendFile, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { type Clock, systemClock } from '../../node-agent/clock.ts';
import { Journal } from '../../node-agent/data/journal.ts';
import { Spool } from '../../node-agent/data/spool.ts';
import { createLogger } from '../../src/observe/log.ts';

const log = createLogger({ level: 'silent' });
const openAt = (path: string, extra: object = {}): Promise<Journal> =>
  Journal.open({ path, log, clock: systemClock, ...extra });
const keys = (journal: Journal, prefix = ''): string[] => [...journal.entries(prefix)].map(([key]) => key);

t.test('journal: appended entries survive a restart, and forgotten ones do not', async (t) => {
  const path = join(t.testdir(), 'journal');
  const journal = await openAt(path);
  await Promise.all([
    journal.append('a', { x: 1 }),
    journal.append('b', 'line\nbreak é'),
    journal.append('a', 2),
  ]);
  journal.forget('nothing');
  await journal.append('c', null);
  journal.forget('c');
  await journal.close();

  const again = await openAt(path);
  t.strictSame(
    [...again.entries('')],
    [
      ['b', 'line\nbreak é'],
      ['a', 2],
    ],
  );
  await again.close();
});

t.test('journal: noted entries are written without a further append', async (t) => {
  const path = join(t.testdir(), 'journal');
  const journal = await openAt(path);
  journal.note('a', 1);
  journal.note('b', 2);
  journal.forget('a');
  await journal.close();
  const again = await openAt(path);
  t.strictSame([...again.entries('')], [['b', 2]]);
  await again.close();
});

t.test('journal: what was written is in the file before it is synced, and a sync covers it', async (t) => {
  const path = join(t.testdir(), 'journal');
  const journal = await openAt(path);
  await journal.write('a', 1);
  t.match(await readFile(path, 'utf8'), /"k":"a"/);
  await Promise.all([journal.write('b', 2), journal.sync(), journal.write('c', 3)]);
  await journal.close();
  const again = await openAt(path);
  t.strictSame(keys(again), ['a', 'b', 'c']);
  await again.close();
});

t.test('journal: a record without its end is cut off, and the next one is whole', async (t) => {
  const path = join(t.testdir(), 'journal');
  const journal = await openAt(path);
  await journal.append('a', 1);
  await journal.append('b', 2);
  await journal.close();
  await truncate(path, (await stat(path)).size - 5);

  const cut = await openAt(path);
  t.strictSame(keys(cut), ['a']);
  await cut.append('c', 3);
  await cut.close();
  const again = await openAt(path);
  t.strictSame(keys(again), ['a', 'c']);
  await again.close();
});

t.test('journal: a damaged line in the middle loses that line only', async (t) => {
  const path = join(t.testdir(), 'journal');
  const journal = await openAt(path);
  for (const key of ['a', 'b', 'c']) await journal.append(key, key);
  await journal.close();
  await writeFile(path, (await readFile(path, 'utf8')).replace('"v":"b"', '"v":"x"'));
  await appendFile(path, 'noise\n');

  const again = await openAt(path);
  t.strictSame(keys(again), ['a', 'c']);
  await again.close();
});

t.test(
  'journal: it is rewritten when most of its entries are acknowledged, and numbers continue',
  async (t) => {
    const path = join(t.testdir(), 'journal');
    const journal = await openAt(path);
    const large = 'x'.repeat(20_000);
    for (let index = 0; index < 100; index += 1) {
      const number = journal.nextNumber();
      await journal.append(`k${number}`, large);
      journal.forget(`k${number}`);
    }
    await journal.append('kept', 1);
    t.ok((await stat(path)).size < 1_500_000, `${(await stat(path)).size} bytes`);
    await journal.close();

    const again = await openAt(path);
    t.strictSame(keys(again), ['kept']);
    t.ok(again.nextNumber() > 100);
    await again.close();
  },
);

t.test('journal: threads write what is large, and everything for a while after a slow write', async (t) => {
  const clock = { ...systemClock, atMs: 0, stepMs: 0, bootMs: () => (clock.atMs += clock.stepMs) };
  const path = join(t.testdir(), 'journal');
  const { open } = await import('node:fs/promises');
  const probe = await open(path, 'w');
  const prototype = Object.getPrototypeOf(probe) as { write: (...args: unknown[]) => unknown };
  await probe.close();
  const { write } = prototype;
  t.teardown(() => {
    prototype.write = write;
  });
  let handed = 0;
  prototype.write = function (...args) {
    handed += 1;
    return write.apply(this, args);
  };
  const journal = await openAt(path, { clock });
  await journal.write('a', 1);
  t.equal(handed, 0);
  await journal.write('large', 'x'.repeat(64 * 1024));
  t.equal(handed, 1);
  clock.stepMs = 101;
  await journal.write('b', 2);
  t.equal(handed, 1, 'what took long is written all the same');
  clock.stepMs = 0;
  await Promise.all([journal.append('c', 3), journal.write('d', 4)]);
  t.equal(handed, 2);
  clock.atMs += 30_000;
  await journal.append('e', 5);
  t.equal(handed, 2);
  await journal.close();
  const again = await openAt(path);
  t.strictSame(keys(again), ['a', 'large', 'b', 'c', 'd', 'e']);
  await again.close();
});

t.test('journal: appends wait while the disk refuses them, and are written once it does not', async (t) => {
  // A clock whose pauses the test ends; the refusal is a file handle that was closed under the journal.
  const wakes: (() => void)[] = [];
  const clock: Clock = {
    ...systemClock,
    after: (_ms, call) => {
      wakes.push(call);
      return () => undefined;
    },
  };
  const troubles: (string | undefined)[] = [];
  const path = join(t.testdir(), 'journal');
  const { open } = await import('node:fs/promises');
  const probe = await open(path, 'w');
  const prototype = Object.getPrototypeOf(probe) as { datasync: () => Promise<void> };
  await probe.close();
  const journal = await openAt(path, {
    clock,
    onTrouble: (reason: string | undefined) => troubles.push(reason),
  });
  const { datasync } = prototype;
  t.teardown(() => {
    prototype.datasync = datasync;
  });
  prototype.datasync = () => Promise.reject(new Error('ENOSPC: no space left on device'));

  await journal.write('before', 0);
  const written = await readFile(path, 'utf8');
  const appended = journal.append('a', 1);
  while (wakes.length === 0) await new Promise((resolve) => setImmediate(resolve));
  // A kernel that could not write pages drops them.
  await writeFile(path, ' '.repeat(written.length));
  prototype.datasync = datasync;
  for (const wake of wakes) wake();
  await appended;
  await journal.sync();

  t.strictSame(troubles, ['ENOSPC: no space left on device', undefined]);
  await journal.close();
  const again = await openAt(path);
  t.strictSame(keys(again), ['before', 'a']);
  await again.close();
});

t.test('spool: an update keeps its number and is pending until acknowledged, across restarts', async (t) => {
  const path = join(t.testdir(), 'journal');
  const update = {
    type: 'taskUpdate',
    executionId: 7,
    jobId: 1,
    exeNum: 1,
    owner: 'o',
    outcome: 'COMPLETED',
    phases: [],
    outputs: [],
    jsonOutputs: '{}',
    parsedInputs: [],
  } as const;
  const journal = await openAt(path);
  const spool = new Spool(journal);
  const recorded = Promise.all([spool.record(update), spool.record({ ...update, executionId: 8 })]);
  t.strictSame(
    [...spool.pending()].map(({ executionId }) => executionId),
    [7, 8],
    'a hello names them before they are durable',
  );
  t.equal(spool.after(0), undefined, 'but they are not sent');
  const [one, two] = await recorded;
  t.strictSame(spool.after(0), one);
  t.not(one.spoolId, two.spoolId);
  t.strictSame(
    spool.acknowledge([one.spoolId, 999]).map(({ executionId }) => executionId),
    [7],
  );
  t.strictSame(spool.acknowledge([one.spoolId]), [], 'a repeat is nothing new');
  spool.forget(one.spoolId);
  await journal.close();

  const again = await openAt(path);
  const resumed = new Spool(again);
  t.strictSame([...resumed.pending()], [two]);
  const three = await resumed.record(update);
  t.ok(three.spoolId > two.spoolId);
  await again.close();
});
