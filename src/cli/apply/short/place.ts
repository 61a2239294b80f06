/** Workspaces of the short form: `workspaces: {texts: ./in, uploads: {broker: {type: objstore, …}}}`. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { JsonObject } from '../../../domain/document/json-value.ts';
import type { Desired } from '../documents.ts';
import type { Origin } from '../origins.ts';
import { refuseOthers, report, textOf } from '../section.ts';
import { type Entry, type Located, memberOf, plainValue, scalarAt } from '../source.ts';
import type { ShortSet } from './set.ts';

/** Fields that are copied to the body of a workspace. */
const OF_BODY: readonly string[] = ['title', 'description', 'base_url', 'is_active', 'labels'];
/** Fields that are copied to its configuration. */
const OF_CONFIGURATION: readonly string[] = ['broker', 'http'];
const FIELDS = ['path', ...OF_BODY, ...OF_CONFIGURATION];

/** A workspace is a path relative to the file, or a map of fields. */
export function readPlace(set: ShortSet, { key: name, keyAt, value }: Entry): Desired | undefined {
  const what = `the workspace '${name}'`;
  const origins: Origin[] = [{ steps: [], node: scalarAt(name, keyAt) }];
  const body = value.kind === 'map' ? readFields(set, { name, keyAt }, value, origins) : undefined;
  const path = value.kind === 'map' ? undefined : readPath(set, value, what, origins);
  const configuration = path === undefined ? body : { configuration: { broker: hostBroker(path) } };
  if (configuration === undefined) return undefined;
  const whole = { name, title: name, ...configuration };
  return { kind: 'workspace', name, set: set.set, body: whole, file: set.file, at: keyAt, origins };
}

function hostBroker(path: string): JsonObject {
  return { type: 'host', host_path: path };
}

function readFields(
  set: ShortSet,
  { name, keyAt }: { readonly name: string; readonly keyAt: Entry['keyAt'] },
  node: Located & { kind: 'map' },
  origins: Origin[],
): JsonObject | undefined {
  const what = `the workspace '${name}'`;
  refuseOthers(set, node, FIELDS, what);
  const [path, broker] = [memberOf(node, 'path'), memberOf(node, 'broker')];
  if ((path === undefined) === (broker === undefined)) {
    const at = broker === undefined ? keyAt : broker.keyAt;
    return report(set, at, `${what} needs either 'path', a directory, or 'broker', as the interface has it`);
  }
  const body: [string, ReturnType<typeof plainValue>][] = [];
  const configuration: [string, ReturnType<typeof plainValue>][] = [];
  for (const { key, value } of node.entries) {
    const isOfBody = OF_BODY.includes(key);
    if (isOfBody) body.push([key, plainValue(value)]);
    if (OF_CONFIGURATION.includes(key)) configuration.push([key, plainValue(value)]);
    if (isOfBody || OF_CONFIGURATION.includes(key)) {
      origins.push({ steps: isOfBody ? [key] : ['configuration', key], node: value });
    }
  }
  if (path !== undefined) {
    const absolute = readPath(set, path.value, `'path'`, origins);
    if (absolute === undefined) return undefined;
    configuration.unshift(['broker', hostBroker(absolute)]);
  }
  return { ...Object.fromEntries(body), configuration: Object.fromEntries(configuration) };
}

/** The absolute path of a directory. */
function readPath(set: ShortSet, node: Located, what: string, origins: Origin[]): string | undefined {
  const text = textOf(set, node, what);
  if (text === undefined) return undefined;
  origins.push({ steps: ['configuration', 'broker'], node: text });
  if (text.value.startsWith('~')) {
    return report(
      set,
      text.at,
      `'~' has no meaning here: write the directory in full, or relative to the file`,
    );
  }
  if (/^[a-z][a-z0-9+.-]*:/i.test(text.value)) {
    return report(
      set,
      text.at,
      `'${text.value.slice(0, 100)}' is not a directory: other places need 'broker'`,
    );
  }
  const path = resolve(set.folder, text.value);
  if (!existsSync(path)) {
    set.findings.warning(
      set.file,
      text.at,
      `there is no directory ${path} on this machine; an agent needs it`,
    );
  }
  return path;
}
