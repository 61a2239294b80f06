/**
 * Opens brokers for the workspaces that work names. One broker a workspace and configuration, kept while it
 * is used. Credentials live in memory only: what comes back from the agent's disk without them gets them from what the
 * coordinator has said since.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { AppError } from '../src/domain/errors.ts';
import type { CheckWorkspaces, WorkspaceRef } from '../src/domain/node/coordinator-messages.ts';
import type { Broker, Reach } from '../src/storage/broker.ts';
import { createHostBroker } from '../src/storage/host.ts';
import { createNfsBroker } from '../src/storage/nfs.ts';
import { type MountCalls, NfsMount } from '../src/storage/nfs-mount.ts';
import type { S3Keys } from '../src/storage/s3/connection.ts';
import { createObjstoreBroker } from '../src/storage/s3/objstore.ts';

// limit: brokers kept; the one used longest ago goes first.
const BROKERS_MAX = 256;

export interface ObjectStoreConfig {
  /** The endpoint of workspaces that name none. */
  readonly endpoint?: string;
  /** For workspaces without credentials; without them the role of the host. */
  readonly roleKeys?: S3Keys;
}

export interface WorkspacesOptions {
  /** Where the agent mounts; without it nothing is mounted. */
  readonly mountFolder?: string;
  readonly objectStore?: ObjectStoreConfig;
  /** Another way to mount, in tests. */
  readonly mountCalls?: MountCalls;
}

/** `configuration.broker` as it comes: validated by the coordinator, so only its shape is looked at. */
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

/** Where an export is mounted, and who takes it away. */
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
  /** Looks at markers that have not ended: work that begins meanwhile shares them. */
  readonly #looks = new Map<Broker, Promise<Reach>>();
  /** As the coordinator last told them, credentials included. */
  #told = new Map<string, WorkspaceRef>();

  /** `declared`: `uuid`, its directory needs no marker here; `uuid=/path`, nor is it mounted, it lies at that path. */
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

  /** Takes over what the coordinator says of all active workspaces. */
  learn({ workspaces }: CheckWorkspaces): void {
    this.#told = new Map(workspaces.map((workspace) => [workspace.uuid, workspace]));
  }

  /** False while the workspace's credentials were left out on the way and nobody has told them again. */
  isKnown(workspace: WorkspaceRef): boolean {
    return !isWithheld(workspace) || this.#told.has(workspace.uuid);
  }

  /** Throws AppError WORKSPACE_UNAVAILABLE for a workspace that this agent cannot reach, with the reason. */
  open(workspace: WorkspaceRef): Broker {
    const { uuid, configuration } = isWithheld(workspace) ? this.#toldOf(workspace) : workspace;
    const known = this.#brokers.get(uuid);
    const broker = known?.configuration === configuration ? known.broker : this.#create(uuid, configuration);
    this.#brokers.set(uuid, { configuration, broker });
    return broker;
  }

  /**
   * As `open`, for whoever reads or writes: a directory has to bear its marker now. Where a disk is not mounted any
   * more an empty directory is left: nothing is gone from it, and what was stored in it would be nowhere.
   */
  async reached(workspace: WorkspaceRef): Promise<Broker> {
    const broker = this.open(workspace);
    // A store says with each call whether it is there.
    if (broker.local === undefined) return broker;
    const look = this.#looks.get(broker) ?? broker.check().finally(() => this.#looks.delete(broker));
    this.#looks.set(broker, look);
    const { isReachable, reason } = await look;
    if (!isReachable) throw unavailable(workspace.uuid, reason);
    return broker;
  }

  /**
   * Whether a place is there that may be no workspace's yet. Nothing is written or kept: an export is mounted
   * for as long as the look takes, elsewhere than where work would find it. Throws as `open` does.
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

  /** Takes the agent's mounts away, where nobody uses them. */
  async close(): Promise<void> {
    await Promise.all([...this.#mounts.values()].map((mount) => mount.unmount()));
  }

  #toldOf({ uuid, name }: WorkspaceRef): WorkspaceRef {
    const told = this.#told.get(uuid);
    if (told !== undefined) return told;
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
    return { workspaceUuid, agentId: this.#agentId, isDeclared };
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

/** Failures of the work that are about its storage name the workspace. */
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

/** The workspace without what must not reach a disk; the same object when there is nothing to hide. */
export function withoutCredentials(workspace: WorkspaceRef): WorkspaceRef {
  if (!workspace.configuration.includes('credentials')) return workspace;
  const hide = (key: string, value: unknown): unknown => (key === 'credentials' ? WITHHELD : value);
  const configuration = JSON.stringify(JSON.parse(workspace.configuration, hide));
  return configuration === workspace.configuration ? workspace : { ...workspace, configuration };
}

const WITHHELD = { withheld: true } as const;
const WITHHELD_TEXT = `"credentials":${JSON.stringify(WITHHELD)}`;

function isWithheld({ configuration }: WorkspaceRef): boolean {
  return configuration.includes(WITHHELD_TEXT);
}

/** undefined: the role of this host. Throws when there should be a pair and is none. */
function keysOf(uuid: string, credentials: unknown): S3Keys | undefined {
  if (credentials === undefined || credentials === null) return undefined;
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = credentials as Record<
    string,
    unknown
  >;
  if (typeof accessKeyId === 'string' && typeof secretAccessKey === 'string')
    return { accessKeyId, secretAccessKey };
  throw unavailable(uuid, 'the coordinator cannot open the stored credentials of the workspace');
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
    // The text stays out of the error: it may hold credentials.
    throw unavailable(uuid, 'the configuration of a workspace is no JSON');
  }
}
