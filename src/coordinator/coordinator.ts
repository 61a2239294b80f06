/**
 * Puts one coordinator together: database, evaluator, the gateway to agents, actors and the interface. They are opened
 * in this order and closed in reverse order, and are independent of each other.
 */
import { randomUUID } from 'node:crypto';
import { cpus } from 'node:os';
import { wakingCommits } from '../api/changes/waking-commits.ts';
import { apiDeps } from '../api/deps.ts';
import { serviceRoutes } from '../api/service.ts';
import { idempotencyOf, keyCipher } from '../api/shared/idempotency.ts';
import { CoordinatorWarnings } from '../api/status/coordinator-warnings.ts';
import { Readiness } from '../api/status/readiness.ts';
import { openAccess } from '../auth/access.ts';
import type { Config } from '../config/config.ts';
import { AppError } from '../domain/errors.ts';
import { pulseOf } from '../domain/node/node-state.ts';
import { createEvaluator } from '../evaluator/pool.ts';
import { createDispatcher, type Dispatcher } from '../http/dispatch.ts';
import { type HttpServer, startServer } from '../http/native/server.ts';
import { requestIds } from '../http/request/request-ids.ts';
import { StartingDispatcher } from '../http/starting.ts';
import { createSystem, type System } from '../kernel/mod.ts';
import { addressText } from '../lib/listen-address.ts';
import type { Logger } from '../lib/logger.ts';
import { realClock } from '../lib/real-clock.ts';
import type { Secret } from '../lib/secret.ts';
import { type AgentGateway, startGateway } from '../rpc/agent-gateway.ts';
import { ContentRequests } from '../rpc/content.ts';
import { CoordinatorBus } from '../rpc/coordinator-bus.ts';
import { UploadRequests } from '../rpc/uploads.ts';
import { ensureBuiltins } from '../store/catalog/builtins.ts';
import { RevisionCache } from '../store/catalog/revision-cache.ts';
import { beginEpoch } from '../store/change/ticks.ts';
import { commitPort } from '../store/commit.ts';
import { openDatabase } from '../store/database.ts';
import { ensureDiagnostics } from '../store/diagnostic/type-records.ts';
import { reservePath } from '../store/file/reserved-paths.ts';
import { keyStore } from '../store/idempotency/keys.ts';
import { idBlocks, idStore } from '../store/ids.ts';
import { leaseStore, readClock } from '../store/lease/lease-store.ts';
import { saveLogs } from '../store/log/save.ts';
import { ensureNode } from '../store/node/enrolment.ts';
import { loadSettings } from '../store/scheduler/load.ts';
import { openPool, sqlOf } from '../store/sql/sql.ts';
import { actorDefs } from './actors/actor-defs.ts';
import { actorPorts, type PortParts } from './actors/actor-ports.ts';
import { DatabaseClock } from './database-clock.ts';
import { Disposables } from './disposables.ts';
import { hostsOf, httpAddressOf, placeOf, schemeOf } from './http-address.ts';
import { LargeBodyThread } from './large-bodies/large-body-thread.ts';
import { openObserved } from './monitoring/observed.ts';
import { openNotifications } from './notifications.ts';
import { createRng } from './random.ts';
import { ENCRYPTED_PLACES } from './secrets/encrypted-places.ts';
import { openSecretKeys } from './secrets/secret-keys.ts';
import { openTls } from './secrets/tls.ts';
import { settingsFollower } from './settings-follower.ts';
import { registeringFor, StartUp, untilRunning } from './start-up.ts';
import { openTransport } from './transport.ts';

export interface CoordinatorProgram {
  readonly config: Config;
  readonly version: string;
  /** The URL of the database, which may still be starting. */
  readonly databaseUrl: string | Promise<string>;
  /** True: no other coordinator can be using the database, so the shards of an earlier one are taken over at once. */
  readonly isAlone: boolean;
  readonly joinToken: string;
  readonly log: Logger;
  /** Fires when the program must end: a waiting start gives up. */
  readonly stopping: AbortSignal;
}

