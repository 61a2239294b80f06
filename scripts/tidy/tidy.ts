/**
 * Checks a tree against the house rules (law.ts) and says, for each breach, what to do instead.
 * Reads files only; the list of rules is data, so that a broken tree can be fed to it in a test.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawRooms, roomGraph } from './drawing.ts';
import { cyclesOf, type Graph, graphOf, reachableFrom, resolveImport } from './graph.ts';
import { checkHouse } from './house.ts';
import {
  AHEAD,
  BANNED_NAMES,
  BANS,
  ENTRIES,
  EVENT_SENTENCE,
  FILE_CALL_ROOMS,
  FILE_CALLS,
  FOUND_BY_NAME,
  LEFTOVER,
  LIMITS,
  MAY_IMPORT,
  MESSAGE_FILES,
  PACKAGE_ROOMS,
  PORT_FILES,
  roomOf,
  SHIPPED,
  TALK_TO_ACTORS,
  UNMEASURED,
  WITHOUT_SUBJECT,
} from './law.ts';
import { type Import, lineOf, readSource, type Source } from './source.ts';
import { checkWords } from './words.ts';

export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly rule:
    | 'law'
    | 'cycle'
    | 'package'
    | 'ban'
    | 'size'
    | 'name'
    | 'word'
    | 'unused'
    | 'leftover'
    | 'missing'
    | 'comment'
    | 'event';
  readonly message: string;
}

type Manifest = Readonly<Record<string, object>>;

const TREES = ['src', 'node-agent', 'bench', 'test', 'scripts'];

/** The import graph of the rooms as `docs/architecture.md` shows it: an SVG. */
export function drawing(root: string): string {
  return drawRooms(roomGraph(graphOf(readSources(root))));
}

function readSources(root: string): Source[] {
  const isPackage = (path: string) => path.endsWith('node_modules');
  const paths = globSync(`{${TREES.join(',')}}/**/*.{ts,tsx}`, { cwd: root, exclude: isPackage }).sort();
  return paths.map((path) => readSource(path, readFileSync(join(root, path), 'utf8')));
}

/** All breaches, ordered by path and line. `root` holds package.json and the folders above. */
export function tidy(root: string): Finding[] {
  const sources = readSources(root);
  const manifest = readManifest(root);
  const known = new Set([manifest, ...workspacesOf(root, manifest)].flatMap(packagesOf));
  const graph = graphOf(sources);
  const findings = sources.flatMap((source) => [
    ...source.imports.flatMap((found) => checkImport(source, found, known, graph)),
    ...checkBans(source),
    ...checkSizes(source),
    ...checkName(source.path),
    ...checkComments(source),
    ...checkEvents(source),
    ...checkLeftovers(source),
    ...checkWords(source).map((found) => ({ path: source.path, rule: 'word' as const, ...found })),
  ]);
  findings.push(...checkCycles(graph), ...checkUnused(graph));
  findings.push(...checkHouse(sources).map((found) => ({ rule: 'size' as const, ...found })));
  findings.push(...checkDependencies(sources, Object.keys(manifest.dependencies ?? {})));
  return findings.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
}

