/**
 * docs/interface-tests.md: each row of the interface beside the test that holds it. A row's test is the first one that
 * calls its path and names the word; a field of a reply that none names is held by its schema alone.
 */
import type { Call } from './contract.ts';
import type { TestBlock } from './tests.ts';

export interface Held {
  readonly call: Call;
  readonly kind: 'call' | 'parameter' | 'body' | 'reply';
  readonly word: string;
  readonly test: TestBlock | undefined;
  /** No test names it: the one that gets the reply holds its presence and its type, by the schema of its route. */
  readonly isHeldBySchema: boolean;
}

export function holdRows(calls: readonly Call[], tests: readonly TestBlock[]): Held[] {
  return calls.flatMap((call) => {
    const callers = callersOf(call, tests);
    const held = (kind: Held['kind'], word: string): Held => {
      const naming = kind === 'call' ? callers[0] : findTest(kind, leafOf(word), callers, tests);
      // Only callers without a socket check replies against schemas.
      const getting = callers.find(({ file }) => file.startsWith('test/api/'));
      const isHeldBySchema = naming === undefined && kind === 'reply' && getting !== undefined;
      return { call, kind, word, test: isHeldBySchema ? getting : naming, isHeldBySchema };
    };
    return [
      held('call', call.path),
      ...call.parameters.map((word) => held('parameter', word)),
      ...call.bodyFields.map((word) => held('body', word)),
      ...call.replyFields.map((word) => held('reply', word)),
    ];
  });
}

/** Tests that call the path with the method; those of the file named like the resource first. */
function callersOf({ method, path }: Call, tests: readonly TestBlock[]): TestBlock[] {
  const pattern = path
    .split(/\{\w+\}/)
    .map(escaped)
    .join('[^/\\s\'"`?]+');
  const isPath = new RegExp(`${pattern}(?![\\w$-])`);
  const isMethod = new RegExp(`\\b(?:${method}|${method.toLowerCase()})\\b`);
  const isOwn = ({ file }: TestBlock) => file.endsWith(`/v6/${path.split('/')[2]}.test.ts`);
  const rank = (test: TestBlock): number => {
    if (!isMethod.test(test.text)) return 0;
    if (isPath.test(test.text)) return isOwn(test) ? 3 : 2;
    return composes(test.text, path, isOwn(test)) ? 1 : 0;
  };
  return tests
    .map((test) => ({ test, rank: rank(test) }))
    .filter((one) => one.rank > 0)
    .sort((one, other) => other.rank - one.rank)
    .map(({ test }) => test);
}

/**
 * Whether a template in the text can make the path: `/v6/diagnostics/${kind}/`, and in a resource's own file also
 * `${path}revisions/1/`.
 */
