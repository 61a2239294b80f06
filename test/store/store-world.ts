/**
 * A migrated database with the few rows that others must name: a node, a workspace, types, and leases to
 * write under.
 */

import type { AnyResult, Change } from '../../src/domain/changes.ts';
import type { ScanConfiguration } from '../../src/domain/scan/scan-config.ts';
import type { StrikeConfiguration } from '../../src/domain/strike/strike-config.ts';
import type { ApplyPort } from '../../src/kernel/mod.ts';
import { createLogger } from '../../src/observe/log.ts';
import { commitPort } from '../../src/store/commit.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { reserveIds } from '../../src/store/ids.ts';
import { migratedDatabase } from '../support/db.ts';

interface Teardown {
  teardown(handler: () => Promise<void>): void;
}

/** Configurations without rules, of the workspace `in`. */
export const STRIKE_CONFIGURATION: StrikeConfiguration = {
  workspace: 'in',
  monitor: { type: 'dir-watcher' },
  files_to_ingest: [],
  recipe: { name: 'recipe-a' },
};
export const SCAN_CONFIGURATION: ScanConfiguration = {
  workspace: 'in',
  scanner: { type: 'dir' },
  recursive: true,
  files_to_ingest: [],
};

export const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
export const EPOCH = 7;
export const LOG = createLogger({ level: 'silent' });

const DEFINITION = JSON.stringify({
  input: { files: [], json: [] },
  nodes: {
    A: {
      dependencies: [],
      input: {},
      node_type: {
        node_type: 'job',
        job_type_name: 'type-a',
        job_type_version: '1.0.0',
        job_type_revision: 1,
      },
    },
  },
});

/** With its defaults filled in, as all stored manifests are. */
const MANIFEST = JSON.stringify({
  seedVersion: '1.0.0',
  job: {
    ...{ name: 'type', jobVersion: '1.0.0', packageVersion: '1.0.0', title: 'Type', description: '' },
    maintainer: { name: 'A', email: 'a@example.com' },
    ...{ tags: [], timeout: 60, resources: { scalar: [] }, errors: [] },
    interface: {
      ...{ command: '', mounts: [], settings: [] },
      ...{ inputs: { files: [], json: [] }, outputs: { files: [], json: [] } },
    },
  },
});

const SEED = /* sql */ `
  insert into node (shard, hostname, created, last_modified) values (1, 'one', now(), now()), (2, 'two',
    now(), now());
  insert into workspace (uuid, name, title, configuration, created, last_modified) values
    ('00000000-0000-4000-8000-000000000001', 'in', 'In', '{"broker":{"type":"host","host_path":"/in"}}',
      now(), now()),
    ('00000000-0000-4000-8000-000000000002', 'out', 'Out', '{"broker":{"type":"host","host_path":"/out"}}',
      now(), now());
  insert into job_type (name, version, title, container_image, is_published, created, last_modified) values
    ('type-a', '1.0.0', 'A', 'image:a', true, now(), now()), ('type-b', '1.0.0', 'B', 'image:b', true, now(), now());
  insert into job_type_rev (job_type_id, revision_num, container_image, manifest, created)
    select id, 1, container_image, '${MANIFEST}', now() from job_type where not is_system;
  insert into recipe_type (name, title, definition, created, last_modified) values ('recipe-a', 'RA',
    '${DEFINITION}', now(), now());
  insert into recipe_type_rev (recipe_type_id, revision_num, definition, created)
    select id, 1, definition, now() from recipe_type;
  insert into error (name, title, category, is_builtin, created, last_modified) values
    ('unknown', 'Unknown', 'SYSTEM', true, now(), now()), ('node-lost', 'Lost', 'SYSTEM', true, now(), now())
    on conflict do nothing;
  insert into error (name, title, category, job_type_name, created, last_modified) values
    ('bad-data', 'Bad data', 'DATA', 'type-a', now(), now());
  update shard_lease set owner = 'me', epoch = ${EPOCH}, expires = now() + interval '1 day';
`;

export interface StoreWorld {
  readonly db: Database;
  readonly url: string;
  readonly port: ApplyPort<Change, AnyResult>;
  readonly ids: Readonly<
    Record<'node' | 'node2' | 'in' | 'out' | 'type' | 'type2' | 'rev' | 'recipeType' | 'recipeRev', number>
  >;
  /** One turn of shard 1. */
  apply(...changes: Change[]): Promise<readonly unknown[]>;
  applyAll(...turns: (readonly Change[])[]): Promise<readonly (readonly unknown[])[]>;
  newId(kind: string): Promise<number>;
  rows<T extends object>(text: string, params?: readonly unknown[]): Promise<T[]>;
  one<T extends object>(text: string, params?: readonly unknown[]): Promise<T>;
}

export async function storeWorld(t: Teardown): Promise<StoreWorld> {
  const url = await migratedDatabase(t);
  const db = await openDatabase({ url, log: LOG });
  t.teardown(() => db.close());
  const rows = <T extends object>(text: string, params: readonly unknown[] = []) =>
    db.sql.execute<T>(text, params);
  await rows(SEED);
  const idOf = async (text: string): Promise<number> => (await rows<{ id: number }>(text))[0]?.id ?? 0;
  const ids = {
    node: await idOf(`select id from node where hostname = 'one'`),
    node2: await idOf(`select id from node where hostname = 'two'`),
    in: await idOf(`select id from workspace where name = 'in'`),
    out: await idOf(`select id from workspace where name = 'out'`),
    type: await idOf(`select id from job_type where name = 'type-a'`),
    type2: await idOf(`select id from job_type where name = 'type-b'`),
    rev: await idOf(
      `select r.id from job_type_rev r join job_type t on t.id = job_type_id where name = 'type-a'`,
    ),
    recipeType: await idOf(`select id from recipe_type where name = 'recipe-a'`),
    recipeRev: await idOf(
      `select r.id from recipe_type_rev r join recipe_type t on t.id = recipe_type_id
        where name = 'recipe-a'`,
    ),
  };
  const port = commitPort(db.commits);
  const applyAll: StoreWorld['applyAll'] = (...turns) =>
    port.apply(turns.map((changes) => ({ shard: 1, epoch: EPOCH, changes })));
  return {
    db,
    url,
    port,
    ids,
    applyAll,
    apply: async (...changes) => (await applyAll(changes))[0] ?? [],
    newId: async (kind) => (await reserveIds(db.sql, kind, 1))[0] ?? 0,
    rows,
    one: async <T extends object>(text: string, params: readonly unknown[] = []) => {
      const found = await rows<T>(text, params);
      if (found.length !== 1 || found[0] === undefined) throw new Error(`${found.length} rows for: ${text}`);
      return found[0];
    },
  };
}
