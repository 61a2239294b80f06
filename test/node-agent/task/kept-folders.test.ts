/** Folders that tasks leave untouched, and what makes one unfit for another task. */
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Clock } from '../../../node-agent/clock.ts';
import { containerFolders } from '../../../node-agent/executor/oci/oci.ts';
import { foldersOfUser } from '../../../node-agent/executor/process/process.ts';
import { KeptFolders } from '../../../node-agent/task/kept-folders.ts';
import { type TaskFolder, taskFolder } from '../../../node-agent/task/task-folder.ts';
import { LocalRoot } from '../../../src/storage/local-root.ts';
import { allocatedBytes } from '../../../src/storage/tree-size.ts';
import { needsDisks, SmallDisk } from '../../e2e/torture/small-disk.ts';

const needsRoot = process.getuid?.() === 0 ? {} : { skip: 'needs root' };
const USER = 2_000_000_000;
const KIND = foldersOfUser(USER);

/** `stepMs`: how far each look at the clock moves it. */
class HandClock implements Clock {
  atMs = 1_000;
  stepMs = 0;
  nowMs = (): number => this.bootMs();
  after = (): (() => void) => () => undefined;

  bootMs(): number {
    this.atMs += this.stepMs;
    return this.atMs;
  }
}

interface Kept {
  readonly clock: HandClock;
  readonly kept: KeptFolders;
  readonly executions: string;
  folder(executionId: number): TaskFolder;
  /** What the supervisor of a task writes. */
  run(executionId: number): TaskFolder;
}

/** With a folder that was made for tasks of the kind a while ago. */
async function begin(t: Test, { executions = t.testdir({}), kind = KIND } = {}): Promise<Kept> {
  const clock = new HandClock();
  const kept = new KeptFolders(executions, clock);
  const folder = (executionId: number): TaskFolder => taskFolder(join(executions, String(executionId)));
  const run = (executionId: number): TaskFolder => {
    const found = folder(executionId);
    if (existsSync(found.spare)) renameSync(found.spare, found.supervisor);
    for (const path of [found.stdout, found.stderr, found.supervisor]) writeFileSync(path, 'hello\n');
    return found;
  };
  t.notOk(kept.give(1, kind), 'there is none yet');
  await kept.makeFor(kind);
  clock.atMs += 50;
  return { clock, kept, executions, folder, run };
}

t.test('kept folders: what a task leaves untouched is emptied for the next one', needsRoot, async (t) => {
  const { kept, executions, folder, run } = await begin(t);
  t.ok(kept.give(1, KIND));
  const { root, output, work } = run(1);
  const { ino } = statSync(root);
  t.match(statSync(root), { uid: 0, gid: USER, mode: 0o40710 });
  for (const path of [output, work]) t.match(statSync(path), { uid: USER, gid: USER, mode: 0o40700 });
  t.ok(await kept.keep(1));
  t.strictSame(readdirSync(executions), ['kept']);
  t.equal(statSync(join(executions, 'kept')).mode & 0o777, 0o700, 'no task can enter it');
  t.notOk(await kept.keep(1), 'it is no longer the first one’s');
  t.notOk(kept.give(2, foldersOfUser(USER + 1)), 'another user does not get it');
  t.ok(kept.give(2, KIND));
  t.equal(statSync(folder(2).root).ino, ino);
  t.strictSame(readdirSync(folder(2).root).sort(), ['output', 'spare', 'work']);
});

t.test('kept folders: closed files of streams are emptied, and only for one task', needsRoot, async (t) => {
  const { kept, folder, run } = await begin(t);
  t.ok(kept.give(1, KIND));
  const { stdout, stderr, supervisor } = run(1);
  const numbers = [stdout, stderr, supervisor].map((path) => statSync(path).ino);
  kept.closeLogs(1);
  t.ok(await kept.keep(1));
  t.ok(kept.give(2, KIND));
  const next = folder(2);
  t.strictSame(
    [next.stdout, next.stderr, next.spare].map((path) => statSync(path).ino),
    numbers,
  );
  for (const path of [next.stdout, next.stderr]) t.equal(statSync(path).size, 0);
  t.notOk(existsSync(next.supervisor), 'it has not begun');
  renameSync(next.spare, next.supervisor);
  writeFileSync(next.stdout, 'hello\n');
  t.ok(await kept.keep(2));
  t.ok(kept.give(3, KIND));
  t.strictSame(
    readdirSync(folder(3).root).sort(),
    ['output', 'spare', 'work'],
    'a task may still have those',
  );

  const linked = run(3);
  kept.closeLogs(3);
  linkSync(linked.stdout, join(folder(3).root, '../linked'));
  t.notOk(await kept.keep(3), 'it has another name, too');
  t.equal(readFileSync(join(folder(3).root, '../linked'), 'utf8'), 'hello\n');
});

const UNFIT: Readonly<Record<string, (folder: TaskFolder) => void>> = {
  'a file in its output': ({ output }) => writeFileSync(join(output, 'a'), ''),
  'a file in its work': ({ work }) => writeFileSync(join(work, 'a'), ''),
  'what was there for a moment': ({ work }) => {
    mkdirSync(join(work, 'a'));
    rmdirSync(join(work, 'a'));
  },
  'other rights, and the old ones again': ({ output }) => {
    chmodSync(output, 0o777);
    chmodSync(output, 0o700);
  },
  'another owner': ({ output }) => chownSync(output, USER, 0),
  inputs: ({ input }) => mkdirSync(input),
  'the reason for its end': ({ stop }) => writeFileSync(stop, 'canceled'),
  'much output': ({ stdout }) => writeFileSync(stdout, Buffer.alloc(64 * 1024 + 1)),
};

