/** A coordinator in the test's process, so that its work can be counted, with a record of every kind. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDemo } from '../../../src/cli/demo/demo-types.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { startCoordinator } from '../../../src/coordinator/coordinator.ts';
import type { Logger } from '../../../src/lib/logger.ts';
import { openDatabase } from '../../../src/store/database.ts';
import type { Facts } from '../../e2e/hostile/samples.ts';
import { InterfaceClient } from '../clients/interface-client.ts';
import { migratedDatabase } from '../db.ts';
import { silentLog } from '../silent-log.ts';

interface Teardown {
  teardown(handler: () => Promise<void>): void;
}

/** The name of a recipe type that no other contains. */
export const LONE_TYPE = 'lone';
export const JOIN_TOKEN = 'let-me-in-please';

export interface GuardedService {
  readonly url: string;
  /** The address for agents: `host:port`. */
  readonly agentsAddress: string;
  readonly folder: string;
  readonly logged: { readonly event: string; readonly fields: Record<string, unknown> | undefined }[];
  readonly facts: Facts;
}

/** `more`: settings in addition to the usual ones. */
export async function guardedService(
  t: Teardown,
  more: Readonly<Record<string, string>> = {},
): Promise<GuardedService> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-guard-'));
  const databaseUrl = await migratedDatabase(t);
  const env = {
    ...{ MILLRACE_HTTP: '127.0.0.1:0', MILLRACE_GRPC: '127.0.0.1:0', MILLRACE_DATA_DIR: folder },
    // Creates an account, although no authentication is required.
    MILLRACE_ADMIN_PASSWORD: 'for hostile callers',
    ...more,
  };
  const read = parseConfig('coordinator', { ...env, DATABASE_URL: databaseUrl }, []);
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  const logged: GuardedService['logged'] = [];
  const write = (event: string, fields?: Record<string, unknown>) => void logged.push({ event, fields });
  const log: Logger = { ...silentLog, warn: write, error: write, child: () => log };
  const coordinator = await startCoordinator({
    config: read.value,
    version: '1.0.0',
    databaseUrl,
    isAlone: true,
    joinToken: JOIN_TOKEN,
    stopping: new AbortController().signal,
    log,
  });
  t.teardown(async () => {
    await coordinator.stop(AbortSignal.abort());
    rmSync(folder, { recursive: true, force: true });
  });
  const facts = await createWork(new InterfaceClient(coordinator.url), databaseUrl, folder);
  return { url: coordinator.url, agentsAddress: coordinator.agentsAddress, folder, facts, logged };
}

/** Creates one record of each kind that samples or paths refer to. The demo's directories are in `folder`. */
export async function createWork(
  client: InterfaceClient,
  databaseUrl: string,
  folder: string,
): Promise<Facts> {
  const directories = { arrivals: join(folder, 'arrivals'), archive: join(folder, 'archive') };
  const { strikeId, recipeTypeName: recipeType } = await createDemo(client.typed, directories);
  const first = async (path: string): Promise<{ readonly id: number; readonly name: string }> => {
    const { results } = await client.get<{ results: { id: number; name: string }[] }>(path);
    if (results[0] === undefined) throw new Error(`there is nothing at ${path}`);
    return results[0];
  };
  const create = async (path: string, body: object) => (await client.post<{ id: number }>(path, body)).id;
  const [arrivals, archive] = [
    await first('/v6/workspaces/?name=demo-arrivals'),
    await first('/v6/workspaces/?name=demo-archive'),
  ];
  const { fileId, nodeId } = await createByAgents(databaseUrl, arrivals.id);
  const [jobTypeId, recipeTypeId] = [
    (await first('/v6/job-types/?keyword=demo-describe')).id,
    (await first('/v6/recipe-types/?keyword=demo')).id,
  ];
  await create('/v6/recipe-types/', { title: LONE_TYPE, definition: { input: {}, nodes: {} } });
  const configuration = {
    workspace: arrivals.name,
    scanner: { type: 'dir' },
    files_to_ingest: [{ filename_regex: '.*' }],
  };
  const data = { files: { FILE: [fileId] }, json: {} };
  const parameters = { files: [{ name: 'FILE' }], json: [] };
  const datasetId = await create('/v6/datasets/', { definition: { parameters }, data });
  return {
    ...{ arrivals: arrivals.name, archive: archive.name, workspaceId: arrivals.id, strikeId, recipeType },
    ...{ fileId, purgedId: fileId, nodeId, jobTypeId, recipeTypeId, datasetId, ingestId: 1 },
    accountId: (await first('/v6/accounts/')).id,
    scanId: await create('/v6/scans/', { title: 'Guarded', configuration }),
    jobId: await create('/v6/jobs/', {
      ...{ job_type_id: jobTypeId, input: { files: { INPUT_FILE: [fileId] }, json: {} } },
    }),
    recipeId: await create('/v6/recipes/', { recipe_type_id: recipeTypeId, input: data }),
    batchId: await create('/v6/batches/', {
      ...{ recipe_type_id: recipeTypeId, definition: { dataset: datasetId, supersedes: false } },
    }),
  };
}

/** Creates the rows that agents would have caused, because there are no agents. */
async function createByAgents(url: string, workspaceId: number): Promise<{ fileId: number; nodeId: number }> {
  const database = await openDatabase({ url, log: silentLog });
  const insert = async (text: string): Promise<number> => {
    const [row] = await database.sql.execute<{ id: number }>(text, []);
    return row?.id ?? 0;
  };
  try {
    return {
      nodeId: await insert(`insert into node (shard, hostname, created, last_modified)
        values (1, 'guarded', now(), now()) returning id`),
      fileId: await insert(`insert into file (uuid, file_type, file_name, media_type, file_size, workspace_id,
          file_path, created, last_modified)
        values (gen_random_uuid(), 'SOURCE', 'a.txt', 'text/plain', 1, ${workspaceId}, 'a.txt', now(), now())
        returning id`),
    };
  } finally {
    await database.close();
  }
}
