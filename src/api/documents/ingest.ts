/** The configurations of strikes and scans (`domain/strike/strike-config.ts`, `domain/scan/scan-config.ts`). */
import { type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { SCAN, STRIKE } from '../shared/examples.ts';
import { closed, form, listOf, may, text, VERSION, whole } from './fields.ts';
import { CREDENTIALS } from './workspace.ts';

const kind = (...values: readonly string[]) => Type.Unsafe({ type: 'string', enum: [...values] });
const workspace = (description: string) => text(description, { maxLength: 50 });
const INSTANT =
  '^\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d(?::\\d\\d(?:[.,]\\d{1,9})?)?(?:Z|z|[+-]\\d\\d(?::?\\d\\d)?)$';
const SUFFIX = may(
  text('The end of the names of files that are still being written, such as `_tmp`; without `/`.', {
    maxLength: 100,
    pattern: '^[^/]+$',
  }),
);

function rules(more: TProperties): TSchema {
  return listOf(
    closed({
      filename_regex: text('Matches from the start of the name; end it with `$` to match the whole name.', {
        maxLength: 1_000,
      }),
      match: may({ ...kind('name', 'path'), description: 'What is matched. Default: the name.' }),
      data_types: may(
        listOf(text('A label.', { maxLength: 250 }), 'Labels that the file gets.', { maxItems: 100 }),
      ),
      new_workspace: may(workspace('Where the file is moved to. Default: it stays.')),
      new_file_path: may(
        text('A relative directory that it is moved to, into directories of the year, month and day.', {
          maxLength: 700,
          pattern: '^[^/]',
        }),
      ),
      ...more,
    }),
    'The first rule that matches a file decides; a file that none matches is deferred.',
    { minItems: 1, maxItems: 1_000 },
  );
}

const RECIPE = closed(
  {
    name: text('The name of the recipe type, not its title.', { maxLength: 50 }),
    revision_num: may(
      Type.Union(
        [
          Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
          Type.String({ pattern: '^(?=\\d{1,10}$)0*[1-9]\\d*$' }),
        ],
        { description: 'Default: the newest.' },
      ),
    ),
  },
  { description: 'The recipe type that is started for each file. It has one required input, a file.' },
);

const SHOWN_AGAIN = 'Without effect: details of ingests show it, so that it may be sent back.';
const shownAgain = may(Type.String({ description: SHOWN_AGAIN }));

const DirWatcher = form('DirWatcherMonitor', 'Watches a directory', {
  type: kind('dir-watcher'),
  transfer_suffix: SUFFIX,
  stable_ms: may(
    whole('How long a file without the suffix must not change before it is taken. Default: 2000.', {
      minimum: 0,
      maximum: 3_600_000,
    }),
  ),
  since: may(
    text(
      'A time with a zone. Files that have lain there unchanged and unmoved since before it are not taken.',
      {
        maxLength: 50,
        pattern: INSTANT,
      },
    ),
  ),
});
const ObjstoreMonitor = form('ObjstoreMonitor', 'Watches a bucket', {
  type: kind('objstore'),
  queue_name: text('Where notifications come from: a subject of NATS, or a queue of SQS.', {
    maxLength: 1_000,
  }),
  credentials: CREDENTIALS,
  region_name: may(text('Of the queue.', { maxLength: 1_000 })),
  queue_type: may({ ...kind('nats', 'sqs'), description: 'Default: nats.' }),
  list_every_ms: may(
    whole('How often the bucket is listed as well. Default: 300000.', {
      minimum: 1_000,
      maximum: 86_400_000,
    }),
  ),
});

export const StrikeConfiguration = form(
  'StrikeConfiguration',
  'What a strike watches, takes and starts',
  {
    version: VERSION,
    workspace: workspace('The name of the workspace that is watched.'),
    monitor: Type.Union([DirWatcher, ObjstoreMonitor]),
    files_to_ingest: rules({ workspace_path: shownAgain, workspace_name: shownAgain }),
    recipe: RECIPE,
    transfer_suffix: shownAgain,
    mount_on: shownAgain,
    mount: may(text(SHOWN_AGAIN, { minLength: 0, maxLength: 1_000 })),
  },
  {
    examples: [
      STRIKE.configuration,
      {
        workspace: 'uploads',
        monitor: { type: 'objstore', queue_name: 'uploads.created' },
        files_to_ingest: [{ filename_regex: '.*\\.tiff?$', match: 'path' }],
        recipe: { name: 'long-texts', revision_num: 1 },
      },
    ],
  },
);

const Scanner = closed(
  {
    type: { ...kind('dir', 'objstore'), description: '`dir` for host and nfs, `objstore` for buckets.' },
    transfer_suffix: SUFFIX,
  },
  { description: 'How the workspace is listed.' },
);

export const ScanConfiguration = form(
  'ScanConfiguration',
  'What a scan lists, takes and starts',
  {
    version: VERSION,
    workspace: workspace('The name of the workspace that is listed.'),
    scanner: Scanner,
    monitor: may({ ...Scanner, description: 'The same as `scanner`, as answers show it.' }),
    recursive: may(Type.Boolean({ description: 'Lists sub-directories as well. Default: true.' })),
    files_to_ingest: rules({}),
    recipe: may(RECIPE),
  },
  { examples: [SCAN.configuration] },
);
