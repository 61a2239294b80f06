/**
 * `millrace watch` runs a script for each file of a directory. It creates the records, resumes the strike, shows what
 * happens, and pauses the strike at its end.
 */
import type { Client } from '../../client/client.ts';
import type { Contact } from '../../client/contact.ts';
import { RefusedError } from '../../client/errors.ts';
import { countOf } from '../frame/count.ts';
import type { WatchDisplay } from './display.ts';
import { WatchFeed } from './feed.ts';
import { failedBefore, runFailedAgain } from './known-files.ts';
import type { WatchLine } from './line.ts';
import { beginStrike, keepShown, makeTypes, pauseStrike, shownUntil } from './records.ts';
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
  const areKept = await feed.begin(await shownUntil(client, line));
  if (!areKept)
    display.say(
      `note: what ended since this line was typed last is not shown: ${typed(jobsOf(line))} lists it`,
    );
  const strike = await beginStrike(client, line, types);
  if (strike.before === 'watching') display.say('note: this directory was being watched already');
  const earlier = types.isChanged
    ? await runFailedAgain(client, line)
    : await failedBefore(client, line, typed);
  if (earlier !== undefined) display.say(`note: ${earlier}`);
  display.say(`watching ${line.directory} (${line.match}), products go to ${line.into}`);
  try {
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
    await finish(watching, feed, strike.id);
  } finally {
    display.totals(feed.counts);
  }
  if (!line.isRemoving) return undefined;
  const removed = await removeRecords(client, line, strike.id);
  for (const note of removed.notes) display.say(`note: ${note}`);
  return removed;
}

/** Shows what has ended until now, and says what has not. */
async function finish(
  { client, line, typed, display }: Watching,
  feed: WatchFeed,
  strikeId: number,
): Promise<void> {
  const { running, unshown, shownUntil: until } = await feed.finish(strikeId);
  if (unshown > 0)
    display.say(
      `note: ${countOf(unshown, 'ended file')} could not be shown: ${typed(jobsOf(line))} lists them`,
    );
  if (line.isRemoving) return;
  const more = feed.counts.running - running.length;
  if (running.length > 0) {
    const names = `${running.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
    display.say(`note: still running: ${names}; the same line shows how that ends`);
  }
  if (until !== undefined) await keepShown(client, strikeId, until);
}

/** The command that lists the jobs of a line. */
const jobsOf = ({ name }: WatchLine): string => `jobs --type ${name}`;
