/** Strikes and scans of the short form: `strike: {watch: texts, match: '*.txt', recipe: words}`. */
import type { JsonObject } from '../../../domain/document/json-value.ts';
import type { Desired } from '../documents.ts';
import type { Origin, Step } from '../origins.ts';
import { mapOf, numberOf, refuseOthers, report, requiredOf, textOf } from '../section.ts';
import {
  type Entry,
  type Located,
  type LocatedMap,
  memberOf,
  type Position,
  plainValue,
  scalarAt,
} from '../source.ts';
import { translateGlob } from './glob.ts';
import { readFlag, readTexts } from './parameters.ts';
import type { ShortSet } from './set.ts';

const RULE_FIELDS = ['match', 'regex', 'on', 'data_types', 'into', 'into_path'];
const OF_BODY = ['title', 'description', 'labels'];
const STRIKE_FIELDS = ['watch', 'recipe', 'rules', 'monitor', 'transfer_suffix', 'stable_ms', 'is_paused'];
const SCAN_FIELDS = ['workspace', 'recipe', 'rules', 'scanner', 'transfer_suffix', 'recursive'];
/** The suffix of files that are still being written. */
const SUFFIX = '_tmp';

/** Takes the place of a wrong pattern, which has been reported. */
const NOTHING = '$';

/** The state of reading a strike or a scan. */
interface Reading {
  readonly set: ShortSet;
  readonly what: string;
  readonly at: Position;
  readonly node: LocatedMap;
  readonly origins: Origin[];
}

export function readStrike(set: ShortSet, entry: Entry, name = entry.key): Desired | undefined {
  const reading = begin(set, entry, `the strike '${name}'`, STRIKE_FIELDS);
  if (reading === undefined) return undefined;
  const { node, origins } = reading;
  const workspace = readName(reading, 'watch', ['configuration', 'workspace']);
  const recipe = readRecipe(reading, true);
  const monitor = memberOf(node, 'monitor');
  if (monitor !== undefined) {
    origins.push({ steps: ['configuration', 'monitor'], node: monitor.value });
    for (const key of ['transfer_suffix', 'stable_ms']) {
      const other = memberOf(node, key);
      if (other !== undefined) report(set, other.keyAt, `'${key}' belongs in 'monitor', which is given`);
    }
  }
  const paused = readFlag(set, node, 'is_paused');
  const configuration = {
    ...workspace,
    monitor: monitor === undefined ? watcher(reading) : plainValue(monitor.value),
    files_to_ingest: readRules(reading),
    ...recipe,
  };
  return desired('strike', name, reading, configuration, paused === undefined ? {} : { is_paused: paused });
}

export function readScan(set: ShortSet, entry: Entry, name = entry.key): Desired | undefined {
  const reading = begin(set, entry, `the scan '${name}'`, SCAN_FIELDS);
  if (reading === undefined) return undefined;
  const { node, origins } = reading;
  const workspace = readName(reading, 'workspace', ['configuration', 'workspace']);
  const recursive = readFlag(set, node, 'recursive');
  const scanner = memberOf(node, 'scanner');
  if (scanner !== undefined) origins.push({ steps: ['configuration', 'scanner'], node: scanner.value });
  const suffix = readSuffix(reading, 'scanner');
  const configuration = {
    ...workspace,
    scanner: scanner === undefined ? { type: 'dir', ...suffix } : plainValue(scanner.value),
    ...(recursive === undefined ? {} : { recursive }),
    files_to_ingest: readRules(reading),
    ...readRecipe(reading, false),
  };
  return desired('scan', name, reading, configuration, {});
}

function begin(
  set: ShortSet,
  { keyAt, value }: Entry,
  what: string,
  fields: readonly string[],
): Reading | undefined {
  const node = mapOf(set, value, what);
  if (node === undefined) return undefined;
  refuseOthers(set, node, [...fields, ...RULE_FIELDS, ...OF_BODY], what);
  const origins: Origin[] = [{ steps: [], node: scalarAt('', keyAt) }];
  for (const key of OF_BODY) {
    const entry = memberOf(node, key);
    if (entry !== undefined) origins.push({ steps: [key], node: entry.value });
  }
  return { set, what, at: keyAt, node, origins };
}

function desired(
  kind: 'strike' | 'scan',
  name: string,
  { set, node, at, origins }: Reading,
  configuration: JsonObject,
  more: JsonObject,
): Desired {
  const given = node.entries.filter(({ key }) => OF_BODY.includes(key));
  const fields = Object.fromEntries(given.map(({ key, value }) => [key, plainValue(value)]));
  const body = { name, title: name, ...fields, configuration, ...more };
  return { kind, name, set: set.set, body, file: set.file, at, origins };
}

/** A field that names another record. */
function readName(reading: Reading, key: string, steps: readonly Step[]): JsonObject {
  const found = requiredOf(reading.set, reading.node, key, reading);
  const text = found === undefined ? undefined : textOf(reading.set, found, `'${key}'`);
  if (text === undefined) return {};
  reading.origins.push({ steps, node: text });
  return { workspace: text.value };
}

