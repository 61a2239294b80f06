/**
 * One run of the `millrace` program: selects the command, its settings, its signals and its exit code. The composition
 * root does the work; it is loaded only when a command runs.
 */
import type { EventEmitter } from 'node:events';
import { type Command, parseConfig } from '../config/config.ts';
import { AppError } from '../domain/errors.ts';
import { didYouMean } from '../domain/near-names.ts';
import type { Problem } from '../domain/validation.ts';
import { isDiskFull } from '../lib/disk-space.ts';
import type { Secret } from '../lib/secret.ts';
import { createLogger } from '../observe/log.ts';
import { runCertificates } from './certificates.ts';
import { helpText } from './help.ts';
import { type Programs, programOf } from './programs.ts';
import { watchSignals } from './stopping.ts';

export interface CommandLine {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly load: () => Promise<Programs>;
  readonly process: Pick<EventEmitter, 'on' | 'off'>;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly exit: (code: number) => void;
}

const COMMANDS: readonly string[] = ['up', 'coordinator', 'agent'] satisfies Command[];
const ALL_COMMANDS = [...COMMANDS, 'certificates', 'rotate-key', 'user', 'token', 'help', 'version'];

/** The exit code: 0 ended in order, 1 failed, 2 called wrongly. */
export async function runCommand(line: CommandLine): Promise<number> {
  const [name = 'help', ...rest] = line.args;
  if (['help', '--help', '-h'].includes(name)) {
    line.stdout(helpText());
    return 0;
  }
  if (['version', '--version', '-v'].includes(name)) {
    line.stdout(`millrace ${line.version}\n`);
    return 0;
  }
  if (name === 'certificates') {
    return runCertificates({ args: rest, nowMs: Date.now(), stdout: line.stdout, stderr: line.stderr });
  }
  if (name === 'rotate-key') {
    // Loads the store, which takes time.
    const { runRotateKey } = await import('./rotate-key.ts');
    const { env, stdout, stderr } = line;
    const log = createLogger({ level: 'warn', name: 'millrace-rotate-key' });
    return runRotateKey({ args: rest, env, log, stdout, stderr });
  }
  if (name === 'user' || name === 'token') {
    const { runAccounts } = await import('./accounts.ts');
    const { env, stdout, stderr } = line;
    const log = createLogger({ level: 'error', name: `millrace-${name}` });
    return runAccounts({ command: name, args: rest, env, log, nowMs: Date.now(), stdout, stderr });
  }
  if (!COMMANDS.includes(name)) {
    const near = didYouMean(name, ALL_COMMANDS);
    line.stderr(
      `millrace: there is no command '${name}'${near === '' ? '; `millrace help` lists them' : near}\n`,
    );
    return 2;
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    line.stdout(helpText());
    return 0;
  }
  return serve(name as Command, rest, line);
}

async function serve(command: Command, args: readonly string[], line: CommandLine): Promise<number> {
  const checked = parseConfig(command, line.env, args);
  line.stderr(checked.warnings.map((problem) => describe('warning', problem)).join(''));
  if (!checked.ok) {
    line.stderr(checked.errors.map((problem) => describe('error', problem)).join(''));
    return 2;
  }
  const config = checked.value;
  const log = createLogger({ level: config.logLevel, name: `millrace-${command}` });
  const stopping = watchSignals({
    process: line.process,
    drainMs: config.drainMs,
    exit: line.exit,
    onSignal: (signal, isForced) => log.info(isForced ? 'stopping at once' : 'draining', { signal }),
  });
  try {
    const programs = await line.load();
    const { draining, forced } = stopping;
    const ready = (url: string) => line.stdout(`ready ${url}\n`);
    const firstPassword = (password: Secret) =>
      line.stdout(`admin password ${password.reveal()} (shown this once; the account is called admin)\n`);
    await programOf(programs, command)(config, { log, draining, forced, firstPassword, ready });
    return 0;
  } catch (error) {
    if (stopping.draining.aborted && isDiskFull(error)) return 0; // it was still waiting for room
    log.fatal('stopped by an error', { error });
    // An expected failure is for the operator: its sentence, without a stack.
    if (error instanceof AppError) line.stderr(`millrace: ${error.message}\n`);
    return 1;
  } finally {
    stopping.dispose();
  }
}

function describe(kind: string, problem: Problem): string {
  return `millrace: ${kind}: ${problem.path}: ${problem.description}\n`;
}
