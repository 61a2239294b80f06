/** Stored files: the service behind their routes. Content comes from an agent that reaches the file's workspace. */
import { nodeAddress } from '../../actors/node/node.messages.ts';
import { AppError } from '../../domain/errors.ts';
import type { ObjstoreBroker } from '../../domain/workspace/workspace-config.ts';
import { byteRange } from '../../http/request/byte-range.ts';
import type { CoordinatorInfo } from '../../kernel/mod.ts';
import { presignedUrl } from '../../storage/s3/presign.ts';
import { type FilePlace, findFilePlace } from '../../store/file/list.ts';
import type { Encryption } from '../../store/secret-key/encryption.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { existing } from '../shared/existing.ts';
import { openedBroker } from '../workspaces/opened-workspaces.ts';
import { type AgentContentParts, openFromAgents } from './agent-content.ts';
import {
  attachment,
  type ContentRequest,
  contentTag,
  mediaTypeHeader,
  type OpenedContent,
  type StreamedContent,
} from './content-reply.ts';
import { canBeSentTo } from './redirect-target.ts';

export interface FileParts extends AgentContentParts {
  readonly sql: Sql;
  readonly encryption: Encryption;
  /** Object store of workspaces that name none. */
  readonly s3Endpoint?: string | undefined;
  /** The address on which this coordinator serves HTTP, `host:port`. */
  readonly httpAddress: string;
  /** The scheme, which is the same for all coordinators. */
  readonly httpScheme?: 'http' | 'https';
}

/** How long a presigned address can be used. A download that has begun by then continues. */
const PRESIGNED_S = 300;

/**
 * Opens the content of a file. Throws NOT_FOUND, FILE_NOT_FOUND (deleted), STATE_CONFLICT (its workspace is not
 * active), AGENT_UNAVAILABLE or WORKSPACE_UNAVAILABLE.
 */
export async function openContent(
  parts: FileParts,
  id: number,
  wanted: ContentRequest,
): Promise<OpenedContent> {
  const place = existing(await findFilePlace(parts.sql, id), 'file', id);
  if (place.isDeleted) throw new AppError('FILE_NOT_FOUND', `the content of '${place.fileName}' was deleted`);
  refuseInactive(place.workspace);
  if (wanted.isStream) return streamed(parts, place, place.nodeIds, wanted);
  const presigned = await presign(parts, place);
  if (presigned !== undefined) return { kind: 'presigned', url: presigned };
  const owners = place.nodeIds.map((nodeId) => ({
    nodeId,
    owner: parts.system.ownerOf(nodeAddress(nodeId)),
  }));
  const here = owners.filter(({ owner }) => owner?.id === parts.self).map(({ nodeId }) => nodeId);
  if (here.length === 0) return elsewhere(parts, owners, place.workspace.name);
  return streamed(parts, place, here, wanted);
}

export function refuseInactive({ name, isActive }: FilePlace['workspace']): void {
  if (!isActive) throw new AppError('STATE_CONFLICT', `the workspace '${name}' is not active`);
}

/** The content, or the part of it that is asked for, from one of the nodes. */
export async function streamed(
  parts: AgentContentParts,
  place: Pick<FilePlace, 'fileName' | 'mediaType' | 'size' | 'sha256' | 'path' | 'workspace'>,
  nodeIds: readonly number[],
  wanted: Omit<ContentRequest, 'isStream'>,
): Promise<StreamedContent> {
  const { fileName, mediaType, size, sha256 } = place;
  const part = partOf(place, wanted);
  if (part === 'unsatisfiable') return { kind: 'unsatisfiable', size };
  const { stream, length } = await openFromAgents(parts, { ...place, part }, nodeIds, wanted.signal);
  return {
    ...{ kind: 'stream', fileName, mediaType, sha256: sha256 ?? undefined, body: { stream, length } },
    ...(part === undefined ? {} : { part: { ...part, size } }),
  };
}

/** The requested range. It is ignored if `If-Range` names other content. */
function partOf(
  { size, sha256 }: Pick<FilePlace, 'size' | 'sha256'>,
  { range, ifRange }: Pick<ContentRequest, 'range' | 'ifRange'>,
) {
  const holds = ifRange === undefined || (sha256 !== null && ifRange === contentTag(sha256));
  return holds ? byteRange(range, size) : undefined;
}

/** Undefined if the workspace has no credentials, or this coordinator's clients cannot be sent to its endpoint. */
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
      ? `no connected agent reaches the workspace '${workspace}'`
      : `the agents that reach the workspace '${workspace}' are connected to the coordinator that listens on ` +
        `${others[0]?.httpAddress}, and clients cannot be sent to that address: ask that coordinator itself`;
  throw new AppError('AGENT_UNAVAILABLE', text);
}
