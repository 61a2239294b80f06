/**
 * Opens brokers for workspaces: one for each workspace and configuration, kept while it is used. Credentials are in
 * memory only: work that was read from the agent's disk gets them from the workspaces that the coordinator has sent
 * since.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { AppError } from '../src/domain/errors.ts';
import type { CheckWorkspaces, WorkspaceRef } from '../src/domain/node/coordinator-messages.ts';
import { isWithheld } from '../src/domain/workspace/withheld-credentials.ts';
import type { Broker, Reach } from '../src/storage/broker.ts';
import { createHostBroker } from '../src/storage/host.ts';
import { createNfsBroker } from '../src/storage/nfs.ts';
import { type MountCalls, NfsMount } from '../src/storage/nfs-mount.ts';
import type { S3Keys } from '../src/storage/s3/connection.ts';
import { createObjstoreBroker } from '../src/storage/s3/objstore.ts';

// limit: brokers kept; the least recently used is dropped first.
const BROKERS_MAX = 256;

export interface ObjectStoreConfig {
  /** The endpoint of workspaces that name none. */
  readonly endpoint?: string;
  /** For workspaces without credentials; without them the role of the host. */
  readonly roleKeys?: S3Keys;
}

export interface WorkspacesOptions {
  /** The folder for the agent's mounts; without it nothing is mounted. */
  readonly mountFolder?: string;
  readonly objectStore?: ObjectStoreConfig;
  /** Replaces mounting in tests. */
  readonly mountCalls?: MountCalls;
}

/** The unchecked `configuration.broker`. The coordinator has validated it, so only its form is checked. */
interface BrokerDocument {
  readonly type?: unknown;
  readonly host_path?: unknown;
  readonly nfs_path?: unknown;
  readonly bucket_name?: unknown;
  readonly endpoint?: unknown;
  readonly region_name?: unknown;
  readonly path_style?: unknown;
  readonly credentials?: unknown;
}

/** Where an export is mounted, and who unmounts it. */
interface Mounted {
  readonly mounts: Map<string, NfsMount>;
  readonly placeName: string;
}

export class Workspaces {
  readonly #agentId: string;
  readonly #options: WorkspacesOptions;
  readonly #declared: ReadonlyMap<string, string | undefined>;
  readonly #brokers = new LRUCache<string, { configuration: string; broker: Broker }>({ max: BROKERS_MAX });
  readonly #mounts = new Map<string, NfsMount>();
  /** Unfinished checks of markers, which work that begins meanwhile shares. */
  readonly #looks = new Map<Broker, Promise<Reach>>();
  /** Workspaces as the coordinator has last sent them, with credentials. */
  #received = new Map<string, WorkspaceRef>();

