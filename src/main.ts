/**
 * The composition root: settings in, programs that serve until they get a signal to stop. `up` is a coordinator and an
 * agent in one process on an embedded database: the same code paths as on many hosts.
 */

import type { Program, RunContext } from './cli/programs.ts';
import { readVersion } from './cli/version.ts';
import type { Config } from './config/config.ts';
import { joinTokenOf } from './coordinator/secrets/join-token.ts';
import { AppError } from './domain/errors.ts';
import { keepEmbedded } from './embedded/keep.ts';
import { whenDiskHasRoom } from './lib/disk-space.ts';
import { addressText } from './lib/listen-address.ts';

const KEEP_ALIVE_MS = 3_600_000;

/** Waits, and keeps the process alive meanwhile: an agent between two sessions has nothing else that would. */
function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const alive = setInterval(() => undefined, KEEP_ALIVE_MS);
    const end = (): void => {
      clearInterval(alive);
      resolve();
    };
    signal.addEventListener('abort', end, { once: true });
  });
}

function loadBoth() {
  return Promise.all([import('./coordinator/coordinator.ts'), import('./coordinator/agent.ts')]);
}

/** A start that meets a full disk waits for space, until it gets a signal to stop. */
function whenRoom<T>(what: string, config: Config, context: RunContext, work: () => Promise<T>): Promise<T> {
  const { log, draining: signal } = context;
  return whenDiskHasRoom({ what, folder: config.dataDir, log, signal }, work);
}

function tokenOf(config: Config, context: RunContext): Promise<string> {
  return whenRoom('the join token', config, context, () => joinTokenOf(config));
}

/** A start that was given up because of a signal to stop counts as an orderly end. */
async function unlessDraining(draining: AbortSignal, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    const isGivenUp = error instanceof AppError && error.code === 'SHUTTING_DOWN';
    if (!isGivenUp || !draining.aborted) throw error;
  }
}

export const runUp: Program = async (config, context) => {
  const joinToken = await tokenOf(config, context);
  const { log, draining } = context;
  if (config.databaseUrl !== undefined) {
    const databaseUrl = Promise.resolve(config.databaseUrl.reveal());
    return unlessDraining(draining, serveBoth(config, context, { databaseUrl, joinToken, isAlone: false }));
  }
  const launched = Promise.withResolvers<void>();
  const onLaunch = (): void => {
    launched.resolve();
    // Loaded while the database starts; what keeps it from being loaded is thrown where it is needed.
    void loadBoth().catch(() => undefined);
  };
  const starting = whenRoom('the embedded database', config, context, () =>
    keepEmbedded({ dataDir: config.dataDir, log, onLaunch, signal: draining }),
  );
  starting.catch(() => undefined); // thrown where it is waited for
  try {
    // A folder that cannot be used is reported before an address that cannot.
    await Promise.race([launched.promise, starting]);
    const databaseUrl = starting.then(({ url }) => url);
    // Its folder is locked by this process.
    await unlessDraining(draining, serveBoth(config, context, { databaseUrl, joinToken, isAlone: true }));
  } finally {
    const embedded = await starting.catch(() => undefined);
    await embedded?.stop();
  }
};

interface Foundation {
  readonly databaseUrl: Promise<string>;
  readonly joinToken: string;
  readonly isAlone: boolean;
}

/** A coordinator and an agent, until they get a signal to stop. */
async function serveBoth(config: Config, context: RunContext, foundation: Foundation): Promise<void> {
  const { log, draining: stopping } = context;
  foundation.databaseUrl.catch(() => undefined); // thrown where it is waited for
  const version = readVersion();
  const [{ startCoordinator }, { startAgentProgram }] = await loadBoth();
  const coordinator = await startCoordinator({ ...foundation, config, version, log, stopping });
  try {
    if (coordinator.adminPassword !== undefined) context.firstPassword(coordinator.adminPassword);
    const addresses = [coordinator.agentsAddress];
    const { joinToken } = foundation;
    const agent = await startAgentProgram({ config, version, addresses, joinToken, log, stopping });
    context.ready(`${coordinator.url}/`);
    await untilAborted(stopping);
    // What runs continues without us, and is adopted by the next start.
    await agent.stop();
  } finally {
    await coordinator.stop(context.forced);
  }
}

export const runCoordinator: Program = async (config, context) => {
  if (config.databaseUrl === undefined) throw new AppError('INVALID_SETTINGS', 'DATABASE_URL is not set');
  await unlessDraining(context.draining, serveCoordinator(config, context, config.databaseUrl.reveal()));
};

async function serveCoordinator(config: Config, context: RunContext, databaseUrl: string): Promise<void> {
  const { log, draining: stopping } = context;
  const joinToken = await tokenOf(config, context);
  const version = readVersion();
  const { startCoordinator } = await import('./coordinator/coordinator.ts');
  const program = { config, version, databaseUrl, isAlone: false, joinToken, log, stopping };
  const coordinator = await startCoordinator(program);
  if (coordinator.adminPassword !== undefined) context.firstPassword(coordinator.adminPassword);
  context.ready(`${coordinator.url}/`);
  await untilAborted(stopping);
  await coordinator.stop(context.forced);
}

export const runAgent: Program = async (config, context) => {
  const { log, draining: stopping } = context;
  const joinToken = await tokenOf(config, context);
  const addresses = config.coordinators.map(addressText);
  const { startAgentProgram } = await import('./coordinator/agent.ts');
  const version = readVersion();
  const agent = await startAgentProgram({ config, version, addresses, joinToken, log, stopping });
  // No coordinator may be there for a while: it is ready with its first session.
  await Promise.race([agent.welcomed, untilAborted(stopping)]);
  if (!stopping.aborted) context.ready(`agent ${agent.nodeName}`);
  await untilAborted(stopping);
  await agent.stop({ drain: false });
};
