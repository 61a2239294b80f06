/** Checks the host: its folders, disk, watches on directories, and clock. */
import { execFile } from 'node:child_process';
import { type FSWatcher, watch } from 'node:fs';
import { access, constants, mkdtemp, readFile, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Finding } from './finding.ts';

const MIB = 1024 * 1024;
/** More than a database needs that grows by a few thousand jobs. */
const DISK_LEAST_MIB = 200;
const DISK_WELL_MIB = 2_048;
const FILES_WELL = 10_000;
const EVENT_MS = 3_000;
/** Below this limit a busy host runs out: each watched directory takes one, and editors and indexers take many. */
const WATCHES_WELL = 8_192;
const QUEUE_WELL = 16_384;

export async function dataFolder(dataDir: string): Promise<Finding> {
  const what = 'data folder';
  const there = await nearest(dataDir);
  const another = 'name another: --data-dir, MILLRACE_DATA_DIR';
  if (!(await stat(there)).isDirectory())
    return { what, verdict: 'no', found: `${there} is no directory`, help: another };
  try {
    await access(there, constants.W_OK | constants.X_OK);
  } catch {
    const help = `give it to the user that runs Millrace, or ${another}`;
    return { what, verdict: 'no', found: `${there} cannot be written to`, help };
  }
  const isThere = there === dataDir;
  return { what, verdict: 'ok', found: isThere ? dataDir : `${dataDir} (will be made)` };
}

export async function disk(dataDir: string): Promise<Finding> {
  const what = 'disk';
  const place = await nearest(dataDir);
  const { bavail, bsize, files, ffree } = await statfs(place);
  const freeMib = Math.floor((bavail * bsize) / MIB);
  const found = `${freeMib} MiB free at ${place}`;
  const help = 'free some, or move the data folder: --data-dir, MILLRACE_DATA_DIR';
  // Some file systems have no fixed number of files, and report zero.
  if (files > 0 && ffree < FILES_WELL) {
    const verdict = ffree === 0 ? 'no' : 'note';
    return { what, verdict, found: `${found}, and room for ${ffree} more files`, help };
  }
  if (freeMib < DISK_LEAST_MIB) return { what, verdict: 'no', found, help };
  return freeMib < DISK_WELL_MIB ? { what, verdict: 'note', found, help } : { what, verdict: 'ok', found };
}

/** The path, or the nearest one above it that exists. */
async function nearest(path: string): Promise<string> {
  for (let place = path; ; place = dirname(place)) {
    const isThere = await stat(place).then(
      () => true,
      () => false,
    );
    if (isThere || place === dirname(place)) return place;
  }
}

/** Checks that the events of a directory arrive, and how many directories can be watched. */
export async function watches(): Promise<Finding> {
  const what = 'watching directories';
  const folder = await mkdtemp(join(tmpdir(), 'millrace-doctor-'));
  try {
    if (!(await hearsOf(folder))) {
      const found = 'no event came for a new file';
      const help = 'directories are listed every two seconds instead, which takes longer and costs more';
      return { what, verdict: 'note', found, help };
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const key = code === 'EMFILE' ? 'max_user_instances' : 'max_user_watches';
    const help = `raise it: sysctl -w fs.inotify.${key}=${code === 'EMFILE' ? 1_024 : 524_288}, and in /etc/sysctl.d/`;
    return { what, verdict: 'no', found: `no watch is left for this user (${code})`, help };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const [watchesMax, queueMax] = [await limitOf('max_user_watches'), await limitOf('max_queued_events')];
  const found = `events arrive; at most ${watchesMax} directories, ${queueMax} waiting events`;
  const low = [
    ...(watchesMax < WATCHES_WELL ? [`fs.inotify.max_user_watches=${WATCHES_WELL}`] : []),
    ...(queueMax < QUEUE_WELL ? [`fs.inotify.max_queued_events=${QUEUE_WELL}`] : []),
  ];
  if (low.length === 0) return { what, verdict: 'ok', found };
  return { what, verdict: 'note', found, help: `raise the limits: sysctl -w ${low.join(' ')}` };
}

function hearsOf(folder: string): Promise<boolean> {
  let watcher: FSWatcher | undefined;
  return new Promise<boolean>((resolve, reject) => {
    const timer = setTimeout(() => resolve(false), EVENT_MS);
    const end = (heard: boolean): void => {
      clearTimeout(timer);
      resolve(heard);
    };
    watcher = watch(folder, () => end(true));
    watcher.on('error', reject);
    writeFile(join(folder, 'new'), '').catch(reject);
  }).finally(() => watcher?.close());
}

/** Infinity where the host has no such limit. */
async function limitOf(name: string): Promise<number> {
  const text = await readFile(`/proc/sys/fs/inotify/${name}`, 'utf8').catch(() => '');
  return /^\d+\s*$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
}

/** `others`: by the name of another clock, how many milliseconds this host's clock is behind it. */
export async function clock(others: ReadonlyMap<string, number>): Promise<Finding> {
  const what = 'clock';
  const far = [...others].filter(([, behindMs]) => Math.abs(behindMs) > CLOCK_WELL_MS);
  const help = 'keep the clock by NTP: apt-get install systemd-timesyncd, or chrony';
  if (far.length > 0) {
    const found = far.map(
      ([name, ms]) => `${Math.abs(ms / 1_000).toFixed(1)} s ${ms > 0 ? 'behind' : 'ahead of'} ${name}`,
    );
    return { what, verdict: 'no', found: found.join(', '), help };
  }
  const same = others.size === 0 ? '' : `; as ${[...others.keys()].join(' and ')}`;
  const isKept = await isSynchronized();
  if (isKept === undefined) {
    const found = `not known: this host cannot tell whether NTP keeps it${same}`;
    const where = 'look at the machine below it if this is a container (timedatectl); otherwise ';
    return { what, verdict: 'note', found, help: `${where}${help}` };
  }
  if (isKept) return { what, verdict: 'ok', found: `kept by NTP${same}` };
  return { what, verdict: 'note', found: `not kept by NTP${same}`, help };
}

const CLOCK_WELL_MS = 2_500;

/** Undefined: this host cannot tell. */
async function isSynchronized(): Promise<boolean | undefined> {
  try {
    const args = ['show', '--property=NTPSynchronized', '--value'];
    const { stdout } = await promisify(execFile)('timedatectl', args, { timeout: 5_000 });
    return stdout.trim() === 'yes';
  } catch {
    return undefined;
  }
}
