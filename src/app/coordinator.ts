/**
 * One coordinator put together: database, evaluator, actors, the gateway to agents and the interface, opened in this
 * order and closed in the reverse. The parts know nothing of one another.
 */
import { randomUUID } from 'node:crypto';
import { cpus } from 'node:os';
import { batchActor } from '../actors/batch/batch.actor.ts';
import { diagnosticActor } from '../actors/diagnostic/diagnostic.actor.ts';
import { jobActor } from '../actors/job/job.actor.ts';
import { jobRequestActor } from '../actors/job-request/job-request.actor.ts';
import { nodeActor } from '../actors/node/node.actor.ts';
import { purgeActor } from '../actors/purge/purge.actor.ts';
import { recipeActor } from '../actors/recipe/recipe.actor.ts';
import { retentionActor } from '../actors/retention/retention.actor.ts';
import { scanActor } from '../actors/scan/scan.actor.ts';
import { schedulerActor } from '../actors/scheduler/scheduler.actor.ts';
import { statisticsActor } from '../actors/statistics/statistics.actor.ts';
import { strikeActor } from '../actors/strike/strike.actor.ts';
import { addressText, type Config } from '../config.ts';
import { AppError } from '../domain/errors.ts';
import { pulseOf } from '../domain/node/node-state.ts';
import type { SchedulerSettings } from '../domain/scheduling/snapshot.ts';
import { createEvaluator } from '../evaluator/pool.ts';
import { createDispatcher } from '../http/dispatch.ts';
import { requestIds } from '../http/request-ids.ts';
import { type HttpServer, startServer } from '../http/server.ts';
import { serviceRoutes } from '../http/service.ts';
import { createSystem, type System, type Transport } from '../kernel/mod.ts';
import type { Logger } from '../lib/logger.ts';
import { realClock } from '../lib/real-clock.ts';
import type { Secret } from '../lib/secret.ts';
import { type AgentGateway, startGateway } from '../rpc/agent-gateway.ts';
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
import { openPool, sqlOf } from '../store/sql.ts';
import { MemoryNetwork, memoryTransport } from '../transport/memory-transport.ts';
import { openAccess } from './access.ts';
import { actorPorts } from './actor-ports.ts';
import { apiDeps } from './api-deps.ts';
import { logLevelOf } from './log-level.ts';
import { openNotifications } from './notifications.ts';
import { Opened } from './opened.ts';
import { createRng } from './random.ts';
import { Readiness } from './readiness.ts';
import { SEALED_PLACES } from './sealed-places.ts';
import { openSecretKeys } from './secret-keys.ts';
import { openTls } from './tls.ts';

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
  /** Of the account `admin`, when this start made it up: to be shown once. */
  readonly adminPassword: Secret | undefined;
  /** Lets what was begun end until `giveUp` fires, hands its shards over, closes everything. */
  stop(giveUp: AbortSignal): Promise<void>;
}

const CLUSTER = 'default';
const SETTINGS_EVERY_MS = 5_000;
const LEASE_POOL = { connectionsMax: 2, applicationName: 'millrace leases' } as const;
/** So many renewals in the lifetime of a lease: two may fail. */
const RENEWALS = 4;
const HTTP_LIMITS = {
  bodyBytesMax: 10_485_760,
  requestsMax: 2_000,
  bufferedBytesMax: 268_435_456,
  connectionsMax: 10_000,
} as const;

export async function startCoordinator(program: CoordinatorProgram): Promise<Coordinator> {
  const opened = new Opened();
  try {
    return await start(program, opened);
  } catch (error) {
    await opened.close().catch(() => undefined);
    throw error;
  }
}

