/**
 * A backup of one version of PostgreSQL, restored into another: the embedded one, and Debian's where it is installed.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { backedUpTables } from '../../../src/store/backup/left-out.ts';
import { takeBackup } from '../../../src/store/backup/take-backup.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { testDatabase } from '../../support/db.ts';
import { LOG } from '../store-world.ts';
import { ask, backupWorld, fillEveryTable, fingerprints, restored } from './backup-world.ts';

const DEBIAN = '/usr/lib/postgresql';

/** The newest server of Debian's packages whose schema can be ours. */
function debianServer(): { readonly bin: string; readonly version: number } | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).map(Number) : [];
  const version = versions.filter((one) => one >= 15).sort((a, b) => b - a)[0];
  const bin = join(DEBIAN, String(version), 'bin');
  return version !== undefined && existsSync(join(bin, 'postgres')) ? { bin, version } : undefined;
}

/** A server of its own; as root it runs as Debian's user. */
function startServer(t: Test, bin: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-debian-'));
  const ids = process.getuid?.() === 0 ? userIds('postgres') : undefined;
  chmodSync(folder, 0o711);
  if (ids !== undefined) chownSync(folder, ids.uid, ids.gid);
  const data = join(folder, 'data');
  const call = (program: string, args: string[]) => {
    const done = spawnSync(join(bin, program), args, {
      encoding: 'utf8',
      cwd: folder,
      timeout: 120_000,
      ...ids,
    });
    if (done.status !== 0) throw new Error(`${program}: ${done.stdout}${done.stderr}`);
  };
  call('initdb', [
    '-D',
    data,
    '-U',
    'millrace',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
  ]);
  t.teardown(() => {
    spawnSync(join(bin, 'pg_ctl'), ['-D', data, '-m', 'immediate', 'stop'], { cwd: folder, ...ids });
    rmSync(folder, { recursive: true, force: true });
  });
  mkdirSync(join(folder, 'run'), { mode: 0o777 });
  chmodSync(join(folder, 'run'), 0o777);
  const settings = `-k ${join(folder, 'run')} -c listen_addresses= -c datestyle=German -c timezone=Asia/Tokyo`;
  call('pg_ctl', ['-D', data, '-w', '-l', join(folder, 'run', 'log'), '-o', settings, 'start']);
  return `postgresql://millrace@${encodeURIComponent(join(folder, 'run'))}:5432/`;
}

function userIds(name: string): { uid: number; gid: number } {
  const id = (flag: string) => Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout);
  return { uid: id('-u'), gid: id('-g') };
}

const debian = debianServer();
const skip = debian === undefined ? { skip: 'no other version of PostgreSQL is installed' } : {};

t.test('backup: a copy to an earlier PostgreSQL and back differs in nothing', skip, async (t) => {
  const world = await backupWorld(t);
  await fillEveryTable(world.url);
  await world.backUp();
  const server = startServer(t, debian?.bin ?? '');
  await ask(`${server}postgres`, 'create database older');
  const older = await restored(t, world.file, `${server}older`);
  const [row] = await ask<{ version: string }>(
    older,
    `select current_setting('server_version_num') as version`,
  );
  t.equal(Math.floor(Number(row?.version) / 10_000), debian?.version);
  const before = await fingerprints(world.url, backedUpTables());
  t.same(await fingerprints(older, backedUpTables()), before);
  const db = await openDatabase({ url: older, log: LOG });
  await db.close();

  await takeBackup({ url: older, path: `${world.file}-2`, version: '0', nowMs: 0 });
  const back = await restored(t, `${world.file}-2`, await testDatabase(t));
  t.same(await fingerprints(back, backedUpTables()), before);
});
