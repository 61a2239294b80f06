/**
 * The thread that serves requests with large bodies: the same routes, with connections to the database of its own.
 * Actors and ids belong to the coordinator, which the thread calls for them.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { jobReads } from '../../api/jobs/service.ts';
import { type LargeBodyRouteParts, largeBodyRoutes } from '../../api/large-body-routes.ts';
import { recipeReads } from '../../api/recipes/service.ts';
import { idempotencyOf, type KeyCipher } from '../../api/shared/idempotency.ts';
import { advanceTypeUpdates } from '../../api/type-updates/updates.ts';
import { LargeRequestServer } from '../../http/body/large-bodies.ts';
import type { HttpLog } from '../../http/serve.ts';
import { askBy } from '../../kernel/mod.ts';
import { assert } from '../../lib/assert.ts';
import { RevisionCache } from '../../store/catalog/revision-cache.ts';
import { keyStore } from '../../store/idempotency/keys.ts';
import { openPool, type Sql, sqlOf } from '../../store/sql/sql.ts';
import {
  type Answer,
  type CallAnswers,
  type CallOf,
  errorOf,
  type FromThread,
  failureOf,
  type ThreadData,
  type ToThread,
} from './thread-messages.ts';

// limit: two for the concurrent requests, one for their parallel statements, and one for updates of recipe types.
const CONNECTIONS_MAX = 4;
const STATEMENT_TIMEOUT_MS = 30_000;

class Thread {
  readonly #port: MessagePort;
  readonly #pool: ReturnType<typeof openPool>;
  readonly #server: LargeRequestServer<LargeBodyRouteParts>;
  readonly #pending = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  #lastId = 0;

  constructor(port: MessagePort, { databaseUrl, self }: ThreadData) {
    this.#port = port;
    this.#pool = openPool({
      url: databaseUrl,
      connectionsMax: CONNECTIONS_MAX,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      applicationName: 'millrace bodies',
    });
    const sql = sqlOf(this.#pool);
    const deps = partsOf(sql, (call) => this.#call(call));
    const idempotency = idempotencyOf({ keys: keyStore(sql, self), cipher: this.#cipher() });
    const log: HttpLog = {
      level: 'error',
      debug: () => undefined,
      error: (event, fields = {}) => this.#send({ type: 'error', event, fields }),
    };
    this.#server = new LargeRequestServer(largeBodyRoutes(), { deps, log, idempotency });
    port.on('message', (message: ToThread) => this.#on(message));
  }

  /** The keys of secrets stay in the coordinator. */
  #cipher(): KeyCipher {
    return {
      encrypt: (clear) => this.#call({ method: 'encrypt', clear }),
      decrypt: (encrypted) => this.#call({ method: 'decrypt', encrypted }),
    };
  }

  #on(message: ToThread): void {
    if (message.type === 'serve') void this.#serve(message);
    else if (message.type === 'answer') this.#answered(message.id, message.answer);
    else if (message.type === 'advanceTypeUpdates') void this.#advanceTypeUpdates(message.id, message.nowMs);
    else void this.#close();
  }

  async #serve({ id, request }: Extract<ToThread, { type: 'serve' }>): Promise<void> {
    const answer = await this.#server.serve(request);
    this.#send({ type: 'served', id, answer }, answer.body === undefined ? [] : [answer.body.buffer]);
  }

  async #advanceTypeUpdates(id: number, nowMs: number): Promise<void> {
    const answer = await advanceTypeUpdates(sqlOf(this.#pool), nowMs).then(
      (value): Answer<boolean> => ({ ok: true, value }),
      (error: unknown): Answer<boolean> => ({ ok: false, failure: failureOf(error) }),
    );
    this.#send({ type: 'typeUpdatesAdvanced', id, answer });
  }

  #call<M extends keyof CallAnswers>(call: CallOf<M>): Promise<CallAnswers[M]> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#send({ type: 'call', id, call });
    });
  }

  #answered(id: number, answer: Answer): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (answer.ok) pending?.resolve(answer.value);
    else pending?.reject(errorOf(answer.failure));
  }

  #send(message: FromThread, transfer: ArrayBuffer[] = []): void {
    this.#port.postMessage(message, transfer);
  }

  /** The thread ends when nothing can wake it. */
  async #close(): Promise<void> {
    await this.#pool.end();
    this.#port.close();
  }
}

const WAKE_DEADLINE_MS = 5_000;

type Call = <M extends keyof CallAnswers>(call: CallOf<M>) => Promise<CallAnswers[M]>;

function partsOf(sql: Sql, call: Call): LargeBodyRouteParts {
  return {
    sql,
    revisions: new RevisionCache(sql),
    ids: {
      reserve: (kind, count) => call({ method: 'reserve', kind, count }),
    },
    system: {
      ask: askBy((to, message, options) => call({ method: 'ask', to, message, options })),
      // The answer is ignored. poll: the actor finds requests whose message was lost.
      tell: (to, message) => {
        call({ method: 'ask', to, message, options: { deadlineMs: WAKE_DEADLINE_MS } }).catch(
          () => undefined,
        );
      },
    },
    jobReads: jobReads(sql),
    recipeReads: recipeReads(sql),
  };
}

assert(parentPort !== null, 'it is a thread');
new Thread(parentPort, workerData as ThreadData);
