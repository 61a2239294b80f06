/**
 * A source with every kind of descendant, and an unrelated one, in a real database. Owners and agents are fakes that
 * execute requests at once.
 */

import { advancePurge, purgeRows } from '../../../src/api/purges/advance.ts';
import type { NewJob } from '../../../src/domain/job/job.ts';
import type { FileDeletion } from '../../../src/domain/node/agent-messages.ts';
import type { Address } from '../../../src/kernel/mod.ts';
import { createDataset } from '../../../src/store/dataset/save.ts';
import { idStore } from '../../../src/store/ids.ts';
import { saveLogs } from '../../../src/store/log/save.ts';
import type { Sql } from '../../../src/store/sql/sql.ts';
import {
  makeArrival,
  makeEnd,
  makeEvent,
  makeExecutionEnd,
  makeIngestEnd,
  makeInput,
  makeJob,
  makeProduct,
  makeSource,
  makeStart,
  savedJob,
  savedRecipe,
} from '../../store/make.ts';
import { NOW, type StoreWorld, storeWorld } from '../../store/store-world.ts';

interface Teardown {
  teardown(handler: () => Promise<void>): void;
}

/** A source, the recipe with it as input, and its products. */
export interface Family {
  readonly sourceId: number;
  readonly recipeId: number;
  readonly jobIds: readonly number[];
  readonly productIds: readonly number[];
  readonly paths: readonly string[];
}

export class PurgeWorld {
  readonly store: StoreWorld;
  /** Files of the agents' workspaces: path -> size. */
  readonly disk = new Map<string, number>();
  readonly asked: { readonly to: Address; readonly type: string }[] = [];
  readonly told: Address[] = [];
  /** Files that cannot be removed: path -> reason. */
  readonly stuck = new Map<string, string>();
  sql: Sql;

  constructor(store: StoreWorld) {
    this.store = store;
    this.sql = store.db.sql;
  }

  get parts() {
    const tell = (to: Address) => void this.told.push(to);
    return { sql: this.sql, ids: idStore(this.store.db.sql), system: { tell } };
  }

