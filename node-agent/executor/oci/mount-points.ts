/**
 * The places on which every container has something mounted, made once in the unpacked image. In the layer of each
 * container they would be made anew, and removed with it: up to eight folders and a file.
 */
import { chownSync, closeSync, lstatSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CONTAINER_PATHS } from '../../../src/domain/task/task-paths.ts';

/** Parents first. All have one or two names. */
const FOLDERS = [
  ...['/dev', '/proc', '/sys', '/etc'],
  ...[...new Set([dirname(CONTAINER_PATHS.input), dirname(CONTAINER_PATHS.output)])],
  ...[CONTAINER_PATHS.input, CONTAINER_PATHS.output],
];
const FILES = ['/etc/hosts'];

/**
 * Leaves out what the image has, whatever that is, and what would be behind a link. Nobody else may change the image
 * meanwhile. `owner`: the first user of containers.
 */
export function makeMountPoints(root: string, owner: number): void {
  for (const path of [...FOLDERS, ...FILES]) {
    const parent = join(root, dirname(path));
    const place = join(root, path);
    if (!isFolder(parent) || lstatSync(place, { throwIfNoEntry: false }) !== undefined) continue;
    if (FILES.includes(path)) closeSync(openSync(place, 'wx', 0o644));
    else mkdirSync(place, { mode: 0o755 });
    chownSync(place, owner, owner);
  }
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