  /** `declared`: `uuid`: its directory needs no marker here; `uuid=/path`: nor is it mounted, it is at that path. */
  constructor(agentId: string, declared: readonly string[], options: WorkspacesOptions = {}) {
    this.#agentId = agentId;
    this.#options = options;
    this.#declared = new Map(
      declared.map((text) => {
        const [uuid = '', ...path] = text.split('=');
        return [uuid.toLowerCase(), path.length === 0 ? undefined : path.join('=')];
      }),
    );
  }

  /** Replaces the known active workspaces by those that the coordinator sends. */
  learn({ workspaces }: CheckWorkspaces): void {
    this.#received = new Map(workspaces.map((workspace) => [workspace.uuid, workspace]));
  }

  /** False if the workspace's credentials were left out and have not been sent again yet. */
  isKnown(workspace: WorkspaceRef): boolean {
    return !isWithheld(workspace) || this.#received.has(workspace.uuid);
  }

  /** Throws AppError WORKSPACE_UNAVAILABLE for a workspace that this agent cannot reach, with the reason. */
  open(workspace: WorkspaceRef): Broker {
    const { uuid, configuration } = isWithheld(workspace) ? this.#receivedOf(workspace) : workspace;
    const known = this.#brokers.get(uuid);
    const broker = known?.configuration === configuration ? known.broker : this.#create(uuid, configuration);
    this.#brokers.set(uuid, { configuration, broker });
    return broker;
  }

  /**
   * As `open`, for reading or writing: a directory must have its marker now. Otherwise the empty directory of an
   * unmounted disk would be used: files would seem to be missing, and stored ones would be lost.
   */
  async reached(workspace: WorkspaceRef): Promise<Broker> {
    const broker = this.open(workspace);
    // An object store reports unavailability with each call.
    if (broker.local === undefined) return broker;
    const look = this.#looks.get(broker) ?? broker.check().finally(() => this.#looks.delete(broker));
    this.#looks.set(broker, look);
    const { isReachable, reason } = await look;
    if (!isReachable) throw unavailable(workspace.uuid, reason);
    return broker;
  }

  /**
   * Whether a place exists that may belong to no workspace yet. Nothing is written or kept: an export is mounted for
   * the duration of the check, at a place where no work uses it. Throws as `open` does.
   */
  async look({ uuid, configuration }: WorkspaceRef): Promise<Reach> {
    const known = this.#brokers.get(uuid);
    if (known?.configuration === configuration) return known.broker.check();
    const mounts = new Map<string, NfsMount>();
    try {
      return await this.#create(uuid, configuration, { mounts, placeName: `look-${randomUUID()}` }).check();
    } finally {
      await Promise.all([...mounts.values()].map((mount) => mount.remove()));
    }
  }

  /** Removes the agent's unused mounts. */
  async close(): Promise<void> {
    await Promise.all([...this.#mounts.values()].map((mount) => mount.unmount()));
  }

  #receivedOf({ uuid, name }: WorkspaceRef): WorkspaceRef {
    const received = this.#received.get(uuid);
    if (received !== undefined) return received;
    throw unavailable(uuid, `the credentials of the workspace '${name}' are not known here yet`);
  }

  #create(
    uuid: string,
    configuration: string,
    mounted: Mounted = { mounts: this.#mounts, placeName: uuid },
  ): Broker {
    const document = readBroker(uuid, configuration);
    if (document.type === 'host') return this.#host(uuid, document);
    if (document.type === 'nfs') return this.#nfs(uuid, document, mounted);
    if (document.type === 'objstore') return this.#objstore(uuid, document);
    throw unavailable(uuid, `this agent has no broker of type ${String(document.type)}`);
  }

  #host(uuid: string, { host_path: hostPath }: BrokerDocument): Broker {
    const root = this.#declared.get(uuid) ?? text(hostPath);
    if (root === undefined) throw unavailable(uuid, 'the workspace names no directory');
    return createHostBroker({ ...this.#directory(uuid), root });
  }

  #nfs(uuid: string, { nfs_path: nfsPath }: BrokerDocument, { mounts, placeName }: Mounted): Broker {
    const declaredPath = this.#declared.get(uuid);
    if (declaredPath !== undefined) return createNfsBroker({ ...this.#directory(uuid), declaredPath });
    const source = text(nfsPath);
    const { mountFolder, mountCalls } = this.#options;
    if (source === undefined) throw unavailable(uuid, 'the workspace names no export');
    if (mountFolder === undefined) throw unavailable(uuid, 'this agent has no place for mounts');
    const calls = mountCalls === undefined ? {} : { calls: mountCalls };
    const mount = new NfsMount({ source, place: join(mountFolder, placeName), ...calls });
    mounts.set(uuid, mount);
    return createNfsBroker({ ...this.#directory(uuid), mount });
  }

  #directory(workspaceUuid: string) {
    const isDeclared = this.#declared.has(workspaceUuid);
    const nameOf = (uuid: string) => this.#received.get(uuid)?.name;
    return { workspaceUuid, agentId: this.#agentId, isDeclared, nameOf };
  }

  #objstore(uuid: string, document: BrokerDocument): Broker {
    const bucket = text(document.bucket_name);
    if (bucket === undefined) throw unavailable(uuid, 'the workspace names no bucket');
    const { endpoint, roleKeys } = this.#options.objectStore ?? {};
    return createObjstoreBroker({
      bucket,
      endpoint: text(document.endpoint) ?? endpoint,
      region: text(document.region_name),
      pathStyle: typeof document.path_style === 'boolean' ? document.path_style : undefined,
      keys: keysOf(uuid, document.credentials),
      roleKeys,
      mountPath: this.#declared.get(uuid) ?? text(document.host_path),
    });
  }
}

/** Adds the name of the workspace to storage failures of the work. */
export async function inWorkspace<T>({ name }: WorkspaceRef, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isOfStorage =
      error instanceof AppError && (error.code === 'WORKSPACE_UNAVAILABLE' || error.code === 'FILESYSTEM_IO');
    if (!isOfStorage) throw error;
    const { code, message, detail } = error;
    throw new AppError(code, `the workspace '${name}': ${message}`, { ...detail }, { cause: error });
  }
}

/** undefined: the role of this host. Throws if an incomplete pair is given. */
function keysOf(uuid: string, credentials: unknown): S3Keys | undefined {
  if (credentials === undefined || credentials === null) return undefined;
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = credentials as Record<
    string,
    unknown
  >;
  if (typeof accessKeyId === 'string' && typeof secretAccessKey === 'string')
    return { accessKeyId, secretAccessKey };
  throw unavailable(uuid, 'the coordinator cannot decrypt the stored credentials of the workspace');
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function unavailable(uuid: string, reason: string): AppError {
  return new AppError('WORKSPACE_UNAVAILABLE', reason, { uuid });
}

/** The broker of the configuration, which may be the whole document of a workspace or its broker alone. */
function readBroker(uuid: string, configuration: string): BrokerDocument {
  try {
    const document = JSON.parse(configuration) as { readonly broker?: BrokerDocument };
    return document.broker ?? (document as BrokerDocument);
  } catch {
    // The text is left out of the error, because it may contain credentials.
    throw unavailable(uuid, 'the configuration of the workspace is not JSON');
  }
}
