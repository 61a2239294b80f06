/**
 * The processing resources on a real database, called without a socket. Asks of actors are recorded; a fake saves the
 * actor's changes and answers.
 */

import { executionConfigurations } from '../../../src/api/executions/configurations.ts';
import { executionRoutes } from '../../../src/api/executions/routes.ts';
import { jobTypeRoutes } from '../../../src/api/job-types/routes.ts';
import { tryRoutes } from '../../../src/api/job-types/try.ts';
import { jobRoutes } from '../../../src/api/jobs/routes.ts';
import { jobReads } from '../../../src/api/jobs/service.ts';
import { recipeTypeRoutes } from '../../../src/api/recipe-types/routes.ts';
import { recipeRoutes } from '../../../src/api/recipes/routes.ts';
import { recipeReads } from '../../../src/api/recipes/service.ts';
import { typeUpdateRoutes } from '../../../src/api/type-updates/routes.ts';
import { OpenStreams } from '../../../src/auth/open-streams.ts';
import type { NewEvent } from '../../../src/domain/event.ts';
import type { NewJob } from '../../../src/domain/job/job.ts';
import type { NewRecipe } from '../../../src/domain/recipe/recipe.ts';
import type { SchedulingClass } from '../../../src/domain/scheduling/scheduling-class.ts';
import type { AuthFilter } from '../../../src/http/auth-filter.ts';
import type { Address } from '../../../src/kernel/mod.ts';
import { ensureBuiltins } from '../../../src/store/catalog/builtins.ts';
import { RevisionCache } from '../../../src/store/catalog/revision-cache.ts';
import { idStore } from '../../../src/store/ids.ts';
import { makeSource } from '../../store/make.ts';
import { NOW, type StoreWorld, storeWorld } from '../../store/store-world.ts';
import { type Answer, type Caller, makeCaller } from '../http.ts';
import { silentLog } from '../silent-log.ts';
import { encryptionOf } from './encryption.ts';

interface Teardown {
  teardown(handler: () => Promise<void>): void;
}

/** A message that was sent to an actor. */
export interface Sent {
  readonly to: Address;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of any actor
  readonly message: any;
  readonly isNew: boolean;
}

export interface ProcessingWorld extends Caller {
  readonly store: StoreWorld;
  readonly streams: OpenStreams;
  readonly sent: readonly Sent[];
  /** If set, asks reject with this. */
  failWith: Error | undefined;
  /** Called with the new id between the commit and the answer, to simulate concurrent changes. */
  afterSave: (id: number) => Promise<void>;
  /** The answer of the owner of a chain. */
  answer: unknown;
  post(target: string, body: unknown): Promise<Answer>;
  patch(target: string, body: unknown): Promise<Answer>;
  /** Creates an undeleted source file. Resolves with its id. */
  file(over?: Parameters<typeof makeSource>[1]): Promise<number>;
}

type Started =
  | { type: 'queue'; event: NewEvent; job: NewJob; class: SchedulingClass }
  | { type: 'start'; event: NewEvent; recipe: NewRecipe };

