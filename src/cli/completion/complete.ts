/** `complete`: the possible next words of a line. It never fails, because a shell cannot show a message there. */
import type { Command } from 'commander';
import { clientOf } from '../frame/connection.ts';
import type { Context } from '../frame/context.ts';
import { escapeControls } from '../frame/escape.ts';
import { profilesPath, readProfiles } from '../frame/profiles.ts';
import { type Candidate, type Place, placeOf } from './candidates.ts';
import { namesOf } from './names.ts';

/** Short, because a person has pressed a key and waits. */
const TIMEOUT_MS = 2_000;
const DESCRIPTION_CHARS_MAX = 60;
/** Words that no shell has to quote. Others are not offered, because each shell quotes differently. */
const PLAIN = /^[A-Za-z0-9_@%+:,./=-]+$/;

export async function complete(context: Context, program: Command, words: readonly string[]): Promise<void> {
  const place = placeOf(program, words);
  const { prefix, candidates, word } = place;
  const values = await valuesOf(context, place).catch((): Candidate[] => []);
  const all = [...candidates, ...values.map((one) => ({ ...one, value: `${prefix}${one.value}` }))];
  for (const { value, description = '' } of all) {
    if (!value.startsWith(word) || !PLAIN.test(value)) continue;
    const shown = escapeControls(description).slice(0, DESCRIPTION_CHARS_MAX);
    context.write(shown === '' ? `${value}\n` : `${value}\t${shown}\n`);
  }
  if (place.source === 'paths' || isOfThisMachine(place)) context.write(':files\n');
}

/** The input of a job may be a file of this machine: `./notes.txt`. */
function isOfThisMachine({ source, word }: Place): boolean {
  return source === 'places' && /^[./~]/.test(word);
}

async function valuesOf(context: Context, place: Place): Promise<readonly Candidate[]> {
  const { source, prefix, word, given } = place;
  if (typeof source === 'object') return source.map((value) => ({ value }));
  if (source === 'nothing' || source === 'paths' || source === 'commands') return [];
  if (source === 'profiles') {
    const { byName } = await readProfiles(profilesPath(context.terminal.env));
    return [...byName].map(([value, { server }]) => ({ value, description: server }));
  }
  const connection = await context.connectionTo({
    server: given.get('--server'),
    tokenFile: given.get('--token-file'),
    profile: given.get('--profile'),
  });
  const late = AbortSignal.timeout(TIMEOUT_MS);
  const client = clientOf(connection, undefined, { retryForMs: 0, timeoutMs: TIMEOUT_MS });
  const aborted = new Promise<never>((_, reject) => {
    late.addEventListener('abort', () => reject(late.reason), { once: true });
  });
  return Promise.race([namesOf(client, source, word.slice(prefix.length)), aborted]);
}