for (const [what, leave] of Object.entries(UNFIT)) {
  t.test(`kept folders: not one with ${what}`, needsRoot, async (t) => {
    const { kept, folder, run } = await begin(t);
    t.ok(kept.give(1, KIND));
    leave(run(1));
    t.notOk(await kept.keep(1));
    t.ok(existsSync(folder(1).root), 'it is left for whoever removes it');
    t.notOk(kept.give(2, KIND));
  });
}

const FIRST = 2_000_100_000;
const OF_CONTAINERS = containerFolders({ userId: FIRST + 65_534, groupId: FIRST + 65_534 }, FIRST);

const UNFIT_OF_CONTAINERS: Readonly<Record<string, (folder: TaskFolder) => void>> = {
  'a file in its layer': ({ work }) => writeFileSync(join(work, 'upper/a'), ''),
  'a file on its way to its layer': ({ work }) => {
    mkdirSync(join(work, 'layer/work'));
    writeFileSync(join(work, 'layer/work/#1'), '');
  },
  'a volume': ({ work }) => mkdirSync(join(work, 'volumes/a')),
  'a file in its output': ({ output }) => writeFileSync(join(output, 'a'), ''),
  'an input': ({ input }) => writeFileSync(join(input, 'a'), ''),
  'a time of reading its root': ({ work }) => {
    utimesSync(join(work, 'upper'), new Date(), statSync(join(work, 'upper')).mtime);
  },
};

for (const [what, leave] of Object.entries(UNFIT_OF_CONTAINERS)) {
  t.test(`kept folders: not one of a container with ${what}`, needsRoot, async (t) => {
    const { kept, folder, run } = await begin(t, { kind: OF_CONTAINERS });
    t.ok(kept.give(1, OF_CONTAINERS));
    // What the kernel leaves for every container.
    mkdirSync(join(run(1).work, 'layer/work'));
    t.ok(await kept.keep(1));
    t.ok(kept.give(2, OF_CONTAINERS));
    rmdirSync(join(folder(2).work, 'layer/work'));
    leave(run(2));
    t.notOk(await kept.keep(2));
  });
}

t.test('kept folders: not one that a coarse clock could call untouched', needsRoot, async (t) => {
  const { clock, kept } = await begin(t);
  clock.atMs -= 1;
  t.notOk(kept.give(1, KIND));
  clock.atMs += 1;
  t.ok(kept.give(1, KIND));
});

t.test('kept folders: a name that is taken keeps what it has', needsRoot, async (t) => {
  const { kept, folder } = await begin(t);
  mkdirSync(folder(1).output, { recursive: true });
  t.notOk(kept.give(1, KIND));
  t.strictSame(readdirSync(folder(1).root), ['output']);
  t.notOk(await kept.keep(1));
});

t.test('kept folders: a slow disk is left to threads for a while', needsRoot, async (t) => {
  const { clock, kept, run } = await begin(t);
  t.ok(kept.give(1, KIND));
  run(1);
  clock.stepMs = 201;
  t.ok(await kept.keep(1), 'what took long is done all the same');
  clock.stepMs = 0;
  t.notOk(kept.give(2, KIND));
  clock.atMs += 30_000;
  t.ok(kept.give(2, KIND));
});

t.test('kept folders: on a full disk none is given, and the making of one fails', needsDisks(), async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'millrace-kept-folders-'));
  const disk = new SmallDisk(join(root, 'disk'), 8, 0o711);
  t.teardown(() => {
    disk.unmount();
    rmSync(root, { recursive: true });
  });
  const { kept, run } = await begin(t, { executions: disk.folder });
  disk.fill();
  t.notOk(kept.give(1, KIND));
  disk.free();
  t.ok(kept.give(1, KIND), 'it was not lost');
  run(1);
  t.ok(await kept.keep(1));
});

t.test('kept folders: the bytes of an untouched one are counted', needsRoot, async (t) => {
  const { kept, executions, run } = await begin(t);
  t.equal(kept.sizeOf(1), undefined);
  t.ok(kept.give(1, KIND));
  t.ok(kept.isUntouched(1));
  const { output, stdout } = run(1);
  writeFileSync(stdout, Buffer.alloc(10_000));
  const counted = await new LocalRoot(executions).within('', (all) => allocatedBytes(all, '1'));
  t.equal(kept.sizeOf(1), counted);
  writeFileSync(join(output, 'a'), 'x');
  t.equal(kept.sizeOf(1), undefined);
  t.notOk(kept.isUntouched(1));
  t.notOk(kept.isUntouched(2));
});

t.test('kept folders: a user has a few, and there is a limit for all', needsRoot, async (t) => {
  const { kept, executions } = await begin(t);
  for (let n = 0; n < 6; n += 1) await kept.makeFor(KIND);
  t.equal(readdirSync(join(executions, 'kept')).length, 4);
  for (let n = 1; n <= 300; n += 1) await kept.makeFor(foldersOfUser(USER + n));
  t.equal(readdirSync(join(executions, 'kept')).length, 256);
});