/** What the others are made of, opened first and closed last. */
async function openParts(program: CoordinatorProgram, opened: Opened) {
  const { config, databaseUrl, log } = program;
  const database = await openDatabase({ url: databaseUrl, log });
  opened.add(() => database.close());
  const { sql } = database;
  // Connections of their own, so that renewing leases never waits behind commits.
  const leaseMs = config.leaseMs;
  const leasePool = openPool({ ...LEASE_POOL, statementTimeoutMs: leaseMs / 2, url: databaseUrl });
  opened.add(() => leasePool.end());
  await ensureBuiltins(sql, realClock.nowMs());
  await ensureDiagnostics(sql, undefined, realClock.nowMs());
  const self = `c-${randomUUID()}`;
  const file = config.secretKeyFile;
  const keys = await openSecretKeys({ sql, file, self, places: SEALED_PLACES, log });
  const { seal } = keys;
  opened.add(() => keys.close());
  keys.follow();
  const evaluator = createEvaluator({ threads: Math.max(1, cpus().length - 1) });
  opened.add(() => evaluator.close());
  // Gateway and actors need each other: whoever is opened first is given the other through this.
  const late: { system?: System; httpPort?: number } = {};
  const systemOf = (): System => {
    if (late.system === undefined) throw new AppError('OWNER_UNAVAILABLE', 'the coordinator is starting');
    return late.system;
  };
  const notifications = await openNotifications({
    ...{ sql, seal, self, log, natsUrl: config.natsUrl, token: config.notificationToken },
    system: {
      ask: (to, message, options) => systemOf().ask(to, message, options),
      ownerOf: (to) => systemOf().ownerOf(to),
    },
  });
  const access = openAccess({ config, sql, log });
  const adminPassword = await access.begin(realClock.nowMs());
  opened.add(() => access.close());
  return {
    self,
    access,
    adminPassword,
    database,
    sql,
    leases: leaseStore({ sql: sqlOf(leasePool), ttlMs: leaseMs, isAlone: program.isAlone }),
    seal,
    evaluator,
    plans: new PlanStore(sql),
    ids: idStore(sql),
    contents: new ContentRequests(),
    notifications,
    readiness: new Readiness(),
    late,
    systemOf,
    settings: settingsFollower(log, () => late.system),
  };
}

type Parts = Awaited<ReturnType<typeof openParts>>;

async function openGateway(program: CoordinatorProgram, parts: Parts, opened: Opened): Promise<AgentGateway> {
  const { config, joinToken, log } = program;
  const { self, sql, contents, systemOf } = parts;
  const tls = await openTls({ config, sql, nowMs: realClock.nowMs, log });
  opened.add(async () => tls?.close());
  const gateway = await startGateway({
    listen: addressText(config.grpc),
    joinToken,
    ...(tls === undefined ? {} : { tls: tls.gateway }),
    self,
    system: {
      ask: (to, message, options) => systemOf().ask(to, message, options),
      tell: (to, message, options) => systemOf().tell(to, message, options),
      ownerOf: (to) => systemOf().ownerOf(to),
      coordinators: () => systemOf().coordinators(),
    },
    ensureNode: (hostname) => ensureNode(sql, hostname, realClock.nowMs()),
    saveLogs: (chunks) => saveLogs(sql, chunks),
    contents,
    newSessionId: () => randomUUID(),
    heartbeatMs: pulseOf(config.nodeLostMs).heartbeatMs,
    log,
  });
  opened.add(() => gateway.stop());
  return gateway;
}

async function openTransport({ natsUrl }: Config, log: Logger): Promise<Transport> {
  if (natsUrl === undefined) return memoryTransport(new MemoryNetwork());
  const { natsTransport } = await import('../transport/nats-transport.ts');
  return natsTransport({ url: natsUrl.reveal(), cluster: CLUSTER, log });
}

