/**
 * The thread that serves requests with large bodies: a second instance of the routes, with its own connections to the
 * database. Actors and ids belong to the coordinator; the thread calls it for them.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { batchesApp } from '../../api/batches/service.ts';
import { datasetsApp } from '../../api/datasets/service.ts';
import { jobsApp } from '../../api/jobs/service.ts';
import { recipeTypesApp } from '../../api/recipe-types/service.ts';
import type { ReprocessParts } from '../../api/recipes/reprocess.ts';
import { recipesApp } from '../../api/recipes/service.ts';
import type { ApiDeps } from '../../api/resources.ts';
import { serviceRoutes } from '../../api/service.ts';
import { idempotencyOf, type KeyCipher } from '../../api/shared/idempotency.ts';
import { advanceTypeUpdates } from '../../api/type-updates/updates.ts';
import { NO_CONFIGURATION } from '../../domain/task/execution-tasks.ts';
import { LargeRequestServer } from '../../http/body/large-bodies.ts';
import type { HttpLog } from '../../http/serve.ts';
import { assert } from '../../lib/assert.ts';
import { realClock } from '../../lib/real-clock.ts';
import { RevisionCache } from '../../store/catalog/revision-cache.ts';
import { keyStore } from '../../store/idempotency/keys.ts';
import { openPool, type Sql, sqlOf } from '../../store/sql/sql.ts';
import {
  type Answer,
  type CoordinatorCall,
  errorOf,
  type FromThread,
  failureOf,
  type ThreadData,
  type ToThread,
} from './thread-messages.ts';

// limit: one for each concurrent request, one for their parallel statements, and one for updates of recipe types.
const CONNECTIONS_MAX = 4;
const STATEMENT_TIMEOUT_MS = 30_000;

class Thread {
  readonly #port: MessagePort;
  readonly #pool: ReturnType<typeof openPool>;
  readonly #server: LargeRequestServer<ApiDeps>;
  readonly #asked = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  #lastId = 0;

  constructor(port: MessagePort, { databaseUrl, version, self }: ThreadData) {
    this.#port = port;
    this.#pool = openPool({
      url: databaseUrl,
      connectionsMax: CONNECTIONS_MAX,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      applicationName: 'millrace bodies',
    });
    const sql = sqlOf(this.#pool);
    const deps = depsOf(sql, (call) => this.#call(call));
    const idempotency = idempotencyOf({ keys: keyStore(sql, self), cipher: this.#cipher() });
    const log: HttpLog = {
      level: 'error',
      debug: () => undefined,
      error: (event, fields = {}) => this.#send({ type: 'error', event, fields }),
    };
    this.#server = new LargeRequestServer(serviceRoutes(version), { deps, log, idempotency });
    port.on('message', (message: ToThread) => this.#on(message));
  }

  /** The keys of secrets stay in the coordinator. */
  #cipher(): KeyCipher {
    return {
      encrypt: (clear) => this.#call({ method: 'encrypt', clear }) as Promise<string>,
      decrypt: (encrypted) => this.#call({ method: 'decrypt', encrypted }) as Promise<string>,
    };
  }

  #on(message: ToThread): void {
    if (message.type === 'serve') void this.#serve(message);
    else if (message.type === 'answer') this.#answered(message.id, message.answer);
    else if (message.type === 'raise') void this.#raise(message.id, message.nowMs);
    else void this.#close();
  }

  async #serve({ id, request }: Extract<ToThread, { type: 'serve' }>): Promise<void> {
    const answer = await this.#server.serve(request);
    this.#send({ type: 'served', id, answer }, answer.body === undefined ? [] : [answer.body.buffer]);
  }

  async #raise(id: number, nowMs: number): Promise<void> {
    const answer = await advanceTypeUpdates(sqlOf(this.#pool), nowMs).then(
      (value): Answer => ({ ok: true, value }),
      (error: unknown): Answer => ({ ok: false, failure: failureOf(error) }),
    );
    this.#send({ type: 'raised', id, answer });
  }

  #call(call: CoordinatorCall): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject });
      this.#send({ type: 'call', id, call });
    });
  }

  #answered(id: number, answer: Answer): void {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    if (answer.ok) asked?.resolve(answer.value);
    else asked?.reject(errorOf(answer.failure));
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

/** Requests that only read have no large bodies. */
const nobodyAsks = async (): Promise<typeof NO_CONFIGURATION> => NO_CONFIGURATION;

/** The dependencies of the routes with large bodies, and no others. */
function depsOf(sql: Sql, call: (call: CoordinatorCall) => Promise<unknown>): ApiDeps {
  const parts: ReprocessParts = {
    sql,
    plans: new RevisionCache(sql),
    ids: {
      reserve: (kind, count) => call({ method: 'reserve', kind, count }) as Promise<readonly number[]>,
    },
    system: {
      ask: (to, message, options) => call({ method: 'ask', to, message, options }) as Promise<never>,
    },
  };
  const deps = {
    datasets: datasetsApp(sql, realClock.nowMs),
    recipeTypes: recipeTypesApp({
      sql,
      // The actor answers; nobody waits for it. poll: it finds requests that it was not told of.
      system: {
        tell: (to, message) => {
          call({ method: 'ask', to, message, options: { deadlineMs: WAKE_DEADLINE_MS } }).catch(
            () => undefined,
          );
        },
      },
    }),
    recipes: recipesApp(parts),
    batches: batchesApp(parts),
    jobs: jobsApp(parts, nobodyAsks),
    sql,
  } satisfies Partial<ApiDeps>;
  // The coordinator sends only requests with large bodies here; their routes read these parts alone.
  return deps as unknown as ApiDeps;
}

assert(parentPort !== null, 'it is a thread');
new Thread(parentPort, workerData as ThreadData);
