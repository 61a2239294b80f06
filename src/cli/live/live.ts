/** Shows a command's output again and again: full-screen on a terminal, elsewhere each time that it differs. */
import { type ClientError, RefusedError, UnreachableError } from '../../client/errors.ts';
import type { Handler } from '../frame/command.ts';
import { Context } from '../frame/context.ts';
import { causeText } from '../frame/refusal.ts';
import { Screen } from './screen.ts';

/** The time from the end of one run to the next. */
const EVERY_MS = 2_000;
const FOOT = 'q or Ctrl-C ends';
const CTRL_C = '\u0003';

/** The option of commands whose handler is `repeatable`. */
export const WATCH = ['-w, --watch', 'show it again every two seconds, until Ctrl-C'] as const;

/** A handler that shows something once, and with `--watch` again and again. */
export function repeatable(show: Handler): Handler {
  return (context, options, ...args) =>
    options.watch === true
      ? showLive(context, (frame) => show(frame, options, ...args))
      : show(context, options, ...args);
}

/** Resolves when the person ends it; rejects with the service's refusal. */
export async function showLive(context: Context, show: (frame: Context) => Promise<unknown>): Promise<void> {
  const { stdout } = context.terminal;
  await context.connection();
  const person = watchPerson(context);
  const screen = context.hasScreen ? new Screen(stdout) : undefined;
  let last = '';
  try {
    // poll: the figures of a service change all the time, and there is no event to wait for.
    for (;;) {
      const { text, failure } = await frameOf(context, show, person.signal);
      if (person.signal.aborted) break;
      if (screen !== undefined) {
        screen.draw(text.trimEnd().split('\n'), FOOT);
        last = text;
      } else if (failure !== undefined) context.onLost(failure);
      else {
        context.onBack();
        if (text !== last) stdout.write(text);
        last = text;
      }
      await person.pause(EVERY_MS);
      if (person.signal.aborted) break;
    }
  } finally {
    screen?.close();
    person.leave();
  }
  if (screen !== undefined) stdout.write(last);
}

/** The output of one run as a text; while no service answers, a text that says so. */
async function frameOf(
  context: Context,
  show: (frame: Context) => Promise<unknown>,
  signal: AbortSignal,
): Promise<{ text: string; failure: ClientError | undefined }> {
  let text = '';
  const capture = (stream: NodeJS.WriteStream): NodeJS.WriteStream =>
    Object.create(stream, {
      write: {
        value: (piece: string | Uint8Array) => {
          text += typeof piece === 'string' ? piece : Buffer.from(piece).toString('utf8');
          return true;
        },
      },
    });
  const { terminal, options } = context;
  const captured = { ...terminal, stdout: capture(terminal.stdout), stderr: capture(terminal.stderr) };
  // Notes about lost connections are not shown, because the next run comes soon.
  const frame = new Context({ ...options, quiet: true }, captured, signal, context.textOf);
  try {
    await show(frame);
    return { text, failure: undefined };
  } catch (error) {
    if (signal.aborted) return { text: '', failure: undefined };
    const isPassing =
      error instanceof UnreachableError || (error instanceof RefusedError && error.status >= 500);
    if (!isPassing) throw error;
    return { text: `trying again ...\n${causeText(error, frame.calledService)}\n`, failure: error };
  }
}

interface Person {
  /** Fires when the person ends the display. */
  readonly signal: AbortSignal;
  /** Waits; shorter if the window changes its size or the person ends the display. */
  pause(ms: number): Promise<void>;
  leave(): void;
}

function watchPerson({ terminal: { stdin, stdout }, signal }: Context): Person {
  const ended = new AbortController();
  let wake = (): void => undefined;
  const end = (): void => {
    ended.abort(new Error('ended by a person'));
    wake();
  };
  const onKeys = (keys: Buffer): void => {
    const text = keys.toString('latin1');
    if (text.includes('q') || text.includes(CTRL_C)) end();
  };
  const onResize = (): void => wake();
  const hasKeys = stdin.isTTY === true && stdout.isTTY === true;
  if (hasKeys) {
    stdin.setRawMode(true);
    stdin.on('data', onKeys);
    stdin.resume();
  }
  stdout.on('resize', onResize);
  signal.addEventListener('abort', end, { once: true });
  return {
    signal: ended.signal,
    pause: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    leave: () => {
      stdout.off('resize', onResize);
      signal.removeEventListener('abort', end);
      if (!hasKeys) return;
      stdin.off('data', onKeys);
      stdin.setRawMode(false);
      stdin.pause();
    },
  };
}
