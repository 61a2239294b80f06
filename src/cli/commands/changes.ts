/** `changes`: the stream of changes as lines. */
import type { Command } from 'commander';
import type { ChangeFilters } from '../../client/changes.ts';
import type { Client } from '../../client/client.ts';
import type { Change } from '../../client/operations.ts';
import { examples, type Run } from '../frame/command.ts';
import type { Context } from '../frame/context.ts';
import { jsonText } from '../frame/documents/json-text.ts';
import { integer, list } from '../frame/lists.ts';
import { patient } from '../frame/waiting.ts';

/** From so many columns on, a terminal has room for a whole line of most changes. */
const WIDE_COLUMNS = 72;

interface ChangesOptions {
  readonly follow?: boolean;
  readonly kind?: readonly string[];
  readonly status?: readonly string[];
  readonly after: string;
  readonly limit: string;
}

export function addChanges(program: Command, run: Run): void {
  program
    .command('changes')
    .summary('show changes; with --follow, new ones as they happen')
    .option('-f, --follow', 'show changes as they happen, until Ctrl-C; begins now unless --after is given')
    .option('--kind <kind>', 'of this kind of object, such as job or file; repeatable', list)
    .option('--status <status>', 'that have this status since the change; repeatable', list)
    .option('--after <cursor>', 'begin after this cursor; 0 is the oldest that is kept', '')
    .option('--limit <n>', 'without --follow: show at most this many', '100')
    .addHelpText(
      'after',
      examples('changes --follow', 'changes -f --kind job --status FAILED -o json', 'changes --after 0'),
    )
    .action(run(changes));
}

async function changes(context: Context, options: ChangesOptions): Promise<void> {
  const filters = {
    ...(options.kind === undefined ? {} : { kind: options.kind }),
    ...(options.status === undefined ? {} : { status: options.status }),
    // The service checks the values, and names the most similar one that it knows.
  } as ChangeFilters;
  const client = await context.client();
  const { signal } = context;
  const limit = integer('--limit', options.limit, 1);
  if (options.follow !== true) return past(context, client, filters, options.after || '0', limit);
  const given = options.after === '' ? {} : { after: options.after };
  // This call refuses wrong filters: a stream with such filters would only wait.
  const { cursor } = await client.get('/v6/changes/', { query: { ...filters, ...given, limit: 1 }, signal });
  const stream = client.changes({ filters, after: cursor, ...given, ...patient(context) });
  for await (const change of stream) show(context, change);
}

/** limit: changes of one answer. */
const PAGE_MAX = 1_000;

/** At most `limit` changes that have happened. */
async function past(
  context: Context,
  client: Client,
  filters: ChangeFilters,
  after: string,
  limit: number,
): Promise<void> {
  const { signal } = context;
  const read = (cursor: string, left: number) =>
    client.get('/v6/changes/', {
      query: { ...filters, after: cursor, limit: Math.min(left, PAGE_MAX) },
      signal,
    });
  const changes: Change[] = [];
  let [page, count] = [await read(after, limit), 0];
  for (;;) {
    count += page.changes.length;
    if (context.isStructured) changes.push(...page.changes);
    else for (const change of page.changes) show(context, change);
    // With rare filters a page may be empty before the end: the service examines so many changes for each.
    if (page.is_at_end || count >= limit) break;
    page = await read(page.cursor, limit - count);
  }
  if (context.isStructured) context.document({ ...page, changes });
  else if (!page.is_at_end) context.note(`there are more: --after ${page.cursor} shows them`);
}

/** JSON has one change a line, so that programs can read it as it comes. */
function show(context: Context, change: Change): void {
  const { output } = context.options;
  if (output === 'json') context.write(`${jsonText(change)}\n`);
  else if (output === 'yaml') context.document([change]);
  else if (output === 'name') context.print(`${change.kind}/${change.id}`);
  else context.printCut(lineOf(change, context.columns));
}

/** A narrow terminal has no room for dates and for the status before. */
function lineOf({ at, kind, id, what, from, to, error }: Change, columns: number | undefined): string {
  const isNarrow = columns !== undefined && columns < WIDE_COLUMNS;
  const when = isNarrow ? at.slice('2026-11-27T'.length, '2026-11-27T10:11:12'.length) : at;
  const status = isNarrow ? to : `${from} -> ${to}`;
  return `${when}  ${kind} ${id}  ${what === 'status' ? status : what}${error === undefined ? '' : `  ${error}`}`;
}
