/** All commands as one program: the global options, the help, and the exit codes. */
import { once } from 'node:events';
import { Command, CommanderError, Option } from 'commander';
import { didYouMean } from '../../domain/near-names.ts';
import { addCommands } from '../commands/commands.ts';
import { watchSignals } from '../stopping.ts';
import { HELP_FORM, isLocal, outputOption, type Run } from './command.ts';
import { Context, type GlobalOptions, loadTextOf, NO_SERVICE_CALLED, type Terminal } from './context.ts';
import { EXIT, failureOf, UsageError } from './exit-codes.ts';
import { fileProblem } from './file-problem.ts';
import { wrapFor } from './table.ts';

const SERVICE_OPTIONS = [
  new Option('--server <url>', 'the service; also MILLRACE_SERVER'),
  new Option(
    '--token-file <path>',
    'a file (mode 0600) with an access token; also the variable MILLRACE_TOKEN',
  ),
  new Option('--profile <name>', 'a profile that `millrace login` has made; also MILLRACE_PROFILE'),
  outputOption().default('table'),
  new Option('-q, --quiet', 'no notes beside the result').default(false),
  new Option('-y, --yes', 'answer questions with yes').default(false),
];

/** How long a command may take to end in order after Ctrl-C. */
const DRAIN_MS = 30_000;

/** The whole tree of commands. `run` makes actions of handlers. */
export function commandTree(run: Run, terminal?: Terminal): Command {
  const program = new Command('millrace')
    .description('A distributed file-processing service. `millrace help <command>` has options and examples.')
    .usage('<command> [options]')
    .configureHelp({ ...HELP_FORM, showGlobalOptions: true })
    .helpCommand(false)
    .helpOption('-h, --help', 'options and examples')
    .showHelpAfterError('(add --help for the arguments and examples)')
    .exitOverride();
  if (terminal !== undefined) {
    const { stdout, stderr, version } = terminal;
    program.version(`millrace ${version}`, '-v, --version', 'the version');
    program.configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(wrapFor(stderr, text.replace(/^error: /, 'millrace: '))),
      getOutHelpWidth: () => stdout.columns ?? 100,
      getErrHelpWidth: () => stderr.columns ?? 100,
    });
  }
  for (const option of SERVICE_OPTIONS) program.addOption(option);
  addCommands(program, run);
  // The arguments of subcommands are in the subcommands' own help.
  program.configureHelp({ ...HELP_FORM, subcommandTerm: (command) => command.name() });
  program.on('command:*', ([name = '']: readonly string[]) => {
    const near = didYouMean(
      name,
      program.commands.map((command) => command.name()),
    );
    throw new UsageError(
      `there is no command '${name}'${near === '' ? '; `millrace help` lists them' : near}`,
    );
  });
  return program;
}

/** A command and those below it. */
export function allOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allOf)];
}

/** Runs one command; resolves with its exit code. */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<number> {
  const { stdout, stderr, exit } = terminal;
  const stopping = watchSignals({
    ...{ process: terminal.process, drainMs: DRAIN_MS, exit },
    onSignal: (_signal, isForced) => {
      if (isForced) exit(EXIT.interrupted);
    },
  });
  const onUnwritten = (error: NodeJS.ErrnoException): void => exit(unwrittenCode(error, stderr));
  const onUnsaid = (error: NodeJS.ErrnoException): void =>
    exit(error.code === 'EPIPE' ? EXIT.done : EXIT.failed);
  stdout.on('error', onUnwritten);
  stderr.on('error', onUnsaid);
  let code: number = EXIT.done;
  let context: Context | undefined;
  const program = commandTree(
    (handler) =>
      async (...given) => {
        const command = given.at(-1) as Command;
        if (isLocal(command)) refuseServiceOptions(program, command);
        const options = command.optsWithGlobals() as GlobalOptions;
        const textOf = await loadTextOf(options.output);
        context = new Context(options, terminal, stopping.draining, textOf);
        code = (await handler(context, command.opts(), ...given.slice(0, -2))) ?? EXIT.done;
      },
    terminal,
  );
  const run = async (): Promise<number> => {
    try {
      await program.parseAsync([...args], { from: 'user' });
      return code;
    } catch (error) {
      // Help and version are not failures; the text of anything else has been shown.
      if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
      if (stopping.draining.aborted) return EXIT.interrupted;
      const failure = failureOf(error, context?.calledService ?? NO_SERVICE_CALLED);
      if (failure === undefined) throw error;
      stderr.write(`${wrapFor(stderr, `millrace: ${failure.text}`)}\n`);
      return failure.code;
    }
  };
  try {
    const end = await run();
    // The process exits next: output that a slow reader has not read yet would be lost.
    await Promise.race([Promise.all([flushed(stdout), flushed(stderr)]), aborted(stopping.draining)]);
    if (hasUnwritten(stdout)) return EXIT.interrupted;
    // A failed write may be reported only after the command has ended.
    return stdout.errored && end === EXIT.done ? unwrittenCode(stdout.errored, stderr) : end;
  } finally {
    stopping.dispose();
    stdout.off('error', onUnwritten);
    stderr.off('error', onUnsaid);
  }
}

/** Resolves when all that was written to the stream has left the process, or cannot leave it any more. */
async function flushed(stream: NodeJS.WriteStream): Promise<void> {
  if (!hasUnwritten(stream)) return;
  await new Promise<void>((resolve) => stream.write('', () => resolve()));
}

const hasUnwritten = ({ writableLength, destroyed }: NodeJS.WriteStream): boolean =>
  writableLength > 0 && !destroyed;

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** A reader that is gone (`| head`) is no failure; a full disk is. */
function unwrittenCode(error: NodeJS.ErrnoException, stderr: NodeJS.WriteStream): number {
  if (error.code === 'EPIPE') return EXIT.done;
  stderr.write(`millrace: standard output cannot be written: ${fileProblem(error)}\n`);
  return EXIT.failed;
}

function refuseServiceOptions(program: Command, command: Command): void {
  const given = SERVICE_OPTIONS.filter(
    (option) =>
      program.getOptionValueSource(option.attributeName()) === 'cli' &&
      !command.options.some(({ long }) => long === option.long),
  );
  if (given.length === 0) return;
  const flags = given.map(({ long }) => long).join(', ');
  throw new UsageError(`${flags}: \`millrace ${command.name()}\` calls no service and has no such option`);
}
