/**
 * What creates things for requests with an `Idempotency-Key`, as src/api/jobs/service.ts, batches.ts and
 * job-requests.ts do: around it is the real code of keys.
 */
import { answerByKey, idempotencyOf } from '../../../src/api/shared/idempotency.ts';
import { FIRST_ASK } from '../../../src/api/shared/requests.ts';
import type { IdempotencyKey, RecordRef } from '../../../src/domain/idempotency.ts';
import { newStandaloneJob } from '../../../src/domain/job/queueing.ts';
import type { Reply } from '../../../src/http/route.ts';
import { type Clock, type IdPort, type System, shardOf } from '../../../src/kernel/mod.ts';
import type { KeyStore } from '../../../src/store/idempotency/keys.ts';
import { ANY } from '../../conformance/request-draws.ts';
import { JOB_REVISION, RECIPE_REVISION } from '../scenario.ts';
import { workspaceIds } from '../store/load/tree-loads.ts';
import type { Tables } from '../store/tables.ts';

/** What a client asks for. */
export type Wanted =
  | { readonly kind: 'job' }
  | { readonly kind: 'batch'; readonly datasetId: number; readonly membersCount: number }
  | { readonly kind: 'job_request'; readonly jobIds: readonly number[] };

export interface KeyedCall {
  readonly key: string;
  /** What is asked for, as far as keys are concerned. */
  readonly hash: string;
  readonly wanted: Wanted;
}

/** What was created, as its message names it. */
type Made = (id: number) => void;

export interface InterfaceParts {
  readonly keys: KeyStore;
  readonly ids: IdPort;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly tables: Tables;
  readonly system: () => System;
}

const ACCOUNT = 1;
/** Keys are kept as they are: nobody looks for secrets here. */
const CIPHER = {
  encrypt: (clear: string) => Buffer.from(clear).toString('base64'),
  decrypt: (encrypted: Uint8Array) => Buffer.from(encrypted).toString(),
};

export class SimInterface {
  readonly #parts: InterfaceParts;

  constructor(parts: InterfaceParts) {
    this.#parts = parts;
  }

  /** `making` is told each id under which a record may be made. */
  create({ key, hash, wanted }: KeyedCall, making: Made): Promise<Reply> {
    const { once } = idempotencyOf({ keys: this.#parts.keys, cipher: CIPHER });
    return once({ accountId: ACCOUNT, key, hash }, async (idempotencyKey) => {
      const [id = 0, eventId = 0] = await this.#parts.ids.reserve(wanted.kind, 2);
      making(id);
      const atMs = Math.floor(this.#parts.clock.nowMs());
      const message = this.#messageOf(wanted, { id, eventId, atMs });
      const answered = wanted.kind === 'job_request' ? { status: 202 } : createdAt(wanted.kind, id);
      const record: RecordRef | null = wanted.kind === 'job_request' ? null : { type: wanted.kind, id };
      const answer = answerByKey({ idempotencyKey: idempotencyKey as IdempotencyKey }, answered, record);
      await this.#parts
        .system()
        .forward({ kind: wanted.kind, key: String(id) }, { ...message, ...answer }, FIRST_ASK);
      const { status, location } = { location: undefined, ...answered };
      return {
        status,
        body: record === null ? undefined : { id },
        headers: location === undefined ? {} : { location },
      };
    });
  }

  #messageOf(wanted: Wanted, { id, eventId, atMs }: { id: number; eventId: number; atMs: number }) {
    const shard = shardOf(wanted.kind, String(id));
    const event = { id: eventId, type: 'USER', occurredMs: atMs, description: {} } as const;
    switch (wanted.kind) {
      case 'job': {
        const { job, class: jobClass } = newStandaloneJob({
          ...{ jobId: id, shard, eventId, revision: JOB_REVISION, configuration: null, atMs },
          ...{ input: { files: {}, json: {} }, files: new Map() },
          workspaces: workspaceIds(this.#parts.tables),
        });
        return { type: 'queue', event, job, class: jobClass };
      }
      case 'batch': {
        const { recipeTypeId, recipeTypeRevId } = RECIPE_REVISION;
        const batch = {
          ...{ id, shard, title: null, description: null, eventId, recipeTypeId, recipeTypeRevId },
          ...{ definition: { dataset: wanted.datasetId, supersedes: false }, configuration: {} },
          ...{ rootBatchId: id, supersededBatchId: null, recipesEstimated: wanted.membersCount, atMs },
        };
        return { type: 'begin', event, batch };
      }
      case 'job_request': {
        const choice = { ...ANY, jobIds: wanted.jobIds };
        return { type: 'begin', request: { id, shard, action: 'requeue', choice, priority: null, atMs } };
      }
    }
  }
}

function createdAt(kind: string, id: number) {
  return { status: 201, location: `/v6/${kind}s/${id}/` };
}
