/** Workspaces that share files because one directory equals the other's, or lies above or below it. */
import { normalisePath } from '../paths.ts';
import type { Problem } from '../validation.ts';
import type { BrokerConfiguration } from './workspace-config.ts';

/** The place of one broker relative to another. */
export type Overlap = 'the same as' | 'above' | 'below';

/**
 * Undefined: no file is in both. Directories of different hosts count as one, because it is unknown which host has
 * which.
 */
function overlapOf(one: BrokerConfiguration, other: BrokerConfiguration): Overlap | undefined {
  if (one.type === 'host' && other.type === 'host') return pathOverlap(one.host_path, other.host_path);
  if (one.type === 'nfs' && other.type === 'nfs') return pathOverlap(one.nfs_path, other.nfs_path);
  if (one.type !== 'objstore' || other.type !== 'objstore') return undefined;
  const isSame = one.bucket_name === other.bucket_name && endpointOf(one) === endpointOf(other);
  return isSame ? 'the same as' : undefined;
}

/** Whether both reach the same files under the same paths. */
export function isSamePlace(one: BrokerConfiguration, other: BrokerConfiguration): boolean {
  return overlapOf(one, other) === 'the same as';
}

function endpointOf({ endpoint = '' }: { readonly endpoint?: string }): string {
  return endpoint.replace(/\/$/, '');
}

function pathOverlap(one: string, other: string): Overlap | undefined {
  const [a, b] = [`${normalisePath(one)}/`, `${normalisePath(other)}/`];
  if (a === b) return 'the same as';
  if (b.startsWith(a)) return 'above';
  return a.startsWith(b) ? 'below' : undefined;
}

export interface NamedBroker {
  readonly name: string;
  readonly broker: BrokerConfiguration;
}

/** A warning for each of the others that shares files with the broker. */
export function overlapWarnings(broker: BrokerConfiguration, others: readonly NamedBroker[]): Problem[] {
  return others.flatMap(({ name, broker: other }) => {
    const overlap = overlapOf(broker, other);
    if (overlap === undefined) return [];
    const place = broker.type === 'objstore' ? 'bucket' : 'directory';
    const follows =
      overlap === 'the same as' && place === 'directory'
        ? 'a node reaches at most one of the two'
        : 'each sees files of the other';
    const description = `its ${place} is ${overlap} that of the workspace '${name}': ${follows}`;
    return [{ name: 'overlapping_workspace', description, path: `broker.${PLACES[broker.type]}` }];
  });
}

const PLACES = { host: 'host_path', nfs: 'nfs_path', objstore: 'bucket_name' } as const;

/** A warning for each strike that watches the same place, with its name. */
export function watchedWarnings(
  own: NamedBroker,
  watched: readonly { readonly strike: string; readonly workspace: NamedBroker }[],
): Problem[] {
  return watched.flatMap(({ strike, workspace }) => {
    if (!isSamePlace(own.broker, workspace.broker)) return [];
    const place = own.broker.type === 'objstore' ? 'bucket' : 'directory';
    const by = workspace.name === own.name ? '' : ` as the workspace '${workspace.name}'`;
    const rest = 'each takes every file by its own rules';
    const description = `the strike '${strike}' watches the same ${place}${by}: ${rest}`;
    return [{ name: 'watched_already', description, path: 'workspace' }];
  });
}

/** The place of a workspace's files, for people; other changes of the configuration do not move files. */
export function placeOf(broker: BrokerConfiguration): string {
  if (broker.type === 'host') return broker.host_path;
  if (broker.type === 'nfs') return broker.nfs_path;
  const { endpoint = '', bucket_name: bucket } = broker;
  return endpoint === '' ? `the bucket '${bucket}'` : `the bucket '${bucket}' at ${endpoint}`;
}

/** Warnings for a workspace whose files are left behind; none if its place stays, or has no files. */
export function movedWarnings(
  before: BrokerConfiguration,
  after: BrokerConfiguration,
  files: number,
  countedMax: number,
): Problem[] {
  if (files === 0 || isSamePlace(before, after)) return [];
  const many =
    files > countedMax ? `more than ${countedMax} files` : files === 1 ? '1 file' : `${files} files`;
  const [from, to] = [placeOf(before), placeOf(after)];
  const description = `${many} stored at ${from} will not be found at ${to}, unless they are moved there`;
  return [{ name: 'files_left_behind', description, path: `broker.${PLACES[after.type]}` }];
}
