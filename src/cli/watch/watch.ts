/**
 * `millrace watch` runs a script for each file of a directory. It creates the records, resumes the strike, shows what
 * happens, and pauses the strike at its end.
 */
import type { Client } from '../../client/client.ts';
import type { Contact } from '../../client/contact.ts';
import { RefusedError } from '../../client/errors.ts';
import type { WatchDisplay } from './display.ts';
import { WatchFeed } from './feed.ts';
import { failedBefore, runFailedAgain } from './known-files.ts';
import type { WatchLine } from './line.ts';
import { beginStrike, makeTypes, pauseStrike } from './records.ts';
import { type Removed, removeRecords } from './remove.ts';
import { warningsOf } from './script.ts';

export interface Watching {
  readonly client: Client;
  /** The same service for long reads: this client waits while the service cannot be reached. */
  readonly patientClient: Client;
  /** Gets the loss of the connection to that service, and its return. */
  readonly contact: Contact;
  readonly line: WatchLine;
  /** A command of this program as it is typed to call that service. */
  readonly typed: (command: string) => string;
  readonly display: WatchDisplay;
  /** Gets why nothing happens. */
  readonly onStandstill: (note: string) => void;
  /** Ends the watch in order. */
  readonly signal: AbortSignal;
}

/**
 * Resolves once the signal has ended the watch and the strike is paused; with `--remove`, with the markers to be
 * removed. Rejects with any other error that ended it.
 */
export async function watch(watching: Watching): Promise<Removed | undefined> {
  const { client, patientClient, contact, line, typed, display, signal, onStandstill } = watching;
  // This is the first call: a missing login is reported before warnings about the script.
  const types = await makeTypes(client, line);
  for (const warning of warningsOf(line.script, { hasBash: line.shell.endsWith('/bash') }))
    display.say(`note: ${warning}`);
  const feed = new WatchFeed({
    client: patientClient,
    contact,
    jobTypeName: line.name,
    workspaceIds: [types.workspaces.directory.id, types.workspaces.into.id],
    typed,
    signal,
    onEvent: (event) => display.event(event),
    onCounts: (counts) => display.counts(counts),
    onStandstill,
  });
  await feed.begin();
  const strike = await beginStrike(client, line, types);
  if (strike.before === 'watching') display.say('note: this directory was being watched already');
  const earlier = types.isChanged
    ? await runFailedAgain(client, line)
    : await failedBefore(client, line, typed);
  if (earlier !== undefined) display.say(`note: ${earlier}`);
  display.say(`watching ${line.directory} (${line.match}), products go to ${line.into}`);
  try {
    await feed.run(strike.id);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await pauseStrike(client, strike.id).catch((error: unknown) => {
      const isGone = error instanceof RefusedError && error.status === 404;
      display.say(
        isGone
          ? `note: the strike ${line.name} was deleted meanwhile; the same line makes it again`
          : `note: not paused: the strike ${line.name}, which takes files when its service is back`,
      );
      throw error;
    });
  }
  await feed.finish(strike.id);
  display.end();
  if (!line.isRemoving) return undefined;
  const removed = await removeRecords(client, line, strike.id);
  for (const note of removed.notes) display.say(`note: ${note}`);
  return removed;
}
