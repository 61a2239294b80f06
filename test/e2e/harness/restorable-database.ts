/**
 * A PostgreSQL server whose log is archived as it is written, that can be copied while it serves and set back to any
 * moment since: what `pg_basebackup`, `archive_command` and `recovery_target_time` do, by the server's own functions.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Test } from 'tap';
import { type EmbeddedServer, startEmbedded } from '../../../src/embedded/postgres.ts';
import { createLogger } from '../../../src/observe/log.ts';
import { until } from './until.ts';

const log = createLogger({ level: 'error', name: 'restorable-postgres' });

export class RestorableDatabase {
  readonly #folder: string;
  #server: EmbeddedServer;

  private constructor(folder: string, server: EmbeddedServer) {
    this.#folder = folder;
    this.#server = server;
  }

  static async start(t: Test, folder: string): Promise<RestorableDatabase> {
    for (const name of ['', 'archive', 'base']) {
      mkdirSync(join(folder, name));
      chmodSync(join(folder, name), 0o1777); // the server has a user of its own
    }
    const database = new RestorableDatabase(folder, await serve(folder));
    t.teardown(() => database.#server.stop());
    const archive = join(folder, 'archive');
    await database.ask(`alter system set archive_mode = 'on'`);
    await database.ask(`alter system set archive_command = 'cp %p ${archive}/%f'`);
    await database.#server.stop();
    database.#server = await serve(folder);
    return database;
  }

  get url(): string {
    return this.#server.url;
  }

  get #cluster(): string {
    return join(this.#folder, 'postgres', 'data');
  }

  async ask<T>(sql: string): Promise<T[]> {
    const client = new Client({ connectionString: this.url });
    await client.connect();
    try {
      return (await client.query(sql)).rows as T[];
    } finally {
      await client.end();
    }
  }

  async backUp(): Promise<void> {
    await copyCluster(this.url, this.#cluster, this.#base);
  }

  get #base(): string {
    return join(this.#folder, 'base');
  }

  /** Now, as the server has it. */
  async moment(): Promise<string> {
    const [row] = await this.ask<{ now: string }>('select clock_timestamp()::text as now');
    return row?.now ?? '';
  }

  /** Resolves once all that was written until now is in the archive. */
  async archived(): Promise<void> {
    const [row] = await this.ask<{ name: string }>('select pg_walfile_name(pg_switch_wal()) as name');
    await until('the log is archived', async () => {
      const told = await this.ask<{ is: boolean }>(
        `select last_archived_wal >= '${row?.name}' as is from pg_stat_archiver`,
      );
      return told[0]?.is === true;
    });
  }

  /** The copy takes the cluster's place, and is brought forward to the moment. */
  async restore(moment: string): Promise<void> {
    await this.#server.stop();
    const { uid, gid } = statSync(this.#cluster);
    rmSync(this.#cluster, { recursive: true });
    execFileSync('mv', [this.#base, this.#cluster]);
    chmodSync(this.#cluster, 0o700);
    writeFileSync(join(this.#cluster, 'recovery.signal'), '');
    const archive = join(this.#folder, 'archive');
    const lines = [
      `restore_command = 'cp ${archive}/%f %p'`,
      `recovery_target_time = '${moment}'`,
      `recovery_target_action = 'promote'`,
      `archive_mode = 'off'`,
      `hot_standby = 'off'`,
    ];
    appendFileSync(join(this.#cluster, 'postgresql.auto.conf'), `${lines.join('\n')}\n`);
    if (process.getuid?.() === 0) execFileSync('chown', ['-R', `${uid}:${gid}`, this.#cluster]);
    this.#server = await serve(this.#folder);
  }
}

/** Copies a cluster while it serves, without its log. One connection has to last from the beginning to the end. */
export async function copyCluster(url: string, from: string, to: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`select pg_backup_start('test', true)`);
    execFileSync('sh', ['-c', 'cp -a "$1"/. "$2" || true', 'sh', from, to]); // files come and go
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop()');
    writeFileSync(join(to, 'backup_label'), rows[0]?.labelfile ?? '');
  } finally {
    await client.end();
  }
  rmSync(join(to, 'postmaster.pid'), { force: true });
  execFileSync('sh', ['-c', 'rm -rf "$1"/pg_wal/*', 'sh', to]);
}

function serve(folder: string): Promise<EmbeddedServer> {
  return startEmbedded({ dataDir: folder, log, connectionsMax: 60 });
}
