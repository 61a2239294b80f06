/**
 * Checks the `interface` of a Seed manifest: command, inputs, outputs, mounts and settings, field by field.
 */
import { Fields } from '../document/fields.ts';
import { JSON_TYPES } from '../interface/interface.ts';
import { normalisePath } from '../paths.ts';
import type { IssueList } from '../validation.ts';
import type {
  InputFile,
  InputJson,
  ManifestInterface,
  Mount,
  OutputFile,
  OutputJson,
  Setting,
} from './manifest.ts';

const PROBLEM = 'JSON_VALIDATION_ERROR';
const ITEMS_MAX = 1_000;
const COMMAND_CHARS_MAX = 32_768;
/** Names are keys of inputs, outputs and configurations, in which `__proto__` is refused (`checkJson`). */
const NAME = {
  pattern: /^(?!__proto__$)[a-zA-Z0-9_-]+$/,
  says: 'made of letters, digits, underscores and hyphens, and other than __proto__',
} as const;
const KEY = { pattern: /^(?!__proto__$)/, says: 'other than __proto__' } as const;
const NAME_NEEDS = { required: true, max: 250, form: NAME } as const;

/** The path where an item was read, for problems that are found later. */
export type Origins = Map<object, string>;

/** Reads `job.interface` with its defaults. */
export function readManifestInterface(
  issues: IssueList,
  fields: Fields,
  origins: Origins,
): ManifestInterface {
  const each = <T extends object>(
    parent: Fields | undefined,
    key: string,
    read: (item: Fields) => T | undefined,
  ): T[] => {
    const items = parent?.list(key, { max: ITEMS_MAX }) ?? [];
    return items.flatMap(({ value, path }) => {
      const item = Fields.open(issues, PROBLEM, value, path);
      const result = item === undefined ? undefined : read(item);
      item?.refuseOthers();
      if (result === undefined) return [];
      origins.set(result, path);
      return [result];
    });
  };
  const command = fields.text('command', { min: 0, max: COMMAND_CHARS_MAX }) ?? '';
  const inputs = fields.object('inputs');
  const outputs = fields.object('outputs');
  const value: ManifestInterface = {
    command,
    inputs: { files: each(inputs, 'files', readInputFile), json: each(inputs, 'json', readInputJson) },
    outputs: { files: each(outputs, 'files', readOutputFile), json: each(outputs, 'json', readOutputJson) },
    mounts: each(fields, 'mounts', readMount),
    settings: each(fields, 'settings', readSetting),
  };
  inputs?.refuseOthers();
  outputs?.refuseOthers();
  fields.refuseOthers();
  return value;
}

function readInputFile(fields: Fields): InputFile | undefined {
  const name = fields.text('name', NAME_NEEDS);
  const required = fields.flag('required', true);
  const mediaTypes = fields.texts('mediaTypes', { max: 250, itemsMax: ITEMS_MAX });
  const multiple = fields.flag('multiple', false);
  const partial = fields.flag('partial', false);
  return name === undefined ? undefined : { name, required, mediaTypes, multiple, partial };
}

function readInputJson(fields: Fields): InputJson | undefined {
  const name = fields.text('name', NAME_NEEDS);
  const type = fields.oneOf('type', JSON_TYPES, { required: true });
  const required = fields.flag('required', true);
  return name === undefined || type === undefined ? undefined : { name, type, required };
}

function readOutputFile(fields: Fields): OutputFile | undefined {
  const name = fields.text('name', NAME_NEEDS);
  const pattern = fields.text('pattern', { required: true, max: 1_000 });
  const isOutside = pattern?.startsWith('/') || pattern?.split('/').includes('..');
  if (isOutside) fields.error('pattern', 'the pattern must stay inside the output directory');
  const mediaType = fields.text('mediaType', { max: 250 });
  const multiple = fields.flag('multiple', false);
  const required = fields.flag('required', true);
  if (name === undefined || pattern === undefined) return undefined;
  return { name, pattern, ...(mediaType === undefined ? {} : { mediaType }), multiple, required };
}

function readOutputJson(fields: Fields): OutputJson | undefined {
  const name = fields.text('name', NAME_NEEDS);
  const type = fields.oneOf('type', JSON_TYPES, { required: true });
  const key = fields.text('key', { max: 250, form: KEY });
  const required = fields.flag('required', true);
  return name === undefined || type === undefined ? undefined : { name, type, key: key ?? name, required };
}

function readMount(fields: Fields): Mount | undefined {
  const name = fields.text('name', NAME_NEEDS);
  const path = fields.text('path', { required: true, max: 1_000 });
  if (path !== undefined) {
    const isInside = path.startsWith('/') && !path.split('/').includes('..') && normalisePath(path) !== '/';
    const text = `the mount path must be an absolute path in the container, not '${path}'`;
    if (!isInside) fields.error('path', text, 'INVALID_MOUNT_PATH');
  }
  const mode = fields.oneOf('mode', ['ro', 'rw']) ?? 'ro';
  return name === undefined || path === undefined ? undefined : { name, path, mode };
}

function readSetting(fields: Fields): Setting | undefined {
  const name = fields.text('name', NAME_NEEDS);
  const secret = fields.flag('secret', false);
  return name === undefined ? undefined : { name, secret };
}