/** `recipe: words`, or a map with a revision. */
function readRecipe({ set, node, what, at, origins }: Reading, isRequired: boolean): JsonObject {
  const entry = memberOf(node, 'recipe');
  if (entry === undefined) {
    if (isRequired) report(set, at, `${what} needs 'recipe'`);
    return {};
  }
  origins.push({ steps: ['configuration', 'recipe'], node: entry.value });
  if (entry.value.kind === 'map') return { recipe: plainValue(entry.value) };
  const text = textOf(set, entry.value, `'recipe'`);
  return text === undefined ? {} : { recipe: { name: text.value } };
}

function watcher(reading: Reading): JsonObject {
  const stable = memberOf(reading.node, 'stable_ms');
  const stableMs = stable === undefined ? undefined : numberOf(reading.set, stable.value, `'stable_ms'`);
  if (stable !== undefined)
    reading.origins.push({ steps: ['configuration', 'monitor', 'stable_ms'], node: stable.value });
  const suffix = { transfer_suffix: SUFFIX, ...readSuffix(reading, 'monitor') };
  return { type: 'dir-watcher', ...suffix, ...(stableMs === undefined ? {} : { stable_ms: stableMs }) };
}

function readSuffix({ set, node, origins }: Reading, section: string): { transfer_suffix?: string } {
  const entry = memberOf(node, 'transfer_suffix');
  const text = entry === undefined ? undefined : textOf(set, entry.value, `'transfer_suffix'`);
  if (text === undefined) return {};
  origins.push({ steps: ['configuration', section, 'transfer_suffix'], node: text });
  return { transfer_suffix: text.value };
}

/** One rule beside the other fields, or a list of `rules`. */
function readRules(reading: Reading): readonly JsonObject[] {
  const { set, node, what } = reading;
  const rules = memberOf(node, 'rules');
  if (rules === undefined) return [readRule(reading, node, 0)];
  for (const { key, keyAt } of node.entries) {
    if (RULE_FIELDS.includes(key))
      report(set, keyAt, `'${key}' belongs in the rules, because 'rules' is given`);
  }
  if (rules.value.kind !== 'list') {
    report(set, rules.value.at, `'rules' of ${what} must be a list`);
    return [];
  }
  reading.origins.push({ steps: ['configuration', 'files_to_ingest'], node: rules.value });
  return rules.value.items.flatMap((item, index) => {
    const map = mapOf(set, item, 'a rule');
    if (map === undefined) return [];
    refuseOthers(set, map, RULE_FIELDS, 'a rule');
    return [readRule(reading, map, index)];
  });
}

function readRule({ set, what, at, origins }: Reading, node: LocatedMap, index: number): JsonObject {
  const steps = ['configuration', 'files_to_ingest', index] as const;
  const place = (key: string, field: string): Located | undefined => {
    const entry = memberOf(node, key);
    if (entry !== undefined) origins.push({ steps: [...steps, field], node: entry.value });
    return entry?.value;
  };
  const [match, regex, on] = [
    place('match', 'filename_regex'),
    place('regex', 'filename_regex'),
    memberOf(node, 'on'),
  ];
  if ((match === undefined) === (regex === undefined)) {
    const where = memberOf(node, 'regex')?.keyAt ?? (node.at.line > at.line ? node.at : at);
    report(set, where, `${what} needs either 'match', a pattern such as '*.txt', or 'regex'`);
    return { filename_regex: NOTHING };
  }
  const [expression, isPath] = match === undefined ? readRegex(set, regex) : readMatch(set, match);
  const isOnPath = on === undefined ? isPath : on.value.kind === 'scalar' && on.value.value === 'path';
  if (
    on !== undefined &&
    !(on.value.kind === 'scalar' && ['name', 'path'].includes(String(on.value.value)))
  ) {
    report(set, on.value.at, `'on' must be one of name, path`);
  }
  const types = place('data_types', 'data_types');
  const [into, intoPath] = [place('into', 'new_workspace'), place('into_path', 'new_file_path')];
  return {
    filename_regex: expression,
    ...(isOnPath ? { match: 'path' } : {}),
    ...(types === undefined ? {} : { data_types: readTexts(set, types, `'data_types'`) }),
    ...(into === undefined ? {} : { new_workspace: textOf(set, into, `'into'`)?.value ?? '' }),
    ...(intoPath === undefined ? {} : { new_file_path: textOf(set, intoPath, `'into_path'`)?.value ?? '' }),
  };
}

function readRegex(set: ShortSet, node: Located | undefined): readonly [expression: string, isPath: boolean] {
  return [node === undefined ? NOTHING : (textOf(set, node, `'regex'`)?.value ?? NOTHING), false];
}

function readMatch(set: ShortSet, node: Located): readonly [expression: string, isPath: boolean] {
  const text = textOf(set, node, `'match'`);
  if (text === undefined) return [NOTHING, false];
  const glob = translateGlob(text.value);
  if ('regex' in glob) return [glob.regex, glob.isPath];
  report(set, text.inside(glob.offset), glob.message);
  return [NOTHING, false];
}
