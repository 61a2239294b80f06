/** `changes`: the stream of changes as lines. */
import type { Command } from 'commander';
import type { ChangeFilters } from '../../client/changes.ts';
import type { Change } from '../../client/operations.ts';
import { examples, type Run } from '../frame/command.ts';
import type { Context } from '../frame/context.ts';
import { jsonText } from '../frame/documents.ts';
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
  if (options.follow !== true) {
    const query = {
      ...filters,
      after: options.after === '' ? '0' : options.after,
      limit: Math.min(limit, 1_000),
    };
    const page = await client.get('/v6/changes/', { query, signal });
    if (context.isStructured) return context.document(page);
    for (const change of page.changes) show(context, change);
    if (!page.is_at_end) context.note(`there are more: --after ${page.cursor} shows them`);
    return;
  }
  const given = options.after === '' ? {} : { after: options.after };
  // This call refuses wrong filters: a stream with such filters would only wait.
  const { cursor } = await client.get('/v6/changes/', { query: { ...filters, ...given, limit: 1 }, signal });
  const stream = client.changes({ filters, after: cursor, ...given, ...patient(context) });
  for await (const change of stream) show(context, change);
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