  /** Executes pieces until the purge is done or waits. Resolves with their number. */
  async advance(purgeId: number, piecesMax = 500): Promise<{ isDone: boolean; pieces: number }> {
    for (let pieces = 1; pieces <= piecesMax; pieces += 1) {
      const parts = { rows: purgeRows(this.sql), nowMs: () => NOW, system: { ask: this.#ask } };
      const { isDone, pauseMs } = await advancePurge(parts, purgeId);
      if (isDone) return { isDone, pieces };
      if (pauseMs >= 5_000) return { isDone, pieces };
    }
    throw new Error(`not done after ${piecesMax} pieces`);
  }

  /** The number of rows in each table that refer to the family. */
  async traces({ sourceId, recipeId, jobIds, productIds }: Family): Promise<Record<string, number>> {
    const fileIds = [sourceId, ...productIds];
    const [row] = await this.store.rows<Record<string, number>>(
      `select (select count(*) from file where id = any($1::bigint[])) as files,
         (select count(*) from file_ancestry where descendant_id = any($1) or ancestor_id = any($1)) as ancestry,
         (select count(*) from ingest where source_file_id = any($1)) as ingests,
         (select count(*) from recipe where id = $2) as recipes,
         (select count(*) from recipe_node where recipe_id = $2) as nodes,
         (select count(*) from recipe_input_file where recipe_id = $2) as recipe_inputs,
         (select count(*) from job where id = any($3::bigint[])) as jobs,
         (select count(*) from job_exe where job_id = any($3)) as executions,
         (select count(*) from job_log l join job_exe e on e.id = l.job_exe_id where e.job_id = any($3)) as logs,
         (select count(*) from job_input_file where file_id = any($1)) as inputs,
         (select count(*) from dataset_file where file_id = any($1)) as dataset_files,
         (select count(*) from dataset_member where file_ids && $1) as members`,
      [fileIds, recipeId, jobIds],
    );
    return row ?? {};
  }

  readonly #ask = async (to: Address, message: object): Promise<never> => {
    const asked = message as {
      type: string;
      jobIds?: number[];
      requestId?: string;
      files?: { path: string; size: number }[];
    };
    this.asked.push({ to, type: asked.type });
    if (asked.type === 'cancelJobs') {
      await this.store.rows(
        `update job set status = 'CANCELED' where id = any($1::bigint[]) and status not in ('COMPLETED', 'CANCELED')`,
        [asked.jobIds],
      );
      await this.store.rows(
        `update job_exe set status = 'CANCELED', ended = now() where job_id = any($1::bigint[]) and status = 'RUNNING'`,
        [asked.jobIds],
      );
    }
    if (asked.type !== 'deleteFiles') return {} as never;
    const files = (asked.files ?? []).map((file) => this.#delete(file));
    return { type: 'filesDeleted', requestId: asked.requestId, files } as never;
  };

  #delete({ path, size }: { path: string; size: number }): FileDeletion {
    const reason = this.stuck.get(path) ?? '';
    if (reason !== '') return { path, outcome: 'failed', reason, maySucceedLater: reason !== 'never' };
    const there = this.disk.get(path);
    if (there === undefined) return { path, outcome: 'absent', reason, maySucceedLater: false };
    if (there !== size) return { path, outcome: 'other', reason, maySucceedLater: false };
    this.disk.delete(path);
    return { path, outcome: 'removed', reason, maySucceedLater: false };
  }
}

export async function purgeWorld(t: Teardown): Promise<PurgeWorld> {
  const store = await storeWorld(t);
  await store.rows('update node set is_online = true');
  await store.rows(
    `insert into node_workspace (node_id, workspace_id, is_reachable, checked)
     select n.id, w.id, true, now() from node n cross join workspace w where n.hostname = 'one'`,
  );
  return new PurgeWorld(store);
}

/** A completed recipe of two jobs in a row, each with a product; the ingest of the source; logs; a dataset. */
export async function makeFamily(world: PurgeWorld, name: string): Promise<Family> {
  const { store } = world;
  const source = await makeSource(store, { filePath: `${name}/source` });
  const strikeId = await strikeOf(store);
  const arrival = await makeArrival(store, { filePath: `${name}/arrived`, identity: `arrival of ${name}` });
  const owner = { kind: 'strike', key: strikeId } as const;
  const types = { jobTypeId: store.ids.type, jobTypeRevId: store.ids.rev };
  const template = {
    shard: 1,
    ownerKind: 'strike',
    ...types,
    priority: 1,
    maxTries: 1,
    timeoutS: 0,
  } as const;
  await store.apply({ type: 'recordArrivals', owner, template, arrivals: [arrival] });
  const input = makeInput({ FILE: [source.id] });
  await store.apply(
    { type: 'createSourceFiles', files: [source] },
    {
      type: 'endIngests',
      ingests: [makeIngestEnd(arrival.ingestId, { status: 'INGESTED', sourceFileId: source.id })],
    },
    { type: 'moveJobs', moves: [makeEnd(arrival.jobId)] },
  );
  const recipe = await savedRecipe(store, { input, ingestId: arrival.ingestId });
  const first = await ranJob(store, recipe.id, 'A', [source.id], `${name}/one`);
  const second = await ranJob(store, recipe.id, 'B', [first.productId], `${name}/two`);
  world.disk.set(`${name}/source`, source.size).set(`${name}/one`, 6).set(`${name}/two`, 6);
  const definition = {
    global_parameters: { files: [], json: [] },
    global_data: { files: {}, json: {} },
    parameters: { files: [], json: [] },
  } as never;
  const members = [{ files: { FILE: [source.id, second.productId] }, json: {} }];
  await createDataset(store.db.sql, { title: name, description: '', definition, members, nowMs: NOW });
  return {
    sourceId: source.id,
    recipeId: recipe.id,
    jobIds: [first.jobId, second.jobId, arrival.jobId],
    productIds: [first.productId, second.productId],
    paths: [`${name}/one`, `${name}/two`],
  };
}

async function strikeOf(store: StoreWorld): Promise<number> {
  const [known] = await store.rows<{ id: number }>('select id from strike');
  if (known !== undefined) return known.id;
  const job = await savedJob(store);
  const [made] = await store.rows<{ id: number }>(
    `insert into strike (shard, name, title, configuration, workspace_id, job_id, created, last_modified)
     values (1, 's', 'S', '{}', $1, $2, now(), now()) returning id`,
    [store.ids.in, job.id],
  );
  return made?.id ?? 0;
}

async function ranJob(
  store: StoreWorld,
  recipeId: number,
  node: string,
  inputFileIds: readonly number[],
  filePath: string,
): Promise<{ readonly jobId: number; readonly productId: number }> {
  const eventId = await store.newId('event');
  const job: NewJob = makeJob(store, {
    id: await store.newId('job'),
    eventId,
    owner: { kind: 'recipe', key: recipeId },
    recipeId,
    recipeNode: node,
    recipeIds: [recipeId],
    input: makeInput({ IN: [...inputFileIds] }),
  });
  const nodeRow = {
    recipeId,
    name: node,
    isOriginal: true,
    jobId: job.id,
    subRecipeId: null,
    conditionId: null,
  };
  await store.apply(
    { type: 'createEvents', events: [makeEvent(eventId)] },
    { type: 'createJobs', jobs: [job] },
    { type: 'createRecipeNodes', nodes: [nodeRow as never] },
  );
  const start = await makeStart(store, job.id);
  await store.apply({ type: 'placeJobs', starts: [start] });
  const { executionId } = start;
  const product = await makeProduct(store, { jobId: job.id, executionId, recipeId, inputFileIds, filePath });
  await store.apply(
    { type: 'moveJobs', moves: [makeEnd(job.id)] },
    { type: 'endExecutions', ends: [makeExecutionEnd(executionId)] },
    { type: 'createProducts', products: [product] },
  );
  const chunk = { joinToken: '', nodeName: '', executionId, stream: 'stdout', offset: 0, atMs: NOW };
  await saveLogs(store.db.sql, [{ ...chunk, content: Buffer.from('said') }]);
  return { jobId: job.id, productId: product.id };
}
