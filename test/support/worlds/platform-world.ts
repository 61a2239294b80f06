/**
 * The platform resources on a real database, called without a socket. Asks of actors are recorded; a fake saves the
 * actor's changes and answers.
 */

import { pathRoutes } from '../../../src/api/files/path-routes.ts';
import { fileRoutes } from '../../../src/api/files/routes.ts';
import { ingestRoutes } from '../../../src/api/ingests/routes.ts';
import { nodeRoutes } from '../../../src/api/nodes/routes.ts';
import { scanRoutes } from '../../../src/api/scans/routes.ts';
import { schedulerRoutes } from '../../../src/api/scheduler/routes.ts';
import { statusRoutes } from '../../../src/api/status/routes.ts';
import { StatusKeeper } from '../../../src/api/status/service.ts';
import { strikeRoutes } from '../../../src/api/strikes/routes.ts';
import { workspaceRoutes } from '../../../src/api/workspaces/routes.ts';
import type { Change } from '../../../src/domain/changes.ts';
import type { Address, CoordinatorInfo, SystemStats } from '../../../src/kernel/mod.ts';
import { ContentRequests } from '../../../src/rpc/content.ts';
import { UploadRequests } from '../../../src/rpc/uploads.ts';
import { ensureBuiltins } from '../../../src/store/catalog/builtins.ts';
import { RevisionCache } from '../../../src/store/catalog/revision-cache.ts';
import { idStore } from '../../../src/store/ids.ts';
import type { Sql } from '../../../src/store/sql/sql.ts';
import { makeSource } from '../../store/make.ts';
import { NOW, type StoreWorld, storeWorld } from '../../store/store-world.ts';
import { type Answer, type Caller, makeCaller } from '../http.ts';
import { encryptionOf } from './encryption.ts';

interface Teardown {
  teardown(handler: () => Promise<void>): void;
}

export interface Sent {
  readonly to: Address;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of any actor
  readonly message: any;
}

export const HERE: CoordinatorInfo = {
  id: 'here',
  httpAddress: 'coordinator.test:8080',
  grpcAddress: 'coordinator.test:8081',
  version: '1.0.0',
};

export interface PlatformWorld extends Caller {
  readonly store: StoreWorld;
  readonly sent: readonly Sent[];
  readonly contents: ContentRequests;
  /** If set, asks reject with this. */
  failWith: Error | undefined;
  /** Called for each ask that is not an edit, such as `sendFile`. Its result is the answer, `{}` if undefined. */
  onAsk: (sent: Sent) => unknown;
  owner: CoordinatorInfo | undefined;
  nowMs: number;
  /** All rows that the status was made of so far. */
  readonly statusRows: readonly object[];
  post(target: string, body: unknown): Promise<Answer>;
  patch(target: string, body: unknown): Promise<Answer>;
  /** Creates an undeleted source file. Resolves with its id. */
  file(over?: Parameters<typeof makeSource>[1]): Promise<number>;
  /** Creates a recipe type with the given file inputs. Resolves with its name. */
  recipeType(name: string, inputs: readonly Record<string, unknown>[]): Promise<string>;
}

export async function platformWorld(t: Teardown): Promise<PlatformWorld> {
  const store = await storeWorld(t);
  const { sql } = store.db;
  await ensureBuiltins(sql, NOW);
  const sent: Sent[] = [];
  const contents = new ContentRequests();
  const system = {
    tell: (to: Address, message: object) => void sent.push({ to, message }),
    async ask(to: Address, message: object): Promise<never> {
      sent.push({ to, message });
      if (world.failWith !== undefined) throw world.failWith;
      const edit = editOf(to, message as Edit);
      if (edit === undefined) return ((await world.onAsk({ to, message })) ?? {}) as never;
      await store.apply(edit);
      return {} as never;
    },
    ownerOf: () => world.owner,
    coordinators: () => [HERE],
    stats: () =>
      ({ kinds: { job: { live: 1, mail: 2, suspended: 0 } }, mailParked: 1 }) as unknown as SystemStats,
  };
  const parts = {
    sql,
    revisions: new RevisionCache(sql),
    encryption: encryptionOf(Buffer.alloc(32, 1)),
    system,
    self: HERE.id,
    httpAddress: HERE.httpAddress,
    contents,
    uploads: new UploadRequests(),
    uploadBytesMax: 1_000,
    ids: idStore(sql),
  };
  const statusRows: object[] = [];
  const noted: Sql = {
    async execute<T extends object>(statement: Parameters<Sql['execute']>[0], params?: readonly unknown[]) {
      const rows = await sql.execute<T>(statement, params);
      statusRows.push(...rows);
      return rows;
    },
    transaction: (work, kind) => sql.transaction(work, kind),
  };
  let clock: PlatformWorld | undefined;
  const caller = makeCaller(
    [
      ...workspaceRoutes,
      ...scanRoutes,
      ...strikeRoutes,
      ...ingestRoutes,
      ...fileRoutes,
      ...pathRoutes,
      ...nodeRoutes,
      ...schedulerRoutes,
      ...statusRoutes,
    ],
    {
      ...parts,
      ...{ hasNats: false, evaluator: { checkPatterns }, beginDeadlineMs: 2_000 },
      status: new StatusKeeper({
        ...parts,
        sql: noted,
        nowMs: () => clock?.nowMs ?? NOW,
        cluster: 'test',
        bus: { type: 'memory' },
        warnings: { writeChanges: async () => undefined },
      }),
    },
  );
  const world: PlatformWorld = {
    ...caller,
    ...{ store, sent, contents, failWith: undefined, owner: HERE, nowMs: NOW, statusRows },
    onAsk: () => undefined,
    post: (target, body) => caller.call('POST', target, body),
    patch: (target, body) => caller.call('PATCH', target, body),
    async file(over) {
      const file = await makeSource(store, over);
      await store.apply({ type: 'createSourceFiles', files: [file] });
      return file.id;
    },
    async recipeType(name, inputs) {
      const definition = JSON.stringify({ input: { files: inputs, json: [] }, nodes: {} });
      await store.rows(
        `with made as (insert into recipe_type (name, title, definition, created, last_modified)
           values ($1, $1, $2, now(), now()) returning id)
         insert into recipe_type_rev (recipe_type_id, revision_num, definition, created)
         select id, 1, $2, now() from made`,
        [name, definition],
      );
      return name;
    },
  };
  clock = world;
  return world;
}

/** The evaluator's result: `(` alone is refused. */
async function checkPatterns(patterns: readonly string[]): Promise<ReadonlyMap<string, string | undefined>> {
  return new Map(patterns.map((pattern) => [pattern, pattern === '(' ? 'an open group' : undefined]));
}

interface Edit {
  readonly type: string;
  readonly patch?: object;
}

/** The change that the actor saves for an edit. */
function editOf(to: Address, message: Edit): Change | undefined {
  if (message.type !== 'edit') return undefined;
  const { type: _, patch = {}, ...fields } = message;
  const id = Number(to.key);
  if (to.kind === 'scan') return { type: 'editScan', scanId: id, patch: fields, atMs: NOW + 10 };
  if (to.kind === 'strike') return { type: 'editStrike', strikeId: id, patch: fields, atMs: NOW + 10 };
  if (to.kind === 'scheduler') return { type: 'saveScheduler', patch, atMs: NOW + 10 };
  return { type: 'saveNode', nodeId: id, patch: fields, atMs: NOW + 10 };
}