export interface Coordinator {
  /** The URL of the interface. */
  readonly url: string;
  /** The address for agents: `host:port`. */
  readonly agentsAddress: string;
  /** The password of the account `admin`, to be shown once, if this start generated it. */
  readonly adminPassword: Secret | undefined;
  /** Lets work in progress end until `giveUp` fires, hands its shards over, closes everything. */
  stop(giveUp: AbortSignal): Promise<void>;
}

const SETTINGS_EVERY_MS = 5_000;
const LEASE_POOL = { connectionsMax: 2, applicationName: 'millrace leases' } as const;
/** Number of renewals in the lifetime of a lease: two may fail. */
const RENEWALS = 4;
const HTTP_LIMITS = {
  requestsMax: 2_000,
  bufferedBytesMax: 268_435_456,
  connectionsMax: 10_000,
} as const;

/**
 * Resolves when the coordinator is ready. Until then its HTTP server answers 503 with what the start waits for. Rejects
 * with AppError SHUTTING_DOWN if the program must end before that.
 */
export async function startCoordinator(program: CoordinatorProgram): Promise<Coordinator> {
  const opened = new Disposables();
  try {
    return await start(program, opened);
  } catch (error) {
    await opened.close().catch(() => undefined);
    throw error;
  }
}

/** Waits for the database, migrates it, and reads its clock. */
async function openStore(program: CoordinatorProgram, opened: Disposables, startUp: StartUp) {
  const { config, log } = program;
  const databaseUrl = await startUp.result('the database', Promise.resolve(program.databaseUrl));
  const database = await startUp.until('the database', () => openDatabase({ url: databaseUrl, log }));
  opened.add(() => database.close());
  const { sql } = database;
  // Connections of their own, so that renewing leases never waits behind commits.
  const leaseMs = config.leaseMs;
  const leasePool = openPool({ ...LEASE_POOL, statementTimeoutMs: leaseMs / 2, url: databaseUrl });
  opened.add(() => leasePool.end());
  const clock = new DatabaseClock();
  const stored = <T>(step: () => Promise<T>) => startUp.until('the database', step);
  await stored(async () => clock.learn(await readClock(sql)));
  await stored(() => beginEpoch(sql));
  const leases = leaseStore({
    ...{ sql: sqlOf(leasePool), ttlMs: leaseMs, isAlone: program.isAlone },
    onClockRead: (reading) => clock.learn(reading),
  });
  return { database, databaseUrl, sql, clock, stored, leases: registeringFor(startUp, leases) };
}

/** Parts that are opened after the parts that need them. */
interface LateParts {
  system?: System;
  gateway?: AgentGateway;
  server?: HttpServer;
  advanceTypeUpdates?: PortParts['advanceTypeUpdates'];
}

/** The parts on which the others are built; opened first and closed last. */
async function openParts(program: CoordinatorProgram, opened: Disposables, startUp: StartUp) {
  const { config, log } = program;
  const { stored, ...store } = await openStore(program, opened, startUp);
  const { sql, clock } = store;
  await stored(() => ensureBuiltins(sql, clock.nowMs()));
  await stored(() => ensureDiagnostics(sql, undefined, clock.nowMs()));
  const self = `c-${randomUUID()}`;
  const file = config.secretKeyFile;
  const keys = await stored(() => openSecretKeys({ sql, file, self, places: ENCRYPTED_PLACES, log }));
  const { encryption } = keys;
  opened.add(() => keys.close());
  keys.follow();
  const evaluator = createEvaluator({ threads: Math.max(1, cpus().length - 1) });
  opened.add(() => evaluator.close());
  // The gateway and the actors need each other, so the first to be opened gets the other through this object.
  const late: LateParts = {};
  const systemOf = (): System => {
    if (late.system === undefined) throw new AppError('OWNER_UNAVAILABLE', 'the coordinator is starting');
    return late.system;
  };
  const notifications = await openNotifications({
    ...{ sql, encryption, self, log, natsUrl: config.natsUrl, token: config.notificationToken },
    system: {
      ask: (to, message, options) => systemOf().ask(to, message, options),
      ownerOf: (to) => systemOf().ownerOf(to),
    },
  });
  const access = openAccess({ config, sql, nowMs: () => clock.nowMs(), log });
  const adminPassword = await stored(() => access.begin(clock.nowMs()));
  opened.add(() => access.close());
  const direct = new CoordinatorBus();
  const bus = await openTransport({ config, direct, system: () => late.system, log });
  const { isOpenToAll } = access;
  const place = placeOf(config, self);
  const { nowMs } = realClock;
  const warnings = new CoordinatorWarnings({ sql, self, place, isOpenToAll, bus, nowMs, log });
  const observed = await openObserved({ ...program, ...store, ...access, self, bus, systemOf, late });
  opened.add(() => observed.close());
  return {
    ...{ self, direct, observed, bus, access, adminPassword, warnings },
    ...store,
    encryption,
    evaluator,
    revisions: new RevisionCache(sql),
    ids: idStore(sql),
    contents: new ContentRequests(),
    uploads: new UploadRequests(),
    uploadBytesMax: config.uploadMibMax * 1_048_576,
    notifications,
    readiness: new Readiness(),
    late,
    systemOf,
    settings: settingsFollower(log, () => late.system),
  };
}