function composes(text: string, path: string, isOwn: boolean): boolean {
  const sample = path.replace(/\{\w+\}/g, '1');
  return [...text.matchAll(/`([^`?\s]*\$\{[^`?\s]*)/g)].some(([, template = '']) => {
    if (!isOwn && !template.startsWith('/v6/')) return false;
    const fixed = template.split(/\$\{[^}]*\}/);
    return fixed.join('').length > 3 && new RegExp(`^${fixed.map(escaped).join('.+')}$`).test(sample);
  });
}

function findTest(
  kind: Held['kind'],
  word: string,
  callers: readonly TestBlock[],
  tests: readonly TestBlock[],
): TestBlock | undefined {
  const isWord = new RegExp(`(?<![\\w-])${escaped(word)}(?![\\w-])`);
  const isGiven = new RegExp(`(?<![\\w-])${escaped(word)}=`);
  const names = ({ text }: TestBlock) => isWord.test(text);
  const given = kind === 'parameter' ? callers.find(({ text }) => isGiven.test(text)) : undefined;
  const files = new Set(callers.map(({ file }) => file));
  const inFile = () => tests.find((test) => files.has(test.file) && names(test));
  return given ?? callers.find(names) ?? inFile() ?? generalOf(word, tests);
}

/** What all lists have in common is held once, for all of them, where parameters are read and pages made. */
const GENERAL = new Set([
  'fields',
  'label',
  'labels',
  'page',
  'page_size',
  'started',
  'ended',
  'order',
  'count',
  'next',
  'previous',
  'results',
]);

function generalOf(word: string, tests: readonly TestBlock[]): TestBlock | undefined {
  if (!GENERAL.has(word)) return undefined;
  const general = tests.filter(({ file }) =>
    /^test\/(?:http\/[^/]+|api\/(?:conventions|shared\/labels)\.test\.ts)$/.test(file),
  );
  const isGiven = new RegExp(`\\b${word}=`);
  const isWord = new RegExp(`\\b${word}\\b`);
  return general.find(({ text }) => isGiven.test(text)) ?? general.find(({ text }) => isWord.test(text));
}

function leafOf(word: string): string {
  return word.replaceAll('[]', '').split('.').at(-1) ?? word;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** What no test holds, one line a call. */
export function unheld(rows: readonly Held[]): string[] {
  const byCall = new Map<string, string[]>();
  for (const { call, kind, word } of rows.filter(({ test }) => test === undefined)) {
    const name = `${call.method} ${call.path}`;
    byCall.set(name, [...(byCall.get(name) ?? []), kind === 'call' ? 'the call' : `${kind} ${word}`]);
  }
  return [...byCall].map(([name, words]) => `no test holds, of ${name}: ${words.join(', ')}`);
}

/** What the text says is not served although it is, one line a call. Calls are written `GET /v6/things/{id}/`. */
export function wronglyMissed(calls: readonly Call[], text: string): string[] {
  const shape = (path: string) => path.replace(/\{[^}]*\}/g, '{}');
  const served = new Set(calls.map(({ method, path }) => `${method} ${shape(path)}`));
  const missed = text.split('## Not served yet')[1] ?? '';
  return [...missed.matchAll(/`((?:GET|POST|PATCH|PUT|DELETE) \/\S*)`/g)]
    .map(([, call = '']) => call)
    .filter((call) => served.has(shape(call)))
    .map((call) => `docs/interface.md says that ${call} is not served: it is`);
}

const KINDS = { call: '', parameter: 'parameters', body: 'body', reply: 'reply' } as const;

export function contractPage(rows: readonly Held[]): string {
  const calls = [...new Set(rows.map(({ call }) => call))];
  return [
    '# The interface and its tests',
    '',
    '<!-- Written by `npm run docs` from the routes that are served and the tests that there are. -->',
    '',
    'Each call, its parameters and its fields, and the first test that calls it and names them. Every reply in a test',
    'under `test/api` is also held to the schema of its route: each declared field is there and of its type, and',
    'there is no other. “Form only” marks fields that no test names besides. What all calls have in common, and what',
    'is not served yet, is in [interface.md](interface.md).',
    '',
    ...calls.flatMap((call) => [...section(rows.filter((row) => row.call === call)), '']),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}

function section(rows: readonly Held[]): string[] {
  const groups = new Map<string, Held[]>();
  for (const row of rows) {
    const key = `${row.kind} ${row.isHeldBySchema} ${row.test?.file} ${row.test?.name}`;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const lines = [...groups.values()].map((group) => {
    const [first] = group as [Held];
    const statuses = `answers ${first.call.statuses.join(', ')}`;
    const words = group.map(({ word }) => `\`${word}\``).join(', ');
    const what = first.kind === 'call' ? statuses : `${KINDS[first.kind]}: ${words}`;
    return `- ${what} — ${first.isHeldBySchema ? 'form only: ' : ''}${testText(first.test)}`;
  });
  const { method, path } = (rows[0] as Held).call;
  return [`## ${method} ${path}`, '', ...lines];
}

function testText(test: TestBlock | undefined): string {
  return test === undefined ? '**no test**' : `\`${test.file}\`, “${test.name}”`;
}
