/** `millrace watch DIR --run SCRIPT --into DIR`: checks the line, finds or starts a service, and ends in order. */
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { Contact } from '../../client/contact.ts';
import { RefusedError } from '../../client/errors.ts';
import { AppError } from '../../domain/errors.ts';
import { shellWord } from '../../domain/manifest/shell-word.ts';
import { addressText, calledAddress, parseAddress } from '../../lib/listen-address.ts';
import { requireWrite } from '../frame/change.ts';
import { type Connection, clientOf, resolveConnection } from '../frame/connection.ts';
import type { Context } from '../frame/context.ts';
import { NotPermittedError, UsageError } from '../frame/exit-codes.ts';
import { type Screen, WatchDisplay } from './display.ts';
import { checkLine, type WatchLine, type WatchOptions } from './line.ts';
import { isServed, requireService } from './probe.ts';
import { type Removed, removeMarkers } from './remove.ts';
import { DEFAULT_ADDRESS, isOfThisMachine, type OwnService, startService } from './service.ts';
import { watch } from './watch.ts';

export interface WatchCall
  extends Partial<Pick<WatchOptions, 'run' | 'into'>>,
    Omit<WatchOptions, 'run' | 'into' | 'shell'> {
  readonly dataDir?: string;
}

/** Directories in which the process executor looks for programs. */
const PROGRAM_DIRECTORIES = ['/usr/local/bin', '/usr/bin', '/bin'];

/** Resolves once Ctrl-C has ended the watch in order. Throws UsageError for a wrong line, else as the client does. */
export async function runWatch(
  context: Context,
  call: WatchCall,
  directory: string | undefined,
  others: readonly string[],
): Promise<void> {
  if (others.length > 0) {
    throw new UsageError(
      `too many arguments: ${others.slice(0, ARGUMENTS_SHOWN).join(' ')}. One directory is watched; a pattern ` +
        "needs single quotes (--match '*.txt'), or your shell replaces it by names of files",
      SEE_HELP,
    );
  }
  if (context.options.output !== 'table') {
    throw new UsageError(
      '-o: a watch shows lines; `millrace changes --follow -o json` has what programs read',
    );
  }
  const missing = [
    ...(directory === undefined ? ['directory: which one?'] : []),
    ...(call.run === undefined ? ['--run: which script?'] : []),
    ...(call.into === undefined ? ['--into: where do its products go?'] : []),
  ];
  if (directory === undefined || call.run === undefined || call.into === undefined) {
    throw new UsageError(...missing, SEE_HELP);
  }
  const named = await context.connection();
  const problem = named.isNamed ? serverProblem(named.server) : undefined;
  if (problem !== undefined) throw new UsageError(problem, SEE_HELP);
  clientOf(named);
  const shell = shellOfTasks();
  const options: WatchOptions = { ...call, run: call.run, into: call.into, shell };
  const { line, problems } = await checkLine(directory, options, context.terminal.cwd);
  if (line === undefined) {
    throw new UsageError(...problems.map(({ path, description }) => `${path}: ${description}`), SEE_HELP);
  }
  await run(context, call, line, named);
}

/** The path of the shell for tasks: bash, else sh. */
function shellOfTasks(): string {
  const paths = ['bash', 'sh'].flatMap((name) => PROGRAM_DIRECTORIES.map((folder) => join(folder, name)));
  return paths.find((path) => existsSync(path)) ?? '/bin/sh';
}

/** limit: words of a line with too many that are shown. */
const ARGUMENTS_SHOWN = 3;
const SEE_HELP = '`millrace watch --help` shows how it is used';

function serverProblem(server: string): string | undefined {
  if (!URL.canParse(server) || !/^https?:$/.test(new URL(server).protocol)) {
    return '--server: is no address such as http://127.0.0.1:8080';
  }
  if (isOfThisMachine(server)) return undefined;
  return (
    `--server: ${new URL(server).host} is another machine, which has other directories. Run this there; or leave ` +
    '--server, MILLRACE_SERVER and profiles away, and a service is started here'
  );
}

async function run(context: Context, call: WatchCall, line: WatchLine, named: Connection): Promise<void> {
  const display = new WatchDisplay(screenOf(context));
  let own: OwnService | undefined;
  let removed: Removed | undefined;
  try {
    const used = await serviceOf(context, call.dataDir, named, display).catch((error: unknown) => {
      if (!context.signal.aborted) throw error;
    });
    // Ctrl-C has ended it before it had begun.
    if (used === undefined) return;
    own = used.own;
    const stopped = new AbortController();
    const { logFile } = own ?? {};
    void own?.ended.then(() => {
      stopped.abort(
        new AppError(
          'SHUTTING_DOWN',
          `the service has ended by itself; the same line starts it again. Its log: ${logFile}`,
        ),
      );
    });
    const signal = AbortSignal.any([context.signal, stopped.signal]);
    const connection = await context.connectionTo({ ...context.options, server: used.url });
    const client = clientOf(connection);
    const patientClient = clientOf(connection, undefined, { retryForMs: Number.POSITIVE_INFINITY });
    const contact = contactOf(context, display, own?.dataDir);
    try {
      await requireWrite(client, connection, context.signal);
      const onStandstill = (note: string): void => {
        display.say(note);
        if (own !== undefined) void noteFullDisk(own.dataDir, display);
      };
      const typed = await commandsFor(context, connection.server, own !== undefined);
      removed = await watch({ client, patientClient, contact, line, typed, display, signal, onStandstill });
    } catch (error) {
      // A service that has ended cannot be reached either. The reason for its end is the better message.
      throw stopped.signal.aborted ? stopped.signal.reason : withLoginHelp(error, connection, own);
    }
    if (stopped.signal.aborted) throw stopped.signal.reason;
    if (removed === undefined) display.say('paused; the same line continues');
    else display.say(`removed; files and products stay`);
  } finally {
    display.end();
    await own?.stop();
    if (removed !== undefined) await removeMarkers(removed.markers, own !== undefined);
  }
}

