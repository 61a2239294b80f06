import fc from 'fast-check';
import t from 'tap';
import { mentionsOf } from '../../../src/domain/ingest/ingest-rule.ts';
import type { Interface } from '../../../src/domain/interface/interface.ts';
import {
  maskedStrikeConfiguration,
  type StrikeConfiguration,
  type StrikeLookups,
  unmaskedStrikeConfiguration,
  validateStrikeConfiguration,
} from '../../../src/domain/strike/strike-config.ts';
import type { WorkspaceFacts } from '../../../src/domain/workspace/workspace-config.ts';

const FILE_INPUT: Interface = {
  files: [{ name: 'IN', media_types: [], required: true, multiple: false }],
  json: [],
};
const TWO_INPUTS: Interface = {
  files: [...FILE_INPUT.files, { name: 'MORE', media_types: [], required: true, multiple: false }],
  json: [],
};
const JSON_INPUT: Interface = { ...FILE_INPUT, json: [{ name: 'N', type: 'integer', required: true }] };

const LOOKUPS: StrikeLookups = {
  workspaces: new Map<string, WorkspaceFacts>([
    ['incoming', { brokerType: 'host', isActive: true }],
    ['share', { brokerType: 'nfs', isActive: true }],
    ['bucket', { brokerType: 'objstore', isActive: true }],
    ['old', { brokerType: 'host', isActive: false }],
  ]),
  recipeTypes: new Map([
    [
      'parse',
      {
        isActive: true,
        latestRevision: 2,
        inputs: new Map([
          [1, TWO_INPUTS],
          [2, FILE_INPUT],
        ]),
      },
    ],
    ['gone', { isActive: false, latestRevision: 1, inputs: new Map([[1, FILE_INPUT]]) }],
    ['json', { isActive: true, latestRevision: 1, inputs: new Map([[1, JSON_INPUT]]) }],
    ['none', { isActive: true, latestRevision: 1, inputs: new Map([[1, { files: [], json: [] }]]) }],
  ]),
  patternProblem: (pattern) => (pattern.includes('*.') ? 'nothing to repeat' : undefined),
  hasNats: true,
};

const strike = (change: Record<string, unknown> = {}): Record<string, unknown> => ({
  workspace: 'incoming',
  monitor: { type: 'dir-watcher', transfer_suffix: '_tmp' },
  files_to_ingest: [{ filename_regex: '.*h5' }],
  recipe: { name: 'parse' },
  ...change,
});
const errorsOf = (document: unknown, lookups = LOOKUPS): string[] => {
  const checked = validateStrikeConfiguration(document, lookups);
  return checked.ok ? [] : checked.errors.map((problem) => `${problem.name} ${problem.path}`);
};
const warningsOf = (document: unknown, lookups = LOOKUPS): string[] =>
  validateStrikeConfiguration(document, lookups).warnings.map((problem) => `${problem.name} ${problem.path}`);

const SHAPE = 'INVALID_STRIKE_CONFIGURATION';
const MONITOR = 'INVALID_MONITOR_CONFIGURATION';

t.test('strike configuration: a valid one is accepted and normalised', async (t) => {
  const checked = validateStrikeConfiguration(
    strike({
      version: '6',
      files_to_ingest: [
        { filename_regex: '.*txt' },
        {
          filename_regex: '(?P<a>x).*',
          match: 'path',
          data_types: ['one', 'two', 'one'],
          new_workspace: 'share',
          new_file_path: 'a//b/./c/',
        },
      ],
      recipe: { name: 'parse', revision_num: 2 },
    }),
    LOOKUPS,
  );
  t.strictSame(checked, {
    ok: true,
    warnings: [],
    value: {
      workspace: 'incoming',
      monitor: { type: 'dir-watcher', transfer_suffix: '_tmp' },
      files_to_ingest: [
        { filename_regex: '.*txt', data_types: [] },
        {
          filename_regex: '(?P<a>x).*',
          match: 'path',
          data_types: ['one', 'two'],
          new_workspace: 'share',
          new_file_path: 'a/b/c',
        },
      ],
      recipe: { name: 'parse', revision_num: 2 },
    },
  });
});

