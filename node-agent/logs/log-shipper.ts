/**
 * Sends the output of tasks on a separate stream, in order and no faster than it is read. Each session starts at the
 * acknowledged offsets, which `TaskLogs` keeps.
 */
import type { LogAck } from '../../src/domain/node/coordinator-messages.ts';
import type { Logger } from '../../src/observe/log.ts';
import { type Clock, pause } from '../clock.ts';
import type { LiveSession, LogsCall } from '../session.ts';
import type { TaskLogs } from './task-logs.ts';

/** The interval at which the output of running tasks is checked. */
const LOOK_MS = 250;
/** The shortest time between two checks, also if a task ends. */
const BETWEEN_LOOKS_MS = 125;
const REOPEN_MS = 1_000;
/** A prepared reason: without one each abort creates an exception with its stack. */
const WOKEN = new Error('a task has ended');

export interface LogShipperOptions {
  readonly logs: TaskLogs;
  readonly clock: Clock;
  readonly log: Logger;
  readonly joinToken: string;
  readonly nodeName: string;
}

/** Ships until the session closes. Never rejects. */
export async function shipLogs(session: LiveSession, options: LogShipperOptions): Promise<void> {
  const { clock, log, logs } = options;
  while (!session.closed.aborted) {
    logs.rewind();
    try {
      await shipOn(session, options);
    } catch (error) {
      if (!session.closed.aborted) log.warn('log_stream_ended', { error });
    }
    await pause(clock, REOPEN_MS, session.closed);
  }
}

/** One stream: opened when there is something to send, used until it or the session ends. */
async function shipOn(session: LiveSession, options: LogShipperOptions): Promise<void> {
  const { logs, clock, joinToken, nodeName } = options;
  const ended = new AbortController();
  const endWith = (error: unknown): void => ended.abort(error);
  const onClosed = (): void => endWith(new Error('the session closed'));
  session.closed.addEventListener('abort', onClosed);
  if (session.closed.aborted) onClosed();
  let call: LogsCall | undefined;
  const open = (): LogsCall => {
    const opened = session.openLogs();
    opened.on('data', (ack: LogAck) => logs.acknowledge(ack.executionId, ack.stream, ack.offset));
    opened.on('error', endWith);
    opened.on('end', () => endWith(new Error('closed by the coordinator')));
    return opened;
  };
  let lookedMs = Number.NEGATIVE_INFINITY;
  try {
    while (!ended.signal.aborted) {
      const nowMs = clock.bootMs();
      if (nowMs - lookedMs >= BETWEEN_LOOKS_MS) {
        lookedMs = nowMs;
        await logs.look();
      }
      for await (const piece of logs.unsent()) {
        ended.signal.throwIfAborted();
        const isFirst = call === undefined;
        call ??= open();
        const token = isFirst ? { joinToken, nodeName } : { joinToken: '', nodeName: '' };
        if (!call.write({ ...token, ...piece, atMs: clock.nowMs() })) await drained(call, ended.signal);
      }
      await nextLook(options, ended.signal);
    }
    throw ended.signal.reason;
  } finally {
    session.closed.removeEventListener('abort', onClosed);
    call?.cancel();
  }
}

/** After an interval, or at once when a task has ended. */
function nextLook({ clock, logs }: LogShipperOptions, ended: AbortSignal): Promise<void> {
  const woken = new AbortController();
  logs.onEnded = () => woken.abort(WOKEN);
  return pause(clock, LOOK_MS, AbortSignal.any([ended, woken.signal]));
}

function drained(call: LogsCall, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    call.once('drain', resolve);
    ended.addEventListener('abort', () => resolve(), { once: true });
  });
}