type Parts = Awaited<ReturnType<typeof openParts>>;

async function openGateway(
  program: CoordinatorProgram,
  parts: Parts,
  opened: Disposables,
): Promise<AgentGateway> {
  const { config, joinToken, log } = program;
  const { self, sql, contents, uploads, direct, systemOf, clock } = parts;
  const tls = await openTls({ config, sql, nowMs: realClock.nowMs, log });
  opened.add(async () => tls?.close());
  direct.useTls(tls?.gateway.authority);
  const gateway = await startGateway({
    listen: addressText(config.grpc),
    joinToken,
    ...(tls === undefined ? {} : { tls: tls.gateway }),
    self,
    system: {
      ask: (to, message, options) => systemOf().ask(to, message, options),
      tell: (to, message) => systemOf().tell(to, message),
      ownerOf: (to) => systemOf().ownerOf(to),
      coordinators: () => systemOf().coordinators(),
    },
    bus: direct,
    ensureNode: (hostname) => ensureNode(sql, hostname, clock.nowMs()),
    saveLogs: (chunks) => saveLogs(sql, chunks),
    reservePath: (request) => reservePath(sql, request),
    contents,
    uploads,
    newSessionId: () => randomUUID(),
    nowMs: () => clock.nowMs(),
    heartbeatMs: pulseOf(config.nodeLostMs).heartbeatMs,
    log,
  });
  parts.late.gateway = gateway;
  opened.add(() => gateway.stop());
  return gateway;
}

async function createActors(
  program: CoordinatorProgram,
  parts: Parts,
  gateway: AgentGateway,
): Promise<System> {
  const { config, version, log } = program;
  const { self, database, sql, encryption, revisions, evaluator, settings, systemOf } = parts;
  const system = createSystem({
    self,
    addresses: {
      // Port 0 is replaced by the actual port when the server listens, which is before the system starts and announces
      // the address.
      get httpAddress() {
        return httpAddressOf(config, parts.late.server?.port);
      },
      grpcAddress: config.grpcAdvertise === undefined ? gateway.address : addressText(config.grpcAdvertise),
      version,
      busKey: parts.direct.key,
    },
    actors: actorDefs(config),
    ports: actorPorts({
      ...{ sql, log, encryption, ids: parts.ids },
      s3Endpoint: program.config.s3Endpoint,
      revisions,
      evaluator,
      gateway,
      nowMs: () => parts.clock.nowMs(),
      advanceTypeUpdates: async (nowMs) => (await parts.late.advanceTypeUpdates?.(nowMs)) ?? false,
      applySettings: settings.apply,
      tracing: parts.observed.tracing,
      watchQueue: parts.notifications.watchQueue,
      system: { ask: (to, message, options) => systemOf().ask(to, message, options) },
    }),
    apply: wakingCommits(parts.observed.watched(commitPort(database.commits)), systemOf),
    ids: parts.ids,
    leases: parts.leases,
    transport: parts.bus.transport,
    clock: parts.clock,
    rng: createRng(),
    log,
    limits: { heartbeatMs: config.leaseMs / RENEWALS },
  });
  parts.late.system = system;
  return system;
}

