/** Images that try to have something of the host mounted over, created, written or shown. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Test } from 'tap';
import type { MainTask } from '../../../node-agent/executor/executor.ts';
import { output, type Place } from '../executor-bed.ts';

export interface HostileImage {
  /** Changes the files of the image. `victim` is a folder of the host that everybody may write. */
  readonly alter?: (root: string, victim: string) => void;
  /** Changes of the configuration. */
  readonly config?: (victim: string) => object;
  /** Containers need not start from it. */
  readonly mayFail?: boolean;
}

/** More than an image has folders above its root, wherever it is unpacked. */
const UP = '../'.repeat(40);

export const HOSTILE_IMAGES: Readonly<Record<string, HostileImage>> = {
  'hosts-absolute': { alter: (root, victim) => symlinkSync(`${victim}/file`, join(root, 'etc/hosts')) },
  'hosts-relative': {
    alter: (root, victim) => symlinkSync(`${UP}${victim.slice(1)}/new`, join(root, 'etc/hosts')),
  },
  'hosts-of-the-host': { alter: (root) => symlinkSync('/etc/passwd', join(root, 'etc/hosts')) },
  'etc-is-a-link': {
    alter: (root, victim) => {
      rmSync(join(root, 'etc'), { recursive: true });
      symlinkSync(`${UP}${victim.slice(1)}`, join(root, 'etc'));
    },
  },
  'etc-is-a-file': {
    mayFail: true,
    alter: (root) => {
      rmSync(join(root, 'etc'), { recursive: true });
      writeFileSync(join(root, 'etc'), '');
    },
  },
  'input-is-a-link': { alter: (root, victim) => symlinkSync(victim, join(root, 'millrace')) },
  'links-to-each-other': {
    mayFail: true,
    alter: (root) => {
      symlinkSync('/b', join(root, 'a'));
      symlinkSync('/a', join(root, 'b'));
      symlinkSync('/a/hosts', join(root, 'etc/hosts'));
    },
  },
  'hosts-in-proc': {
    mayFail: true,
    alter: (root) => symlinkSync('/proc/self/root/etc', join(root, 'millrace')),
  },
  'hosts-by-descriptor': {
    mayFail: true,
    alter: (root) => symlinkSync('/proc/self/fd/3/x', join(root, 'etc/hosts')),
  },
  'proc-is-a-link': { mayFail: true, alter: (root, victim) => symlinkSync(victim, join(root, 'proc')) },
  'proc-is-etc': { mayFail: true, alter: (root) => symlinkSync('etc', join(root, 'proc')) },
  'sys-is-a-link': { mayFail: true, alter: (root, victim) => symlinkSync(victim, join(root, 'sys')) },
  'dev-is-a-link': { mayFail: true, alter: (root, victim) => symlinkSync(victim, join(root, 'dev')) },
  'dev-null-is-a-link': {
    alter: (root, victim) => {
      mkdirSync(join(root, 'dev'));
      for (const name of ['null', 'ptmx', 'shm', 'pts', 'fd'])
        symlinkSync(`${victim}/${name}`, join(root, 'dev', name));
    },
  },
  'working-folder-by-descriptor': { mayFail: true, config: () => ({ WorkingDir: '/proc/self/fd/3' }) },
  'working-folder-above': { config: (victim) => ({ WorkingDir: `/${UP}${victim}/made` }) },
  'working-folder-is-a-link': {
    mayFail: true, // runc creates no folder through a link
    alter: (root, victim) => symlinkSync(`${UP}${victim.slice(1)}/made`, join(root, 'work')),
    config: () => ({ WorkingDir: '/work' }),
  },
  'users-are-the-environment': {
    alter: (root) => {
      unlinkSync(join(root, 'etc/passwd'));
      symlinkSync('/proc/1/environ', join(root, 'etc/passwd'));
    },
  },
  'users-without-end': {
    mayFail: true, // runc reads only short lines
    alter: (root) => writeFileSync(join(root, 'etc/passwd'), 'x'.repeat(4_000_000)),
  },
  'program-by-descriptor': {
    mayFail: true,
    config: () => ({ Entrypoint: [`/proc/self/fd/3/${UP}usr/bin/busybox`, 'echo', 'of the host'] }),
  },
  'interpreter-by-descriptor': {
    mayFail: true,
    alter: (root) => {
      const script = `#!/proc/self/fd/3/${UP}usr/bin/busybox sh\necho of the host\n`;
      writeFileSync(join(root, 'script'), script, { mode: 0o755 });
    },
    config: () => ({ Entrypoint: ['/script'] }),
  },
  'program-is-the-runtime': {
    mayFail: true,
    config: () => ({ Entrypoint: ['/proc/self/exe', '--version'] }),
  },
  'shell-is-the-runtime': {
    mayFail: true,
    alter: (root) => {
      unlinkSync(join(root, 'bin/sh'));
      symlinkSync('/proc/self/exe', join(root, 'bin/sh'));
    },
  },
};

/** A folder of the host that everybody may write, as images might wish for. */
export function makeVictim(t: Test): string {
  const victim = mkdtempSync(join(tmpdir(), 'millrace-victim-'));
  t.teardown(() => rmSync(victim, { recursive: true, force: true }));
  chmodSync(victim, 0o777);
  writeFileSync(join(victim, 'file'), 'of the host', { mode: 0o666 });
  return victim;
}

/** Runs a task of the image, which tries to write where mounts may have been made. */
export async function runHostile(
  t: Test,
  place: Place,
  victim: string,
  { mayFail = false }: HostileImage,
): Promise<void> {
  const mark = `mark-${basename(victim)}`; // a name that nobody else uses
  const script =
    'cat /etc/hosts; busybox pwd; echo mine > /millrace/output/x; for folder in . /etc /proc /sys /dev; do ' +
    'echo mine > $folder/$MARK; done 2>/dev/null; ls /home /work 2>/dev/null; echo end';
  const source = { type: 'host', hostPath: '/usr/share' } as const;
  const mounts = [{ name: 'M', containerPath: '/etc/more', isReadOnly: true, source }];
  const task: MainTask = place.task(script, { mounts, environment: { MARK: mark } });
  await place.executor.pull(task.image, new AbortController().signal);
  await place.executor.prepare(task);
  const end = await place.executor
    .start(task)
    .then(({ ended }) => ended)
    .catch((error: unknown) => error);
  const text = output(task);
  if (!mayFail)
    t.match(
      end,
      { how: 'exited', exitCode: 0 },
      `${(end as Error).message} ${readFileSync(task.folder.stderr)}`,
    );
  t.notMatch(text, /of the host/);
  t.notMatch(text, /root:x:0:0/, 'the users of the host');
  t.strictSame(readdirSync(victim), ['file'], 'nothing was created');
  t.equal(readFileSync(join(victim, 'file'), 'utf8'), 'of the host');
  t.notMatch(readFileSync('/proc/self/mounts', 'utf8'), victim, 'nothing is mounted over it');
  for (const folder of ['/', '/etc', '/dev', '/tmp']) t.notOk(existsSync(join(folder, mark)), folder);
}