export async function processingWorld(
  t: Teardown,
  options: { readonly authFilter?: AuthFilter } = {},
): Promise<ProcessingWorld> {
  const store = await storeWorld(t);
  const { sql } = store.db;
  await ensureBuiltins(sql, NOW);
  const sent: Sent[] = [];
  const system = {
    tell: (to: Address, message: object) => void sent.push({ to, message, isNew: false }),
    async ask(to: Address, message: object, options: { isNew?: boolean }): Promise<never> {
      sent.push({ to, message, isNew: options.isNew === true });
      if (world.failWith !== undefined) throw world.failWith;
      if ((message as { type: string }).type === 'reprocess') return world.answer as never;
      await save(store, message as Started);
      await world.afterSave(Number(to.key));
      return {} as never;
    },
  };
  const parts = {
    sql,
    encryption: encryptionOf(Buffer.alloc(32, 1)),
    system,
    ids: idStore(sql),
    revisions: new RevisionCache(sql),
  };
  const limits = { perCaller: 100, all: 100 };
  const streams = new OpenStreams({ sql, limits, nowMs: () => NOW, log: silentLog });
  const caller = makeCaller(
    [
      ...jobTypeRoutes,
      ...tryRoutes,
      ...recipeTypeRoutes,
      ...recipeRoutes,
      ...jobRoutes,
      ...executionRoutes,
      ...typeUpdateRoutes,
    ],
    {
      ...parts,
      streams,
      configurationOf: executionConfigurations(parts),
      jobReads: jobReads(sql),
      recipeReads: recipeReads(sql),
    },
    options,
  );
  const world: ProcessingWorld = {
    ...caller,
    store,
    streams,
    sent,
    failWith: undefined,
    afterSave: async () => undefined,
    answer: { recipeId: 1 },
    post: (target, body) => caller.call('POST', target, body),
    patch: (target, body) => caller.call('PATCH', target, body),
    async file(over) {
      const file = await makeSource(store, over);
      await store.apply({ type: 'createSourceFiles', files: [file] });
      return file.id;
    },
  };
  return world;
}

async function save(store: StoreWorld, message: Started): Promise<void> {
  if (message.type === 'start') {
    await store.apply(
      { type: 'createEvents', events: [message.event] },
      { type: 'createRecipes', recipes: [message.recipe] },
    );
    return;
  }
  await store.apply(
    { type: 'createEvents', events: [message.event] },
    { type: 'ensureClasses', classes: [message.class] },
    { type: 'createJobs', jobs: [message.job] },
  );
}

/** A manifest that uses every field; `job` overrides fields of its `job`. */
export function makeManifest(job: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    seedVersion: '1.0.0',
    job: {
      name: 'counter',
      jobVersion: '1.0.0',
      packageVersion: '1.0.0',
      title: 'Counter',
      description: 'Counts lines',
      tags: ['text', 'lines'],
      timeout: 60,
      maintainer: { name: 'A', email: 'a@example.com' },
      errors: [{ code: 3, name: 'empty-file', title: 'Empty file', category: 'data' }],
      interface: {
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder of the manifest
        command: '${INPUT_TEXT} ${OUTPUT_DIR}',
        inputs: {
          files: [{ name: 'INPUT_TEXT', mediaTypes: ['text/plain'] }],
          json: [{ name: 'LIMIT', type: 'integer', required: false }],
        },
        outputs: {
          files: [{ name: 'COUNTS', mediaType: 'text/csv', pattern: '*.csv' }],
          json: [{ name: 'TOTAL', type: 'integer', required: false }],
        },
        mounts: [{ name: 'DATA', path: '/data', mode: 'ro' }],
        settings: [{ name: 'LEVEL' }, { name: 'PASSWORD', secret: true }],
      },
      resources: { scalar: [{ name: 'cpus', value: 1.5 }] },
      ...job,
    },
  };
}

export const CONFIGURATION = {
  mounts: { DATA: { type: 'host', host_path: '/srv/data' } },
  output_workspaces: { default: 'out', outputs: {} },
  priority: 50,
  settings: { LEVEL: 'high', PASSWORD: 'hush' },
};

/** The body of POST /v6/job-types/. */
export function jobTypeBody(job: Record<string, unknown> = {}): Record<string, unknown> {
  return { container_image: 'counter:1', manifest: makeManifest(job), configuration: CONFIGURATION };
}

/** A recipe of one job node of the type `counter`, fed by the recipe's input. */
export function oneNodeDefinition(version = '1.0.0'): Record<string, unknown> {
  return {
    input: { files: [{ name: 'TEXT', media_types: ['text/plain'] }], json: [] },
    nodes: {
      count: {
        dependencies: [],
        input: { INPUT_TEXT: { type: 'recipe', input: 'TEXT' } },
        node_type: { node_type: 'job', job_type_name: 'counter', job_type_version: version },
      },
    },
  };
}