/** Packages of this repository that have dependencies of their own. */
function workspacesOf(root: string, { workspaces = [] }: Manifest): Manifest[] {
  return (workspaces as string[]).map((path) => readManifest(join(root, path)));
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

function packagesOf({ dependencies, devDependencies }: Manifest): string[] {
  return Object.keys({ ...dependencies, ...devDependencies });
}

function checkImport(source: Source, found: Import, known: ReadonlySet<string>, graph: Graph): Finding[] {
  const at = { path: source.path, line: found.line };
  const target = resolveImport(source.path, found.specifier);
  if (target === undefined) return checkPackage(at, found, known);
  if (/\.tsx?$/.test(target) && !graph.has(target)) {
    return [{ ...at, rule: 'missing', message: `${target} does not exist` }];
  }
  const from = roomOf(source.path);
  const to = roomOf(target);
  const allowed = MAY_IMPORT[from];
  if (from === to || allowed === 'everything' || allowed.values.includes(to)) return [];
  if (found.isTypeOnly && allowed.types?.includes(to)) return [];
  const isPort = found.isTypeOnly && PORT_FILES.test(target);
  if (TALK_TO_ACTORS.has(from) && (isPort || MESSAGE_FILES.test(target))) return [];
  const only = allowed.types?.includes(to) ? ' other than as types' : '';
  const may = allowed.values.join(', ') || 'nothing of ours';
  return [
    { ...at, rule: 'law', message: `${from} may not import ${to}${only} (${target}); it may import ${may}` },
  ];
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function checkPackage(
  at: { path: string; line: number },
  { specifier, isTypeOnly }: Import,
  known: ReadonlySet<string>,
): Finding[] {
  if (specifier.startsWith('node:')) return checkFileCalls(at, specifier, isTypeOnly);
  const name = packageOf(specifier);
  const isOutside = roomOf(at.path) === 'outside';
  // tap's own parser comes with tap, in the version that reads its output.
  if (!known.has(name) && !(isOutside && name === 'tap-parser')) {
    return [{ ...at, rule: 'package', message: `${name} is not in package.json` }];
  }
  if (isOutside) return [];
  const rooms = PACKAGE_ROOMS[name] ?? [];
  if (rooms.some((room) => at.path.startsWith(room))) return [];
  return [
    {
      ...at,
      rule: 'package',
      message: `${name} belongs into ${rooms.join(', ') || 'tests and scripts'} only`,
    },
  ];
}

/** A name in a workspace or in a task's folder is another thing by the time of the next call. */
function checkFileCalls(
  at: { path: string; line: number },
  specifier: string,
  isTypeOnly: boolean,
): Finding[] {
  const isRoom = FILE_CALL_ROOMS.some((room) => at.path.startsWith(room));
  if (!isRoom || isTypeOnly || !/^node:fs(\/promises)?$/.test(specifier) || at.path in FILE_CALLS) return [];
  const message = `${specifier} goes by paths: use an open directory (src/storage/folder.ts)`;
  return [{ ...at, rule: 'ban', message }];
}

function checkBans(source: Source): Finding[] {
  return BANS.flatMap((ban) => {
    if (!ban.inside.some((prefix) => source.path.startsWith(prefix))) return [];
    if (ban.except?.includes(source.path)) return [];
    return [...source.code.matchAll(new RegExp(ban.what, 'g'))].map((match) => ({
      path: source.path,
      line: lineOf(source.code, match.index),
      rule: 'ban' as const,
      message: `${match[0].replace(/\($/, '')} is banned here: ${ban.instead}`,
    }));
  });
}

function checkSizes({ path, lines, functions }: Source): Finding[] {
  if (UNMEASURED.some((prefix) => path.startsWith(prefix))) return [];
  const findings: Finding[] = [];
  const count = lines.at(-1) === '' ? lines.length - 1 : lines.length;
  if (count >= LIMITS.fileLines) {
    findings.push({
      path,
      line: 1,
      rule: 'size',
      message: `${count} lines: split it below ${LIMITS.fileLines}`,
    });
  }
  const functionMax = path.startsWith('test/') ? LIMITS.testFunctionLines : LIMITS.functionLines;
  for (const { line, length } of functions) {
    if (length < functionMax) continue;
    findings.push({
      path,
      line,
      rule: 'size',
      message: `a function of ${length} lines: split it below ${functionMax}`,
    });
  }
  for (const [index, line] of lines.entries()) {
    if (line.length <= LIMITS.columns) continue;
    findings.push({
      path,
      line: index + 1,
      rule: 'size',
      message: `${line.length} columns: ${LIMITS.columns} is the limit`,
    });
  }
  return findings;
}

function checkName(path: string): Finding[] {
  const parts = path.replace(/(\.test)?\.tsx?$/, '').split('/');
  return parts
    .filter((part) => BANNED_NAMES.test(part))
    .map((part) => ({
      path,
      line: 1,
      rule: 'name',
      message: `'${part}' says nothing: name it for what it holds`,
    }));
}

function checkComments({ path, text }: Source): Finding[] {
  return [...text.matchAll(WITHOUT_SUBJECT)].map((match) => ({
    path,
    line: lineOf(text, match.index + match[0].length),
    rule: 'comment' as const,
    message: "begin with what it is: 'The path of a job', not 'Of a job'",
  }));
}

function checkEvents({ path, text }: Source): Finding[] {
  if (roomOf(path) === 'outside') return [];
  return [...text.matchAll(EVENT_SENTENCE)].map((match) => ({
    path,
    line: lineOf(text, match.index),
    rule: 'event' as const,
    message: 'name the event in snake_case, and put what varies into its fields',
  }));
}

function checkLeftovers({ path, lines }: Source): Finding[] {
  return lines.flatMap((line, index) =>
    LEFTOVER.test(line)
      ? [{ path, line: index + 1, rule: 'leftover' as const, message: 'do it, or take it out' }]
      : [],
  );
}

function checkCycles(graph: Graph): Finding[] {
  return cyclesOf(graph).map((cycle) => ({
    path: cycle[0] ?? '',
    line: 1,
    rule: 'cycle',
    message: `imports go in a circle: ${cycle.join(' -> ')}`,
  }));
}

/**
 * Once the composition root exists, what counts is whether a program, test support or a script reaches a
 * file.
 */
function checkUnused(graph: Graph): Finding[] {
  const isTest = (path: string) => path.startsWith('test/') || path.endsWith('.test.ts');
  const entries = [...graph.keys()].filter((path) => ENTRIES.some((entry) => entry.test(path)));
  const isWhole = graph.has('src/main.ts');
  const reached = reachableFrom(graph, isWhole ? entries.filter((path) => !isTest(path)) : entries);
  return [...graph.keys()]
    .filter((path) => !reached.has(path) && !isTest(path) && !path.startsWith('src/wire/generated/'))
    .filter((path) => !AHEAD.some((ahead) => ahead.test(path)))
    .map((path) => ({
      path,
      line: 1,
      rule: 'unused',
      message: 'no program imports it: wire it, or remove it',
    }));
}

/** What is among the dependencies is installed by everybody who runs the program. */
function checkDependencies(sources: readonly Source[], dependencies: readonly string[]): Finding[] {
  const shipped = sources.filter(({ path }) => SHIPPED.some((prefix) => path.startsWith(prefix)));
  const used = new Set(
    shipped.flatMap(({ imports }) => imports.map(({ specifier }) => packageOf(specifier))),
  );
  const message = 'no program imports it: make it a development dependency, or remove it';
  return dependencies
    .filter((name) => !used.has(name) && !(name in FOUND_BY_NAME))
    .map((name) => ({ path: 'package.json', line: 1, rule: 'package', message: `${name}: ${message}` }));
}
