/** Failures of tasks on a disk that is full: a real one, small enough to be filled. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { blamingFullDisk } from '../../../node-agent/task/full-disk.ts';
import { DeclaredFailure, TaskFailure } from '../../../node-agent/task/task-failure.ts';
import { needsDisks, SmallDisk } from '../../e2e/torture/small-disk.ts';

t.test(
  'full disk: what failed for no reason known is tried again, all else stays',
  needsDisks(),
  async (t) => {
    const root = mkdtempSync(join(tmpdir(), 'millrace-full-disk-'));
    const disk = new SmallDisk(join(root, 'disk'), 8, 0o700);
    t.teardown(() => {
      disk.unmount();
      rmSync(root, { recursive: true });
    });
    const unknown = new TaskFailure('algorithm-unknown', 'exit code 2');
    const others = [
      new DeclaredFailure('algorithm-unknown', 'exit code 3'),
      new TaskFailure('timeout', 'too long'),
    ];
    t.equal(await blamingFullDisk(unknown, disk.folder), unknown, 'there is room');
    disk.fill();
    t.match(await blamingFullDisk(unknown, disk.folder), {
      errorName: 'filesystem-io',
      message: 'exit code 2, and the disk of its folder is full',
    });
    for (const other of others) t.equal(await blamingFullDisk(other, disk.folder), other);
    t.equal(await blamingFullDisk(unknown, join(disk.folder, 'gone')), unknown, 'a folder that is gone');
    disk.free();
    t.equal(await blamingFullDisk(unknown, disk.folder), unknown, 'there is room again');
  },
);
