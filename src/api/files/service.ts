/** Stored files: the service behind their routes. Content comes from an agent that reaches the file's workspace. */
import { type NodeMessage, nodeAddress } from '../../actors/node/node.messages.ts';
import { AppError } from '../../domain/errors.ts';
import type { SendFile } from '../../domain/node/coordinator-messages.ts';
import type { ObjstoreBroker } from '../../domain/workspace/workspace-config.ts';
import { type ByteRange, byteRange } from '../../http/request/byte-range.ts';
import type { CoordinatorInfo, System } from '../../kernel/mod.ts';
import type { ContentRequests } from '../../rpc/content.ts';
import { presignedUrl } from '../../storage/s3/presign.ts';
import { type FilePlace, findFile, findFilePlace, listFiles } from '../../store/file/list.ts';
import type { Encryption } from '../../store/secret-key/encryption.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { openedBroker } from '../workspaces/opened-workspaces.ts';
import { ContentPipe } from './content-pipe.ts';
import { canBeSentTo } from './redirect-target.ts';
import {
  type AskedContent,
  attachment,
  contentTag,
  type FileRouteDeps,
  mediaTypeHeader,
  type OpenedContent,
} from './routes.ts';

export interface FileParts {
  readonly sql: Sql;
  readonly encryption: Encryption;
  /** Object store of workspaces that name none. */
  readonly s3Endpoint?: string | undefined;
  readonly system: Pick<System, 'ask' | 'ownerOf'>;
  /** Id of this coordinator: agents stream to the coordinator that owns their node. */
  readonly self: string;
  /** The address on which this coordinator serves HTTP, `host:port`. */
  readonly httpAddress: string;
  /** The scheme, which is the same for all coordinators. */
  readonly httpScheme?: 'http' | 'https';
  readonly contents: ContentRequests;
  readonly newRequestId: () => string;
  /** How long an agent may take to start sending. */
  readonly beginDeadlineMs?: number;
}

/** How long the client may take to follow; a read that has begun continues. */
const PRESIGNED_S = 300;
const ASK_DEADLINE_MS = 5_000;
const BEGIN_DEADLINE_MS = 15_000;
// limit: agents that are tried, one after another.
const TRIES_MAX = 3;

export function filesApp(parts: FileParts): FileRouteDeps['files'] {
  const { sql } = parts;
  return {
    list: (filter, order, page) => listFiles(sql, filter, order, page),
    find: (id) => findFile(sql, id),
    openContent: (id, asked) => openContent(parts, id, asked),
  };
}

async function openContent(parts: FileParts, id: number, asked: AskedContent): Promise<OpenedContent> {
  const place = await findFilePlace(parts.sql, id);
  if (place === undefined) throw new AppError('NOT_FOUND', 'there is no such file');
  if (place.isDeleted) throw new AppError('FILE_NOT_FOUND', `the content of '${place.fileName}' was deleted`);
  const { name, isActive } = place.workspace;
  if (!isActive) throw new AppError('STATE_CONFLICT', `the workspace '${name}' is not active`);
  const presigned = await presign(parts, place);
  if (presigned !== undefined) return { kind: 'presigned', url: presigned };
  const owners = place.nodeIds.map((nodeId) => ({
    nodeId,
    owner: parts.system.ownerOf(nodeAddress(nodeId)),
  }));
  const here = owners.filter(({ owner }) => owner?.id === parts.self);
  if (here.length === 0) return elsewhere(parts, owners, name);
  const part = partOf(place, asked);
  if (part === 'unsatisfiable') return { kind: 'unsatisfiable', size: place.size };
  const nodeIds = here.map(({ nodeId }) => nodeId).slice(0, TRIES_MAX);
  return openHere(parts, { ...place, part }, nodeIds, asked.signal);
}

/** A range whose `If-Range` names other content is ignored. */
function partOf({ size, sha256 }: FilePlace, { range, ifRange }: AskedContent) {
  const holds = ifRange === undefined || (sha256 !== null && ifRange === contentTag(sha256));
  return holds ? byteRange(range, size) : undefined;
}

interface AskedPlace extends FilePlace {
  readonly part: ByteRange | undefined;
}

