/**
 * A file's facts from the file system, in the units used here, and the identity of the content at a path. All code that
 * compares sizes and times of files takes them from here, so that rounding never differs.
 */
import type { BigIntStats } from 'node:fs';

export interface FileFacts {
  readonly kind: 'file' | 'directory' | 'other';
  readonly size: number;
  /** The bytes that the file system has allocated for it. */
  readonly allocatedBytes: number;
  /** Whole milliseconds, rounded towards zero. */
  readonly mtimeMs: number;
  readonly mtimeUs: number;
  readonly ctimeUs: number;
  /** 0 where the file system does not keep it. */
  readonly birthUs: number;
  readonly linkCount: number;
  /** Its owner. */
  readonly uid: number;
  /** Device and inode: equal for two names of one file, while the file exists. */
  readonly inode: string;
  /** Device number, to distinguish file systems. */
  readonly device: string;
  /** Inode, birth, modification time and size: different content at the same path has a different identity. */
  readonly identity: string;
}

export function toFacts(stat: BigIntStats): FileFacts {
  const birth = birthNs(stat);
  return {
    kind: stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : 'other',
    size: sizeOf(stat),
    allocatedBytes: Number(stat.blocks) * 512,
    mtimeMs: Number(stat.mtimeNs / 1_000_000n),
    mtimeUs: Number(stat.mtimeNs / 1_000n),
    ctimeUs: Number(stat.ctimeNs / 1_000n),
    birthUs: Number(birth / 1_000n),
    linkCount: Number(stat.nlink),
    uid: Number(stat.uid),
    inode: `${stat.dev}:${stat.ino}`,
    device: `${stat.dev}`,
    identity: identityOf(stat),
  };
}

/**
 * limit: 8 PiB. A file without content can have any size up to 8 EiB, and messages and rows hold no number beyond those
 * that are exact. The identity tells larger sizes apart.
 */
export function sizeOf(stat: BigIntStats): number {
  return Math.min(Number(stat.size), Number.MAX_SAFE_INTEGER);
}

/** See `FileFacts.identity`. */
export function identityOf(stat: BigIntStats): string {
  const birth = birthNs(stat);
  return `${stat.ino.toString(36)}.${birth.toString(36)}.${stat.mtimeNs.toString(36)}.${stat.size.toString(36)}`;
}

/**
 * Whether two identities stand for the same content. A birth time that one side does not know is not compared: another
 * client of a shared file system may not know it.
 */
export function isSameIdentity(one: string, other: string): boolean {
  const [inode, birth, ...rest] = one.split('.');
  const [otherInode, otherBirth, ...otherRest] = other.split('.');
  if (inode !== otherInode || rest.join('.') !== otherRest.join('.')) return false;
  return birth === otherBirth || birth === '0' || otherBirth === '0';
}

/** If the birth time is unknown, Node reports 1970 or the change time; both count as 0. */
function birthNs(stat: BigIntStats): bigint {
  return stat.birthtimeNs <= 0n || stat.birthtimeNs > stat.ctimeNs ? 0n : stat.birthtimeNs;
}
