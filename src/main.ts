/**
 * The composition root: settings in, programs that serve until they are told to stop. `up` is a coordinator and an
 * agent in one process on an embedded database: the same code paths as on many hosts.
 */

import { joinTokenOf } from './app/join-token.ts';
import type { Program } from './cli/programs.ts';
import { readVersion } from './cli/version.ts';
import { addressText } from './config.ts';
import { AppError } from './domain/errors.ts';
import { keepEmbedded } from './embedded/keep.ts';

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
  return Promise.all([import('./app/coordinator.ts'), import('./app/agent.ts')]);
}

export const runUp: Program = async (config, context) => {
  const { log } = context;
  const joinToken = await joinTokenOf(config);
  // Loaded while the database starts; what keeps it from being loaded is thrown where it is needed.
  const onLaunch = () => void loadBoth().catch(() => undefined);
  const embedded =
    config.databaseUrl === undefined
      ? await keepEmbedded({ dataDir: config.dataDir, log, onLaunch })
      : undefined;
  try {
    const databaseUrl = embedded?.url ?? config.databaseUrl?.reveal() ?? '';
    const version = readVersion();
    const isAlone = embedded !== undefined; // its folder is locked by this process
    const [{ startCoordinator }, { startAgentProgram }] = await loadBoth();
    const coordinator = await startCoordinator({ config, version, databaseUrl, isAlone, joinToken, log });
    try {
      if (coordinator.adminPassword !== undefined) context.firstPassword(coordinator.adminPassword);
      const addresses = [coordinator.agentsAddress];
      const agent = await startAgentProgram({ config, version, addresses, joinToken, log });
      context.ready(`${coordinator.url}/`);
      await untilAborted(context.draining);
      // What runs goes on without us, and is adopted by the next start.
      await agent.stop();
    } finally {
      await coordinator.stop(context.forced);
    }
  } finally {
    await embedded?.stop();
  }
};

export const runCoordinator: Program = async (config, context) => {
  const { log } = context;
  if (config.databaseUrl === undefined) throw new AppError('INVALID_SETTINGS', 'DATABASE_URL is not set');
  const databaseUrl = config.databaseUrl.reveal();
  const joinToken = await joinTokenOf(config);
  const version = readVersion();
  const { startCoordinator } = await import('./app/coordinator.ts');
  const coordinator = await startCoordinator({
    config,
    version,
    databaseUrl,
    isAlone: false,
    joinToken,
    log,
  });
  if (coordinator.adminPassword !== undefined) context.firstPassword(coordinator.adminPassword);
  context.ready(`${coordinator.url}/`);
  await untilAborted(context.draining);
  await coordinator.stop(context.forced);
};

export const runAgent: Program = async (config, context) => {
  const { log } = context;
  const joinToken = await joinTokenOf(config);
  const addresses = config.coordinators.map(addressText);
  const { startAgentProgram } = await import('./app/agent.ts');
  const agent = await startAgentProgram({ config, version: readVersion(), addresses, joinToken, log });
  context.ready(`agent ${agent.nodeName}`);
  await untilAborted(context.draining);
  await agent.stop({ drain: false });
};
