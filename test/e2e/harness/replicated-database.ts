/**
 * A PostgreSQL server with a standby that streams from it. Programs reach both at one address, which leads to the
 * first until the standby is promoted.
 */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Test } from 'tap';
import { type EmbeddedServer, startEmbedded } from '../../../src/embedded/postgres.ts';
import { createLogger } from '../../../src/observe/log.ts';
import { signal } from './folder-processes.ts';
import { copyCluster } from './restorable-database.ts';
import { until } from './until.ts';

const log = createLogger({ level: 'error', name: 'replicated-postgres' });

export class ReplicatedDatabase {
  readonly #folder: string;
  readonly #primary: EmbeddedServer;
  readonly #standby: EmbeddedServer;

  private constructor(folder: string, primary: EmbeddedServer, standby: EmbeddedServer) {
    this.#folder = folder;
    this.#primary = primary;
    this.#standby = standby;
  }

  static async start(t: Test, folder: string): Promise<ReplicatedDatabase> {
    const [first, second] = ['first', 'second'].map((name) => join(folder, name));
    for (const path of [folder, first, second]) {
      mkdirSync(path as string);
      chmodSync(path as string, 0o1777); // the servers have a user of their own
    }
    const primary = await serve(first as string);
    t.teardown(() => primary.stop());
    // What the standby has not received yet is kept.
    await ask(primary.url, `alter system set wal_keep_size = '512MB'`);
    await ask(primary.url, 'select pg_reload_conf()');
    const cluster = clusterIn(first as string);
    const copy = clusterIn(second as string);
    mkdirSync(copy, { recursive: true });
    await copyCluster(primary.url, cluster, copy);
    chmodSync(copy, 0o700);
    writeFileSync(join(copy, 'standby.signal'), '');
    const source = `host=${socketFolderOf(primary)} port=5432 user=millrace`;
    appendFileSync(join(copy, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
    if (process.getuid?.() === 0) {
      const { uid, gid } = statSync(cluster);
      execFileSync('chown', ['-R', `${uid}:${gid}`, join(second as string, 'postgres')]);
    }
    const standby = await serve(second as string);
    t.teardown(() => standby.stop());
    symlinkSync(socketFolderOf(primary), join(folder, 'current'));
    return new ReplicatedDatabase(folder, primary, standby);
  }

  /** Where the database is, also after the standby was promoted. */
  get url(): string {
    const { url } = this.#primary;
    const [own, link] = [socketFolderOf(this.#primary), join(this.#folder, 'current')].map(
      encodeURIComponent,
    );
    return url.replace(own as string, link as string);
  }

  /** Resolves once the standby has all that was committed until now. */
  async received(): Promise<void> {
    const [row] = await ask<{ position: string }>(
      this.#primary.url,
      'select pg_current_wal_lsn() as position',
    );
    await until('the standby has received it', async () => {
      const [found] = await ask<{ has: boolean }>(
        this.#standby.url,
        `select pg_last_wal_replay_lsn() >= '${row?.position}' as has`,
      );
      return found?.has === true;
    });
  }

  /** The standby receives nothing more: what is committed from now on will be lost. */
  async cutOff(): Promise<void> {
    await ask(this.#standby.url, `alter system set primary_conninfo = ''`);
    await ask(this.#standby.url, 'select pg_reload_conf()');
    await until('nothing is sent to the standby', async () => {
      return (await ask(this.#primary.url, 'select from pg_stat_replication')).length === 0;
    });
  }

  /** The first server dies, and the standby takes its place. */
  async failOver(): Promise<void> {
    signal(this.#primary.pid, 'SIGKILL');
    await this.#primary.exited;
    await ask(this.#standby.url, 'select pg_promote()');
    const link = join(this.#folder, 'current');
    symlinkSync(socketFolderOf(this.#standby), `${link}.next`);
    renameSync(`${link}.next`, link);
  }

  ask<T extends object>(sql: string): Promise<T[]> {
    return ask<T>(this.url, sql);
  }
}

async function ask<T extends object>(url: string, sql: string): Promise<T[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(sql)).rows;
  } finally {
    await client.end();
  }
}

const clusterIn = (folder: string): string => join(folder, 'postgres', 'data');

function socketFolderOf({ url }: EmbeddedServer): string {
  return decodeURIComponent(/@([^/:?]+)/.exec(url)?.[1] ?? '');
}

function serve(folder: string): Promise<EmbeddedServer> {
  return startEmbedded({ dataDir: folder, log, connectionsMax: 60 });
}
