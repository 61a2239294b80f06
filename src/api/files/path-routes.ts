/** `/v6/workspaces/{name}/files/{path}`: files by their paths. */
import { randomUUID } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { AppError } from '../../domain/errors.ts';
import { invalidBody } from '../../http/problem.ts';
import { flag } from '../../http/request/parameters.ts';
import { pathRest, pathText } from '../../http/request/path-parameters.ts';
import { defineRoute, defineUpload, reply } from '../../http/route.ts';
import { id, NO_BODY, named, orNull } from '../../http/schema.ts';
import { contentReply, contentRequestOf, FileContent } from './content-reply.ts';
import { openPath, type PathParts } from './paths.ts';
import {
  openUpload,
  placeForNew,
  recordStored,
  refuseTooLarge,
  sendBody,
  type TakingParts,
} from './taking.ts';

const content = defineRoute({
  method: 'GET',
  path: '/v6/workspaces/{name}/files/{path}',
  summary: 'Content of a file by its path',
  description:
    'Streams a recorded file. A file that is not recorded is served to staff, where the configuration of the ' +
    'workspace says `http: read` or `write`. Headers and ranges are those of `/v6/files/{id}/content/`.',
  params: { name: pathText, path: pathRest },
  replies: { 200: FileContent, 206: FileContent, 416: NO_BODY },
  async handle({ params, request }, parts: PathParts) {
    const { isStaff } = request.caller;
    return contentReply(
      await openPath(parts, params.name, params.path, { ...contentRequestOf(request), isStaff }),
    );
  },
});

const StoredPath = named(
  'StoredPath',
  Type.Object({
    path: Type.String(),
    file_size: Type.Integer({ minimum: 0 }),
    sha256: Type.String(),
    file_id: orNull(id('The source file that was recorded.')),
  }),
);

/** Throws if the body is a part of the file or an encoding of it, which would be stored as if it were the file. */
function refusePart(headers: ReadonlyMap<string, string>): void {
  if (headers.has('content-range')) {
    const description = 'is not supported: the body has to be the whole file';
    throw invalidBody([{ name: 'INVALID_HEADER', description, path: 'Content-Range' }]);
  }
  const coding = headers.get('content-encoding') ?? 'identity';
  if (coding !== 'identity') {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', `the body must not be encoded (${coding.slice(0, 50)})`);
  }
}

const put = defineUpload({
  method: 'PUT',
  path: '/v6/workspaces/{name}/files/{path}',
  summary: 'Store a file at a path that has none',
  description:
    'The body is the file. Needs `http: write` in the configuration of the workspace. The file appears at its path ' +
    'when it is complete. Nothing is overwritten: 409 if there is anything at the path. 507 if the disk is full.',
  params: { name: pathText, path: pathRest },
  query: { record: flag('True: record the file as a source, as an ingest does.') },
  replies: { 201: StoredPath },
  async handle({ params, query, body, request }, parts: TakingParts) {
    const { uploadBytesMax: bytesMax } = parts;
    refusePart(request.headers);
    const length = request.headers.get('content-length');
    const size = length === undefined ? undefined : Number(length);
    if (size !== undefined) refuseTooLarge(size, bytesMax);
    const place = await placeForNew(parts, params.name, params.path);
    const { path } = params;
    const upload = { workspace: place.workspace, path, uploadId: randomUUID(), size };
    const { stream } = await openUpload(parts, upload, place.nodeIds);
    const stored = await sendBody(stream, body, { bytesMax, signal: request.signal });
    if (!stored.isStored) throw new AppError('INVALID_REQUEST', 'the body ended before it was complete');
    const fileId =
      query.record === true ? await recordStored(parts, place, { path, ...stored }, request.nowMs) : null;
    const answer = { path, file_size: stored.size, sha256: stored.sha256, file_id: fileId };
    return reply(201, answer, { location: request.path });
  },
});

export const pathRoutes = [content, put];