/** Only if the workspace has credentials, and this coordinator's clients can be sent to its endpoint. */
async function presign(
  { encryption, s3Endpoint, httpAddress }: FileParts,
  { path, fileName, mediaType, workspace }: FilePlace,
): Promise<string | undefined> {
  const { broker } = workspace.configuration;
  if (broker.type !== 'objstore' || broker.credentials === undefined) return undefined;
  const { credentials, ...store } = openedBroker(broker, { encryption, s3Endpoint }) as ObjstoreBroker;
  if (typeof credentials?.secret_access_key !== 'string') return undefined;
  if (store.endpoint !== undefined && !canBeSentTo(storeAddress(store.endpoint), httpAddress))
    return undefined;
  const keys = {
    accessKeyId: credentials.access_key_id,
    secretAccessKey: credentials.secret_access_key,
  };
  const { bucket_name: bucket, endpoint, region_name: region, path_style: pathStyle } = store;
  return presignedUrl(
    { bucket, endpoint, region, pathStyle, keys },
    {
      key: path,
      seconds: PRESIGNED_S,
      contentType: mediaTypeHeader(mediaType),
      contentDisposition: attachment(fileName),
    },
  );
}

function storeAddress(endpoint: string): string {
  const { hostname, port, protocol } = new URL(endpoint);
  return `${hostname}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`;
}

function elsewhere(
  { httpAddress, httpScheme = 'http' }: FileParts,
  owners: readonly { readonly owner: CoordinatorInfo | undefined }[],
  workspace: string,
): OpenedContent {
  const others = owners.flatMap(({ owner }) => owner ?? []);
  const other = others.find((one) => canBeSentTo(one.httpAddress, httpAddress));
  if (other !== undefined) return { kind: 'elsewhere', base: `${httpScheme}://${other.httpAddress}` };
  const text =
    others.length === 0
      ? `no agent that is there reaches the workspace '${workspace}'`
      : `the agents that reach the workspace '${workspace}' speak to a coordinator that listens on ` +
        `${others[0]?.httpAddress}, where no client can be sent: ask that coordinator`;
  throw new AppError('AGENT_UNAVAILABLE', text);
}

/**
 * Asks one agent after another until one starts sending. Throws the last error, or that the file is missing if an agent
 * has checked.
 */
async function openHere(
  parts: FileParts,
  place: AskedPlace,
  nodeIds: readonly number[],
  signal: AbortSignal,
): Promise<OpenedContent> {
  let failure: unknown;
  for (const nodeId of nodeIds) {
    try {
      return await openAt(parts, place, nodeId, signal);
    } catch (error) {
      if (!isMissing(failure)) failure = error;
      if (signal.aborted) break;
    }
  }
  throw failure;
}

function isMissing(failure: unknown): boolean {
  return failure instanceof AppError && failure.code === 'FILE_NOT_FOUND';
}

async function openAt(
  parts: FileParts,
  place: AskedPlace,
  nodeId: number,
  signal: AbortSignal,
): Promise<OpenedContent> {
  const requestId = parts.newRequestId();
  const pipe = new ContentPipe();
  const giveUp = () => pipe.abandon();
  const late = setTimeout(giveUp, parts.beginDeadlineMs ?? BEGIN_DEADLINE_MS);
  signal.addEventListener('abort', giveUp, { once: true });
  parts.contents.expect(requestId, pipe);
  try {
    const message: NodeMessage = { type: 'sendFile', file: fileOf(place, requestId) };
    await parts.system.ask(nodeAddress(nodeId), message, { deadlineMs: ASK_DEADLINE_MS });
    const length = await pipe.begun;
    const { fileName, mediaType, size, part } = place;
    const isShort = part !== undefined && length !== part.end - part.start + 1;
    if (isShort) throw new AppError('FILE_NOT_FOUND', 'the file in the workspace has another size');
    return {
      ...{ kind: 'stream', fileName, mediaType, sha256: place.sha256 ?? undefined },
      body: { stream: pipe.stream, length },
      ...(part === undefined ? {} : { part: { ...part, size } }),
    };
  } catch (error) {
    signal.removeEventListener('abort', giveUp);
    giveUp();
    throw error;
  } finally {
    clearTimeout(late);
    parts.contents.forget(requestId);
  }
}

function fileOf({ path, workspace, part }: AskedPlace, requestId: string): SendFile {
  const { uuid, name, configuration } = workspace;
  const ref = { uuid, name, configuration: JSON.stringify(configuration) };
  const bytes =
    part === undefined ? { offset: 0, length: 0 } : { offset: part.start, length: part.end - part.start + 1 };
  return { type: 'sendFile', requestId, workspace: ref, path, ...bytes };
}