t.test('strike configuration: every missing required field is reported', async (t) => {
  t.strictSame(errorsOf({}), [
    `${SHAPE} workspace`,
    `${SHAPE} monitor`,
    `${SHAPE} monitor.type`,
    `${SHAPE} files_to_ingest`,
    `${SHAPE} recipe`,
    `${SHAPE} recipe.name`,
  ]);
  t.strictSame(
    errorsOf(strike({ recipe: null })),
    [`${SHAPE} recipe`, `${SHAPE} recipe.name`],
    'null counts as absent',
  );
  t.strictSame(errorsOf(strike({ recipe: {} })), [`${SHAPE} recipe.name`]);
  t.strictSame(errorsOf(strike({ files_to_ingest: [] })), [`${SHAPE} files_to_ingest`]);
  t.strictSame(errorsOf(strike({ monitor: {} })), [`${SHAPE} monitor.type`]);
});

t.test('strike configuration: every problem of the rules is reported at its path', async (t) => {
  const rules = [
    {},
    { filename_regex: '*.h5' },
    { filename_regex: 'a', data_types: ['', 5], new_workspace: 'nowhere', new_file_path: '/abs' },
    { filename_regex: 'a', new_workspace: 'old', new_file_path: 'a/../../b', match: 'all', extra: 1 },
    'text',
  ];
  t.strictSame(errorsOf(strike({ files_to_ingest: rules })).sort(), [
    `${SHAPE} files_to_ingest[0].filename_regex`,
    `${SHAPE} files_to_ingest[1].filename_regex`,
    `${SHAPE} files_to_ingest[2].data_types[0]`,
    `${SHAPE} files_to_ingest[2].data_types[1]`,
    `${SHAPE} files_to_ingest[2].new_file_path`,
    `${SHAPE} files_to_ingest[2].new_workspace`,
    `${SHAPE} files_to_ingest[3].extra`,
    `${SHAPE} files_to_ingest[3].match`,
    `${SHAPE} files_to_ingest[3].new_file_path`,
    `${SHAPE} files_to_ingest[3].new_workspace`,
    `${SHAPE} files_to_ingest[4]`,
    `${SHAPE} files_to_ingest[4].filename_regex`,
  ]);
});

t.test('strike configuration: workspaces must exist, be active and suit the monitor', async (t) => {
  t.strictSame(errorsOf(strike({ workspace: 'nowhere' })), [`${SHAPE} workspace`]);
  t.strictSame(errorsOf(strike({ workspace: 'old' })), [`${SHAPE} workspace`]);
  t.strictSame(errorsOf(strike({ workspace: 'bucket' })), [`${SHAPE} monitor`]);
  const watched = validateStrikeConfiguration(strike({ workspace: 'bucket' }), LOOKUPS);
  t.match(watched, {
    errors: [{ description: /; use 'objstore' with the 'queue_name' of its notifications$/ }],
  });
  t.strictSame(errorsOf(strike({ workspace: 'share' })), []);
  const queue = { type: 'objstore', queue_name: 'events.new' };
  t.strictSame(errorsOf(strike({ workspace: 'incoming', monitor: queue })), [`${SHAPE} monitor`]);
  t.strictSame(errorsOf(strike({ workspace: 'bucket', monitor: queue })), []);
  t.strictSame(
    errorsOf(strike({ workspace: 'incoming', monitor: { type: 'objstore' } })),
    [`${MONITOR} monitor.queue_name`, `${SHAPE} monitor`],
    'also if the monitor has other problems',
  );
});

