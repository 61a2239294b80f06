/** `init`: creates a file for `apply`, with the directories that it names. Nothing is overwritten. */
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import { nameFromTitle } from '../../domain/names.ts';
import type { Context } from '../frame/context.ts';
import { notWritten, writeWhole } from '../frame/whole-file.ts';
import { SAMPLES, skeleton } from './samples.ts';

export interface InitOptions {
  readonly example?: string;
}

/** In dist/ all files of the program are in one folder; in the sources this one is three levels down. */
const ROOTS = [join(import.meta.dirname, '..'), join(import.meta.dirname, '../../..')];
/** Shorter than a name may be, because the skeleton appends to it. */
const SET_CHARS_MAX = 30;

export async function runInit(context: Context, { example }: InitOptions, directory = '.'): Promise<void> {
  const folder = resolve(context.terminal.cwd, directory);
  const { file, files, folders } = example === undefined ? ownSet(folder) : await exampleSet(example);
  const taken = Object.keys(files).filter((path) => existsSync(join(folder, path)));
  if (taken.length > 0) {
    const all = taken.map((path) => join(directory, path)).join(', ');
    throw new AppError('CONFLICT', `exists already, and is not overwritten: ${all}`);
  }
  for (const name of folders) await makeFolder(join(folder, name));
  for (const [path, text] of Object.entries(files)) {
    await makeFolder(dirname(join(folder, path)));
    // Another one that is made meanwhile is not overwritten either.
    await writeWhole(join(folder, path), text, { isReplacing: false });
    context.print(join(directory, path));
  }
  const shown = join(directory, file);
  for (const line of [
    'Next:',
    '  millrace up                      a service, in another terminal',
    `  millrace lint -f ${shown}`,
    `  millrace apply -f ${shown}`,
    '  millrace top                     what it does',
  ]) {
    context.note(line);
  }
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true }).catch((error: unknown) => {
    throw notWritten(path, error);
  });
}

interface NewSet {
  readonly file: string;
  readonly files: Readonly<Record<string, string>>;
  readonly folders: readonly string[];
}

function ownSet(folder: string): NewSet {
  const name = nameFromTitle(basename(folder), 'files').slice(0, SET_CHARS_MAX).replace(/-+$/, '');
  const set = /[a-z]/.test(name) ? name : `files-${name}`;
  return {
    file: 'millrace.yaml',
    files: { 'millrace.yaml': skeleton(set) },
    folders: ['in', 'out'],
  };
}

/** The examples are the guide's. */
async function exampleSet(name: string): Promise<NewSet> {
  const root = ROOTS.find((path) => existsSync(join(path, 'docs/apply.md')));
  if (root === undefined) throw new AppError('NOT_FOUND', 'docs/apply.md is missing: install Millrace again');
  const guide = await readFile(join(root, 'docs/apply.md'), 'utf8');
  const [, text = ''] = new RegExp(`\`\`\`yaml\\n(set: ${name}\\n[\\s\\S]*?)\`\`\``).exec(guide) ?? [];
  const folders = [...text.matchAll(/: \.\/([a-z]+)/g)].map(([, path = '']) => path);
  return { file: `${name}.yaml`, files: { [`${name}.yaml`]: text, ...SAMPLES[name] }, folders };
}
