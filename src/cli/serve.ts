/** `millrace up`, `coordinator` and `agent`: service programs, which run until a signal ends them. */
import { resolve } from 'node:path';
import { type Command, parseConfig } from '../config/config.ts';
import { AppError } from '../domain/errors.ts';
import { isDiskFull } from '../lib/disk-space.ts';
import type { Secret } from '../lib/secret.ts';
import { createLogger } from '../observe/log.ts';
import type { Terminal } from './frame/context.ts';
import { programOf } from './programs.ts';
import { watchSignals } from './stopping.ts';

/** `args`: flags of settings. Resolves with the exit code: 0 ended in order, 1 failed, 2 wrong settings. */
export async function serve(command: Command, args: readonly string[], terminal: Terminal): Promise<number> {
  const { env, process, stdout, stderr } = terminal;
  const problem = (kind: string, path: string, description: string): void => {
    stderr.write(`millrace: ${kind}: ${path}: ${description}\n`);
  };
  const checked = parseConfig(command, env, args);
  for (const { path, description } of checked.warnings) problem('warning', path, description);
  if (!checked.ok) {
    for (const { path, description } of checked.errors) problem('error', path, description);
    return 2;
  }
  const config = checked.value;
  const log = createLogger({ level: config.logLevel, name: `millrace-${command}` });
  const stopping = watchSignals({
    process,
    drainMs: config.drainMs,
    exit: terminal.exit,
    onSignal: (signal, isForced) => log.info(isForced ? 'stopping_at_once' : 'draining', { signal }),
  });
  try {
    const programs = await terminal.load();
    const { draining, forced } = stopping;
    const ready = (url: string) => void stdout.write(`ready ${url}\n`);
    const firstPassword = (password: Secret) =>
      void stdout.write(
        `admin password ${password.reveal()} (shown this once; the account is called admin)\n`,
      );
    await programOf(programs, command)(config, { log, draining, forced, firstPassword, ready });
    return 0;
  } catch (error) {
    if (stopping.draining.aborted && isDiskFull(error)) return 0; // it was still waiting for room
    log.fatal('stopped_by_error', { error });
    // An expected failure is shown to the operator as a sentence, without a stack.
    const sentence =
      error instanceof AppError ? error.message : await dataFolderProblem(config.dataDir, error);
    if (sentence !== undefined) stderr.write(`millrace: ${sentence}\n`);
    return 1;
  } finally {
    stopping.dispose();
  }
}

/** What is wrong with the data folder, if a call for a path in it has failed and the folder is not usable. */
async function dataFolderProblem(dataDir: string, error: unknown): Promise<string | undefined> {
  const { path } = error as NodeJS.ErrnoException;
  if (typeof path !== 'string' || !`${resolve(path)}/`.startsWith(`${resolve(dataDir)}/`)) return undefined;
  const { dataFolder } = await import('./doctor/host.ts');
  const { verdict, found, help } = await dataFolder(dataDir);
  return verdict === 'no' ? `the data folder: ${found}; ${help}` : undefined;
}