t.test('strike configuration: the fields of a monitor are checked according to its type', async (t) => {
  const withMonitor = (monitor: unknown): string[] => errorsOf(strike({ workspace: 'bucket', monitor }));
  t.strictSame(withMonitor({ type: 'other' }), [`${SHAPE} monitor.type`]);
  t.strictSame(withMonitor({ type: 'objstore' }), [`${MONITOR} monitor.queue_name`]);
  t.strictSame(withMonitor({ type: 'objstore', queue_name: '' }), [`${MONITOR} monitor.queue_name`]);
  t.strictSame(withMonitor({ type: 'objstore', queue_name: 'a b' }), [`${MONITOR} monitor.queue_name`]);
  t.strictSame(withMonitor({ type: 'objstore', queue_name: 'a.>' }), [`${MONITOR} monitor.queue_name`]);
  const sqs = (queueName: string) =>
    withMonitor({ type: 'objstore', queue_name: queueName, queue_type: 'sqs' });
  for (const name of ['files', 'my-files_2.fifo', 'https://sqs.eu-west-1.amazonaws.com/12/files'])
    t.strictSame(sqs(name), [], name);
  for (const name of ['a b', 'a.b', 'https://sqs/x y', 'http://sqs/x', 'https://sqs', 'x'.repeat(81)])
    t.strictSame(sqs(name), [`${MONITOR} monitor.queue_name`], name);
  for (const every of [0, 999, 86_400_001, 1.5, '5000'])
    t.strictSame(withMonitor({ type: 'objstore', queue_name: 'q', list_every_ms: every }), [
      `${MONITOR} monitor.list_every_ms`,
    ]);
  t.strictSame(withMonitor({ type: 'objstore', queue_name: 'q', queue_type: 'kafka' }), [
    `${MONITOR} monitor.queue_type`,
  ]);
  t.strictSame(withMonitor({ type: 'objstore', queue_name: 'q', transfer_suffix: 'x' }), [
    `${MONITOR} monitor.transfer_suffix`,
  ]);
  t.strictSame(withMonitor({ type: 'objstore', queue_name: 'q', credentials: {} }), []);
  t.strictSame(withMonitor({ type: 'objstore', queue_name: 'q', credentials: { access_key_id: 'a' } }), [
    `${MONITOR} monitor.credentials.secret_access_key`,
  ]);
  t.strictSame(
    withMonitor({ type: 'objstore', queue_name: 'q', credentials: { secret_access_key: 'a', more: 1 } }),
    [`${MONITOR} monitor.credentials.access_key_id`, `${MONITOR} monitor.credentials.more`],
  );
  const watcher = (change: object): string[] =>
    errorsOf(strike({ monitor: { type: 'dir-watcher', ...change } }));
  t.strictSame(watcher({ transfer_suffix: '' }), [`${MONITOR} monitor.transfer_suffix`]);
  t.strictSame(watcher({ transfer_suffix: 'a/b' }), [`${MONITOR} monitor.transfer_suffix`]);
  t.strictSame(watcher({ transfer_suffix: 5 }), [`${MONITOR} monitor.transfer_suffix`]);
  t.strictSame(watcher({ stable_ms: -1 }), [`${MONITOR} monitor.stable_ms`]);
  t.strictSame(watcher({ since: '2026-01-02T03:04:05+01:00' }), []);
  for (const since of ['2026-02-30T00:00:00Z', '2026-01-02T03:04:05', 'now', 7]) {
    t.strictSame(watcher({ since }), [`${MONITOR} monitor.since`], `${since}`);
  }
});

t.test('strike configuration: the recipe type must exist and require exactly one file', async (t) => {
  const withRecipe = (recipe: unknown): string[] => errorsOf(strike({ recipe }));
  t.strictSame(withRecipe({ name: 'unknown' }), [`${SHAPE} recipe.name`]);
  t.strictSame(withRecipe({ name: 'parse', revision_num: 9 }), [`${SHAPE} recipe.revision_num`]);
  t.strictSame(withRecipe({ name: 'parse', revision_num: 0 }), [`${SHAPE} recipe.revision_num`]);
  t.strictSame(
    withRecipe({ name: 'parse', revision_num: 1 }),
    [`${SHAPE} recipe.name`],
    'two required files',
  );
  t.strictSame(withRecipe({ name: 'json' }), [`${SHAPE} recipe.name`], 'a required JSON input');
  t.strictSame(withRecipe({ name: 'none' }), [`${SHAPE} recipe.name`], 'no input');
  t.strictSame(withRecipe({ name: 'parse', revision: 1 }), [`${SHAPE} recipe.revision`]);
  t.strictSame(withRecipe('parse'), [`${SHAPE} recipe`, `${SHAPE} recipe.name`]);
});