/** Joins the cluster. */
async function join(parts: Parts, system: System, opened: Disposables, startUp: StartUp): Promise<void> {
  const { sql, settings, notifications, warnings } = parts;
  opened.add(() => system.stop());
  await system.start();
  opened.add(() => system.drain());
  opened.add(() => notifications.close());
  await untilRunning(startUp, system);
  opened.add(() => warnings.close());
  warnings.follow();
  const polling = setInterval(() => {
    loadSettings(sql).then(settings.apply, () => undefined);
  }, SETTINGS_EVERY_MS);
  opened.add(async () => clearInterval(polling));
}

function createInterface(
  program: CoordinatorProgram,
  parts: Parts,
  system: System,
  opened: Disposables,
): Dispatcher {
  const { config, version, log } = program;
  const { databaseUrl, self } = parts;
  const { diagnosticsImage, s3Endpoint } = config;
  const ids = idBlocks(parts.ids, () => system.heldShards());
  const httpAddress = httpAddressOf(config);
  const cipher = keyCipher(parts.encryption);
  const largeBodies = new LargeBodyThread({ databaseUrl, self, ids, system, cipher, log });
  parts.late.advanceTypeUpdates = (nowMs) => largeBodies.advanceTypeUpdates(nowMs);
  opened.add(() => largeBodies.close());
  return createDispatcher({
    largeBodies,
    routes: serviceRoutes(version),
    deps: apiDeps({
      ...parts,
      notifications: parts.notifications.http,
      ...parts.access,
      openId: config.openId,
      metrics: parts.observed.metrics,
      metricsToken: config.metricsToken,
      log,
      ...{ system, ids, version, httpAddress },
      httpScheme: schemeOf(config),
      hasNats: config.natsUrl !== undefined,
      diagnosticsImage,
      s3Endpoint,
    }),
    nowMs: () => parts.clock.nowMs(),
    log,
    hosts: hostsOf(config),
    origins: new Set(config.allowedOrigins),
    authFilter: parts.access.authFilter,
    idempotency: idempotencyOf({ keys: keyStore(parts.sql, self), cipher }),
    ...HTTP_LIMITS,
  });
}

/** Listens from the start, so that `/v6/ready/` can report what the start waits for. */
function listen({ config, log }: CoordinatorProgram, dispatcher: Dispatcher): Promise<HttpServer> {
  const httpTls = config.httpTls === undefined ? {} : { tls: config.httpTls };
  return startServer({
    ...{ ...config.http, ...httpTls, dispatcher, log, ...HTTP_LIMITS },
    newRequestId: requestIds(randomUUID()),
  });
}

async function start(program: CoordinatorProgram, opened: Disposables): Promise<Coordinator> {
  const startUp = new StartUp({ ...program, clock: realClock });
  const starting = new StartingDispatcher(() => startUp.reason);
  const server = await listen(program, starting);
  opened.add(() => server.stop(AbortSignal.abort()));
  const parts = await openParts(program, opened, startUp);
  const gateway = await openGateway(program, parts, opened);
  const system = await createActors(program, parts, gateway);
  parts.late.server = server;
  const dispatcher = createInterface(program, parts, system, opened);
  await join(parts, system, opened, startUp);
  starting.open(dispatcher);
  return {
    url: `${schemeOf(program.config)}://${addressText({ host: program.config.http.host, port: server.port })}`,
    agentsAddress: gateway.address,
    adminPassword: parts.adminPassword,
    async stop(giveUp) {
      await parts.readiness.hand(program.config.handoverMs, giveUp);
      parts.access.streams.stop();
      await server.stop(giveUp);
      await opened.close();
    },
  };
}
