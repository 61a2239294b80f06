/** A file system of its own for a folder: small enough to be filled, and real, so that what is synced is synced. */
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const STOPPER = '.fills-the-disk';
/** As small as a block of a small file system. */
const BLOCK = Buffer.alloc(1_024);

function must(program: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8', timeout: 30_000 });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
}

/** Returns the number of blocks that still had room. */
function fillUp(file: number): number {
  for (let blocks = 0; ; blocks++) {
    try {
      writeSync(file, BLOCK);
    } catch {
      return blocks;
    }
  }
}

/** Whether a file system can be made and mounted here: as root, unless a container forbids it. */
export function needsDisks(): { skip?: string } {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-e2e-disk-'));
  try {
    new SmallDisk(join(folder, 'probe'), 8, 0o700).unmount();
    return {};
  } catch (error) {
    return { skip: `no file system can be mounted here: ${String(error).slice(0, 200)}` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export class SmallDisk {
  readonly folder: string;

  /** Its image is a sparse file beside the folder. `mode`: of the folder. */
  constructor(folder: string, mib: number, mode: number) {
    this.folder = folder;
    const image = `${folder}.img`;
    mkdirSync(folder, { recursive: true });
    closeSync(openSync(image, 'w', 0o600));
    truncateSync(image, mib * 1_024 * 1_024);
    must('mkfs.ext4', '-q', '-m', '0', '-E', 'nodiscard,root_owner=0:0', image);
    must('mount', '-o', 'loop', image, folder);
    must('chmod', mode.toString(8), folder);
    rmSync(join(folder, 'lost+found'), { recursive: true });
  }

  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.folder);
    return bavail * bsize;
  }

  /** Nothing can be written any more. */
  fill(): void {
    const stopper = join(this.folder, STOPPER);
    // Reserving costs nothing; what is too small to be reserved is written.
    spawnSync('fallocate', ['-l', String(Math.max(4_096, this.freeBytes - 65_536)), stopper]);
    const file = openSync(stopper, 'a', 0o600);
    // Blocks that the file system had set aside for what is not on the disk yet are free once it is.
    while (fillUp(file) > 0) fsyncSync(file);
    closeSync(file);
  }

  free(): void {
    rmSync(join(this.folder, STOPPER), { force: true });
  }

  unmount(): void {
    must('umount', this.folder);
  }
}