/** Makes commands as they are typed in the same shell to call the service at `server`. */
async function commandsFor(
  { terminal: { env } }: Context,
  server: string,
  isOwn: boolean,
): Promise<(command: string) => string> {
  const usual = await resolveConnection({}, env);
  const option = usual.server === server ? '' : ` --server ${server}`;
  // Its own service ends with it.
  const where = isOwn ? ' in another terminal' : '';
  return (command) => `\`millrace ${command}${option}\`${where}`;
}

/**
 * Adds what to do about a service that demands a login. A service that the line has started ends with the line, so
 * nobody could log in there: the advice is to create a token in its database.
 */
function withLoginHelp(
  error: unknown,
  { server, tokenFrom }: Connection,
  own: OwnService | undefined,
): unknown {
  if (own === undefined || !(error instanceof RefusedError) || error.status !== 401) return error;
  const cause =
    tokenFrom === undefined
      ? `the service at ${server} demands a login (MILLRACE_HTTP, MILLRACE_AUTH)`
      : `the service at ${server} does not accept the token of ${tokenFrom}`;
  const folder = shellWord(own.dataDir);
  const create = `millrace token create admin --scope write --data-dir ${folder}`;
  return new NotPermittedError(
    `${cause}\n  make a token, and type the line again:  export MILLRACE_TOKEN="$(${create} | cut -d' ' -f3)"`,
  );
}

/**
 * Shows notes through the display: written directly, they would break the line of counts on a terminal. `dataDir`: the
 * data folder of a service that the line has started.
 */
function contactOf(context: Context, display: WatchDisplay, dataDir: string | undefined): Contact {
  return new Contact({
    onLost: (error) => {
      display.say(`note: ${context.lostText(error)}`);
      if (dataDir !== undefined) void noteFullDisk(dataDir, display);
    },
    onBack: () => display.say(`note: ${context.backText}`),
  });
}

/** The embedded database writes its log in files of 16 MiB, and stops when one does not fit. */
const DATABASE_MIB_MIN = 32;

/** Returns whether there was something to say. */
async function noteFullDisk(dataDir: string, display: WatchDisplay): Promise<boolean> {
  const text = await fullDiskText(dataDir);
  if (text !== undefined) display.say(`note: ${text}`);
  return text !== undefined;
}

async function fullDiskText(dataDir: string): Promise<string | undefined> {
  const disk = await statfs(dataDir).catch(() => undefined);
  if (disk === undefined) return `its data folder ${dataDir} cannot be read`;
  const freeMib = Math.floor((disk.bavail * disk.bsize) / 1_048_576);
  if (freeMib >= DATABASE_MIB_MIN) return undefined;
  return `the disk of ${dataDir} is full (${freeMib} MiB are free): its database needs room to work`;
}

function screenOf({ terminal: { stdout }, hasScreen, hasColor }: Context): Screen {
  return {
    write: (text) => void stdout.write(text),
    ...{ isTerminal: hasScreen, hasColor },
    columns: () => stdout.columns,
  };
}

async function serviceOf(
  { terminal: { env, program, cwd }, signal }: Context,
  dataDir: string | undefined,
  { isNamed, server }: Connection,
  display: WatchDisplay,
): Promise<{ url: string; own?: OwnService }> {
  const say = (said: string): void => display.say(said);
  if (isNamed) {
    await requireService(server, say, signal);
    return { url: server };
  }
  const address = env.MILLRACE_HTTP ?? DEFAULT_ADDRESS;
  const listened = parseAddress(address);
  const called = listened === undefined ? address : addressText(calledAddress(listened));
  for (const usual of [`http://${called}`, `https://${called}`]) {
    if (!(await isServed(usual, say, signal))) continue;
    say(`using the service at ${usual}`);
    return { url: usual };
  }
  const isAddressTaken = await isTaken(address);
  if (isAddressTaken) say(`another program has ${called}: the service gets another address`);
  say('starting a service ...');
  const folder = resolve(cwd, dataDir ?? env.MILLRACE_DATA_DIR ?? '.millrace');
  // A service that starts waits for room on its disk, and says so in its log alone.
  let isNoted = false;
  const note = async (): Promise<void> => {
    if (!isNoted) isNoted = await noteFullDisk(folder, display);
  };
  const late = setInterval(note, LATE_MS);
  try {
    const own = await startService({
      ...{ program, env, signal, dataDir: folder, onSaid: say },
      http: isAddressTaken ? '127.0.0.1:0' : address,
    });
    say(`the service is at ${own.url}`);
    // A database that was ended in order has room for its first changes, so it starts on a full disk.
    await note();
    return { url: own.url, own };
  } finally {
    clearInterval(late);
  }
}

/** Between looks at the disk; most starts have ended by the first. */
const LATE_MS = 8_000;

/** Whether a program listens at the address. An invalid address is refused later, by the service that is started. */
async function isTaken(text: string): Promise<boolean> {
  const address = parseAddress(text);
  if (address === undefined) return false;
  return new Promise((resolve) => {
    const socket = connect(address);
    const end = (isThere: boolean): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}