t.test('strike configuration: doubtful values cause warnings', async (t) => {
  t.strictSame(warningsOf(strike()), []);
  t.strictSame(warningsOf(strike({ monitor: { type: 'dir-watcher' } })), [
    'missing_transfer_suffix monitor.transfer_suffix',
  ]);
  t.strictSame(warningsOf(strike({ recipe: { name: 'gone' } })), ['INACTIVE_RECIPE_TYPE recipe.name']);
  const queue = strike({ workspace: 'bucket', monitor: { type: 'objstore', queue_name: 'q' } });
  t.strictSame(warningsOf(queue), []);
  t.strictSame(warningsOf(queue, { ...LOOKUPS, hasNats: false }), ['queue_access monitor.queue_name']);
  const sqs = { type: 'objstore', queue_name: 'q', queue_type: 'sqs' };
  const keys = { credentials: { access_key_id: 'a', secret_access_key: 'b' }, region_name: 'eu-west-1' };
  t.strictSame(warningsOf(strike({ workspace: 'bucket', monitor: { ...sqs, ...keys } })), []);
  t.strictSame(warningsOf(strike({ workspace: 'bucket', monitor: sqs }), { ...LOOKUPS, hasNats: false }), [
    'sqs_access monitor.credentials',
    'sqs_access monitor.region_name',
  ]);
});

t.test(
  'strike configuration: values that cannot be stored, or are not a document, are refused',
  async (t) => {
    for (const document of [null, undefined, 5, 'x', [], true])
      t.strictSame(errorsOf(document), [`${SHAPE} `]);
    t.strictSame(errorsOf(strike({ workspace: 'a\u0000' })), [`${SHAPE} workspace`, `${SHAPE} workspace`]);
    t.strictSame(errorsOf(strike({ 'x\ud800': 1 })).length, 2);
    t.strictSame(errorsOf({ ...strike(), ...JSON.parse('{"__proto__": {"a": 1}}') }), [`${SHAPE} __proto__`]);
    t.strictSame(errorsOf(strike({ version: '5' })), [`${SHAPE} version`]);
    t.strictSame(errorsOf(strike({ constructor: 1 })), [`${SHAPE} constructor`]);
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    t.match(errorsOf(strike({ deep })), [/deep/]);
  },
);

t.test('strike configuration: no JSON value makes validation throw', async () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.constantFrom('workspace', 'monitor', 'files_to_ingest', 'recipe'),
      (value, key) => {
        validateStrikeConfiguration(value, LOOKUPS);
        validateStrikeConfiguration(strike({ [key]: value }), LOOKUPS);
        mentionsOf(strike({ [key]: value }));
      },
    ),
  );
});

t.test(
  'strike configuration: secrets are masked in answers, and kept if the mask is sent back',
  async (t) => {
    const stored = validateStrikeConfiguration(
      strike({
        workspace: 'bucket',
        monitor: {
          type: 'objstore',
          queue_name: 'q',
          credentials: { access_key_id: 'AK', secret_access_key: 'SK' },
        },
      }),
      LOOKUPS,
    );
    const value = (stored as { value: StrikeConfiguration }).value;
    const masked = maskedStrikeConfiguration(value);
    t.notMatch(JSON.stringify(masked), /AK|SK/);
    t.strictSame(unmaskedStrikeConfiguration(masked, value), value);
    t.strictSame(unmaskedStrikeConfiguration(masked, undefined), masked);
  },
);

t.test('strike configuration: names and patterns in it are found even if it is invalid', async (t) => {
  const found = mentionsOf({
    workspace: 'a',
    files_to_ingest: [{ filename_regex: 'x', new_workspace: 'b' }, 5],
    recipe: { name: 'r' },
  });
  t.strictSame(found, { patterns: ['x'], workspaces: ['a', 'b'], recipeType: 'r' });
  t.strictSame(mentionsOf(null), { patterns: [], workspaces: [], recipeType: undefined });
  t.strictSame(mentionsOf({ workspace: '\u0000' }), { patterns: [], workspaces: [], recipeType: undefined });
});
