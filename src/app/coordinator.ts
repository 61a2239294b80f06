/**
 * One coordinator put together: database, evaluator, actors, the gateway to agents and the interface, opened in this
 * order and closed in the reverse. The parts know nothing of one another.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { cpus } from 'node:os';
import { diagnosticActor } from '../actors/diagnostic/diagnostic.actor.ts';
import { jobActor } from '../actors/job/job.actor.ts';
import { jobRequestActor } from '../actors/job-request/job-request.actor.ts';
import { nodeActor } from '../actors/node/node.actor.ts';
import { recipeActor } from '../actors/recipe/recipe.actor.ts';
import { schedulerActor } from '../actors/scheduler/scheduler.actor.ts';
import { statisticsActor } from '../actors/statistics/statistics.actor.ts';
import { strikeActor } from '../actors/strike/strike.actor.ts';
import { addressText, type Config } from '../config.ts';
import { AppError } from '../domain/errors.ts';
import { pulseOf } from '../domain/node/node-state.ts';
import type { SchedulerSettings } from '../domain/scheduling/snapshot.ts';
import { createEvaluator } from '../evaluator/pool.ts';
import { createDispatcher } from '../http/dispatch.ts';
import { startServer } from '../http/server.ts';
import { serviceRoutes } from '../http/service.ts';
import { createSystem, type System } from '../kernel/mod.ts';
import type { Logger } from '../lib/logger.ts';
import { realClock } from '../lib/real-clock.ts';
import { startGateway } from '../rpc/agent-gateway.ts';
import { ContentRequests } from '../rpc/content.ts';
import { ensureBuiltins } from '../store/catalog/builtins.ts';
import { ensureDiagnostics } from '../store/catalog/diagnostics.ts';
import { ensureNode } from '../store/catalog/nodes.ts';
import { commitPort } from '../store/commit.ts';
import { openDatabase } from '../store/database.ts';
import { idBlocks, idStore } from '../store/ids.ts';
import { leaseStore } from '../store/lease-store.ts';
import { saveLogs } from '../store/log-store.ts';
import { PlanStore } from '../store/plan-loads.ts';
import { loadSettings } from '../store/scheduler-loads.ts';
import { openSeal } from '../store/sealing.ts';
import { openPool, sqlOf } from '../store/sql.ts';
import { MemoryNetwork, memoryTransport } from '../transport/memory-transport.ts';
import { natsTransport } from '../transport/nats-transport.ts';
import { actorPorts } from './actor-ports.ts';
import { apiDeps } from './api-deps.ts';
import { logLevelOf } from './log-level.ts';
import { createRng } from './random.ts';

export interface CoordinatorProgram {
  readonly config: Config;
  readonly version: string;
  readonly databaseUrl: string;
  /** No other coordinator can be using the database: what an earlier one left is taken over at once. */
  readonly isAlone: boolean;
  readonly joinToken: string;
  readonly log: Logger;
}

export interface Coordinator {
  /** Where the interface is served. */
  readonly url: string;
  /** Where agents connect: `host:port`. */
  readonly agentsAddress: string;
  /** Lets what was begun end until `giveUp` fires, hands its shards over, closes everything. */
  stop(giveUp: AbortSignal): Promise<void>;
}

const CLUSTER = 'default';
const SETTINGS_EVERY_MS = 5_000;
const LEASE_POOL = {
  connectionsMax: 2,
  statementTimeoutMs: 3_000,
  applicationName: 'millrace leases',
} as const;
const HTTP_LIMITS = { bodyBytesMax: 10_485_760, requestsMax: 2_000, bufferedBytesMax: 268_435_456 } as const;

/** What was opened, to be closed in reverse. */
class Opened {
  readonly #closers: (() => Promise<unknown>)[] = [];

  add(close: () => Promise<unknown>): void {
    this.#closers.push(close);
  }

  /** Closes all of it, whatever fails; throws the first failure. */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#closers.reverse())
      await close().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
}

export async function startCoordinator(program: CoordinatorProgram): Promise<Coordinator> {
  const opened = new Opened();
  try {
    return await start(program, opened);
  } catch (error) {
    await opened.close().catch(() => undefined);
    throw error;
  }
}