async function createActors(
  program: CoordinatorProgram,
  parts: Parts,
  gateway: AgentGateway,
): Promise<System> {
  const { config, version, log } = program;
  const { self, database, sql, seal, plans, evaluator, settings, systemOf } = parts;
  const system = createSystem({
    self,
    addresses: {
      // Port 0 is another one once it is listened on, which is before the system starts and tells of it.
      get httpAddress() {
        return httpAddressOf(config, parts.late.httpPort);
      },
      grpcAddress: config.grpcAdvertise === undefined ? gateway.address : addressText(config.grpcAdvertise),
      version,
    },
    actors: [
      schedulerActor,
      nodeActor({ lostAfterMs: config.nodeLostMs }),
      strikeActor,
      scanActor,
      recipeActor,
      jobActor,
      jobRequestActor,
      batchActor,
      diagnosticActor,
      statisticsActor,
      purgeActor,
      retentionActor({ logs: config.keepLogsDays, history: config.keepHistoryDays }),
    ],
    ports: actorPorts({
      sql,
      seal,
      s3Endpoint: program.config.s3Endpoint,
      plans,
      evaluator,
      gateway,
      nowMs: realClock.nowMs,
      applySettings: settings.apply,
      watchQueue: parts.notifications.watchQueue,
      system: { ask: (to, message, options) => systemOf().ask(to, message, options) },
    }),
    apply: commitPort(database.commits),
    ids: parts.ids,
    leases: parts.leases,
    transport: await openTransport(config, log),
    clock: realClock,
    rng: createRng(),
    log,
    limits: { heartbeatMs: config.leaseMs / RENEWALS },
  });
  parts.late.system = system;
  return system;
}

/** Takes part in the cluster. */
async function join(parts: Parts, system: System, opened: Opened): Promise<void> {
  const { sql, settings, notifications } = parts;
  opened.add(() => system.stop());
  await system.start();
  opened.add(() => system.drain());
  opened.add(() => notifications.close());
  const polling = setInterval(() => {
    loadSettings(sql).then(settings.apply, () => undefined);
  }, SETTINGS_EVERY_MS);
  opened.add(async () => clearInterval(polling));
}

function openInterface(program: CoordinatorProgram, parts: Parts, system: System): Promise<HttpServer> {
  const { config, version, log } = program;
  const { diagnosticsImage, s3Endpoint } = config;
  const hasNats = config.natsUrl !== undefined;
  const ids = idBlocks(parts.ids);
  const httpAddress = httpAddressOf(config);
  const httpScheme = schemeOf(config);
  const dispatcher = createDispatcher({
    routes: serviceRoutes(version),
    deps: apiDeps({
      ...parts,
      notifications: parts.notifications.http,
      logins: parts.access.logins,
      openId: config.openId,
      isOpenToAll: parts.access.isOpenToAll,
      system,
      ids,
      version,
      httpAddress,
      httpScheme,
      hasNats,
      diagnosticsImage,
      s3Endpoint,
    }),
    nowMs: realClock.nowMs,
    log,
    hosts: hostsOf(config),
    gate: parts.access.gate,
    ...HTTP_LIMITS,
  });
  const httpTls = config.httpTls === undefined ? {} : { tls: config.httpTls };
  return startServer({
    ...{ ...config.http, ...httpTls, dispatcher, log, ...HTTP_LIMITS },
    newRequestId: requestIds(randomUUID()),
  });
}

/** Where others find its HTTP. `port`: the one that is listened on, once it is. */
function httpAddressOf({ http, httpAdvertise }: Config, port = http.port): string {
  return addressText(httpAdvertise ?? { host: http.host, port });
}

function schemeOf(config: Config): 'http' | 'https' {
  return config.httpTls === undefined ? 'http' : 'https';
}

/** Names that a Host header may hold. All addresses together are no name. */
function hostsOf({ allowedHosts, http, httpAdvertise }: Config): ReadonlySet<string> {
  const listened = http.host === '0.0.0.0' || http.host === '::' ? [] : [http];
  const own = [...listened, ...(httpAdvertise === undefined ? [] : [httpAdvertise])];
  return new Set([...allowedHosts, ...own.map(({ host }) => hostName(host.toLowerCase()))]);
}

/** As a Host header has it. */
function hostName(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

async function start(program: CoordinatorProgram, opened: Opened): Promise<Coordinator> {
  const parts = await openParts(program, opened);
  const gateway = await openGateway(program, parts, opened);
  const system = await createActors(program, parts, gateway);
  const server = await openInterface(program, parts, system);
  opened.add(() => server.stop(AbortSignal.abort()));
  parts.late.httpPort = server.port;
  await join(parts, system, opened);
  return {
    url: `${schemeOf(program.config)}://${addressText({ host: program.config.http.host, port: server.port })}`,
    agentsAddress: gateway.address,
    adminPassword: parts.adminPassword,
    async stop(giveUp) {
      await parts.readiness.hand(program.config.handoverMs, giveUp);
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
