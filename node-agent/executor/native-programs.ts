/**
 * Finds the agent's programs in C, which are compiled at installation if there is a compiler
 * (scripts/build/native-programs.ts). Each has a fallback.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const sourceAt = (url: URL): string => fileURLToPath(url);

const SOURCES = {
  launcher: sourceAt(new URL('./spawner/launcher.c', import.meta.url)),
  container: sourceAt(new URL('./oci/light/container.c', import.meta.url)),
  filter: sourceAt(new URL('./oci/light/filter.c', import.meta.url)),
} as const;

export type NativeProgram = keyof typeof SOURCES;

export const NATIVE_PROGRAMS = Object.keys(SOURCES) as NativeProgram[];

export function sourceOf(program: NativeProgram): string {
  return SOURCES[program];
}

/** The name of the program that is compiled from this very source, for this processor. */
export function fileNameOf(program: NativeProgram): string {
  const digest = createHash('sha256').update(readFileSync(SOURCES[program])).digest('hex').slice(0, 12);
  return `${program}-${process.arch}-${digest}`;
}

/** The path of the program; undefined if there is none: it was installed without a compiler. */
export function findNativeProgram(program: NativeProgram): string | undefined {
  const source = SOURCES[program];
  // In a build, the source is in the same folder, under a longer name.
  const isBuilt = basename(source) !== `${program}.c`;
  const folder = isBuilt ? dirname(source) : join(import.meta.dirname, '../../dist');
  const path = join(folder, fileNameOf(program));
  return existsSync(path) ? path : undefined;
}