async function start(program: CoordinatorProgram, opened: Opened): Promise<Coordinator> {
  const { config, version, joinToken, log } = program;
  const database = await openDatabase({ url: program.databaseUrl, log });
  opened.add(() => database.close());
  const { sql } = database;
  // Connections of their own, so that renewing leases never waits behind commits.
  const leasePool = openPool({ ...LEASE_POOL, url: program.databaseUrl });
  opened.add(() => leasePool.end());
  await ensureBuiltins(sql, realClock.nowMs());
  await ensureDiagnostics(sql, undefined, realClock.nowMs());
  const seal = await openSeal(config.secretKeyFile);
  const evaluator = createEvaluator({ threads: Math.max(1, cpus().length - 1) });
  opened.add(() => evaluator.close());

  const self = `c-${randomUUID()}`;
  const plans = new PlanStore(sql);
  const ids = idStore(sql);
  const contents = new ContentRequests();
  const late: { system?: System } = {};
  const systemOf = (): System => {
    if (late.system === undefined) throw new AppError('OWNER_UNAVAILABLE', 'the coordinator is starting');
    return late.system;
  };
  const gateway = await startGateway({
    listen: addressText(config.grpc),
    joinToken,
    self,
    system: {
      ask: (to, message, options) => systemOf().ask(to, message, options),
      tell: (to, message, options) => systemOf().tell(to, message, options),
      ownerOf: (to) => systemOf().ownerOf(to),
    },
    ensureNode: (hostname) => ensureNode(sql, hostname, realClock.nowMs()),
    saveLogs: (chunks) => saveLogs(sql, chunks),
    contents,
    newSessionId: () => randomUUID(),
    heartbeatMs: pulseOf(config.nodeLostMs).heartbeatMs,
    log,
  });
  opened.add(() => gateway.stop());

  const settings = settingsFollower(log, () => late.system);
  const system = createSystem({
    self,
    addresses: {
      httpAddress: addressText(config.http),
      grpcAddress: config.grpcAdvertise === undefined ? gateway.address : addressText(config.grpcAdvertise),
      version,
    },
    actors: [
      schedulerActor,
      nodeActor({ lostAfterMs: config.nodeLostMs }),
      strikeActor,
      recipeActor,
      jobActor,
      jobRequestActor,
      diagnosticActor,
      statisticsActor,
    ],
    ports: actorPorts({
      sql,
      seal,
      plans,
      evaluator,
      gateway,
      nowMs: realClock.nowMs,
      applySettings: settings.apply,
      system: { ask: (to, message, options) => systemOf().ask(to, message, options) },
    }),
    apply: commitPort(database.commits),
    ids,
    leases: leaseStore({ sql: sqlOf(leasePool), isAlone: program.isAlone }),
    transport:
      config.natsUrl === undefined
        ? memoryTransport(new MemoryNetwork())
        : natsTransport({ url: config.natsUrl.reveal(), cluster: CLUSTER, log }),
    clock: realClock,
    rng: createRng(),
    log,
  });
  late.system = system;
  await system.start();
  opened.add(() => system.stop());
  opened.add(() => system.drain());
  const polling = setInterval(() => {
    loadSettings(sql).then(settings.apply, () => undefined);
  }, SETTINGS_EVERY_MS);
  opened.add(async () => clearInterval(polling));

  const hasNats = config.natsUrl !== undefined;
  const { diagnosticsImage } = config;
  const parts = { sql, seal, evaluator, system, contents, self, version, hasNats, diagnosticsImage };
  const deps = apiDeps({ ...parts, ids: idBlocks(ids) });
  const dispatcher = createDispatcher({
    routes: serviceRoutes(version),
    deps,
    nowMs: realClock.nowMs,
    log,
    hosts: new Set(config.allowedHosts),
    scheme: 'http',
    ...HTTP_LIMITS,
  });
  const newRequestId = () => randomBytes(9).toString('base64url');
  const server = await startServer({ ...config.http, dispatcher, log, newRequestId, ...HTTP_LIMITS });
  return {
    url: `http://${addressText({ host: config.http.host, port: server.port })}`,
    agentsAddress: gateway.address,
    async stop(giveUp) {
      await server.stop(giveUp);
      await opened.close();
    },
  };
}

/**
 * Follows the scheduler's settings: commit lanes always, the level of the log once it differs from what it was when
 * the program began, so that the level given at the start counts until somebody changes it.
 */
function settingsFollower(log: Logger, system: () => System | undefined) {
  let level: string | undefined;
  return {
    apply(settings: SchedulerSettings): void {
      system()?.setLanes(Math.max(1, settings.messageHandlerCount));
      const isChanged = level !== undefined && level !== settings.loggingLevel;
      if (isChanged) log.setLevel(logLevelOf(settings.loggingLevel));
      level = settings.loggingLevel;
    },
  };
}
