/** `/v6/workspaces/{name}/uploads/`: uploads that can be resumed, with the protocol tus 1.0. */
import { Type } from '@sinclair/typebox';
import { AppError } from '../../domain/errors.ts';
import { type PathPart, pathText } from '../../http/request/path-parameters.ts';
import { defineRoute, defineUpload, type HeaderWords, type RouteRequest, reply } from '../../http/route.ts';
import { id, instant, NO_BODY, named, orNull } from '../../http/schema.ts';
import type { TakingParts } from '../files/taking.ts';
import {
  continueUpload,
  createUpload,
  readUpload,
  removeUpload,
  type UploadId,
  type UploadState,
} from './service.ts';
import {
  CHUNK_MEDIA_TYPE,
  newUploadOf,
  offsetOf,
  progressHeaders,
  refuseOtherMediaType,
  refuseOtherVersion,
  TUS_EXTENSIONS,
  TUS_VERSION,
} from './tus-headers.ts';

const UPLOADS = '/v6/workspaces/{name}/uploads/';
const UPLOAD = `${UPLOADS}{upload}/`;

/** The name of an upload in paths: `<node>-<uuid>`. */
const pathUpload: PathPart<UploadId> = {
  schema: Type.String({ minLength: 1, description: 'From the `Location` of the created upload.' }),
  read: (text) => {
    const match = /^([1-9]\d{0,14})-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(text);
    return match === null ? undefined : { nodeId: Number(match[1]), uploadId: match[2] ?? '' };
  },
};

const VERSION: HeaderWords = {
  description: 'The version of tus that the client speaks.',
  schema: Type.Unsafe({ type: 'string', enum: [TUS_VERSION] }),
  isRequired: true,
};
const OFFSET: HeaderWords = {
  description: 'Where the body continues: the number of bytes that the service has.',
  schema: Type.Integer({ minimum: 0 }),
  isRequired: true,
};

const TUS = {
  answerHeaders: { 'tus-resumable': TUS_VERSION, 'tus-version': TUS_VERSION },
  optionsHeaders: ({ uploadBytesMax }: TakingParts) => ({
    'tus-resumable': TUS_VERSION,
    'tus-version': TUS_VERSION,
    'tus-extension': TUS_EXTENSIONS.join(','),
    'tus-max-size': String(uploadBytesMax),
  }),
} as const;

const Upload = named(
  'Upload',
  Type.Object({
    path: Type.String({ description: 'Where the file is stored when it is complete.' }),
    file_size: Type.Integer({ minimum: 0 }),
    offset: Type.Integer({ minimum: 0, description: 'Bytes that are on disk.' }),
    expires: instant('When the upload is removed, unless more of it is sent.'),
    is_stored: Type.Boolean({ description: 'The file is at its path.' }),
    sha256: orNull(Type.String({ description: 'Null until the file is stored.' })),
    file_id: orNull(id('The file that is recorded at its path.')),
  }),
);

const create = defineRoute({
  method: 'POST',
  path: UPLOADS,
  summary: 'Begin an upload that can be resumed',
  description:
    'Speaks [tus 1.0](https://tus.io/protocols/resumable-upload) with the extensions creation, termination and ' +
    'expiration. Needs `http: write` in the configuration of the workspace. The bytes follow in PATCH requests to ' +
    '`Location`. The file appears at its path when it is complete, and never replaces another file.',
  repeats: { reason: 'a repeat begins another upload; one that nobody continues is removed after a day' },
  params: { name: pathText },
  headers: {
    'Tus-Resumable': VERSION,
    'Upload-Length': { ...OFFSET, description: 'The size of the file in bytes.' },
    'Upload-Metadata': {
      description:
        'Pairs of a key and a value in Base64, separated by commas: `path`, the path of the file in the workspace ' +
        '(default: `filename`); `record`, true to record the file as a source. Other keys are ignored.',
      schema: Type.String(),
      isRequired: true,
    },
  },
  ...TUS,
  replies: { 201: NO_BODY },
  async handle({ params, request }, parts: TakingParts) {
    refuseOtherVersion(request.headers, true);
    const made = await createUpload(parts, params.name, newUploadOf(request.headers), request);
    const location = `${request.path}${made.nodeId}-${made.uploadId}/`;
    return reply(201, undefined, { location, ...progressHeaders(made) });
  },
});

const read = defineRoute({
  method: 'GET',
  path: UPLOAD,
  summary: 'How far an upload has come',
  description:
    'HEAD answers the same in headers: `Upload-Offset` is the number of bytes that are on disk. The call ends a ' +
    'PATCH of the same upload that is still under way, because clients make it after their connection broke.',
  access: 'write',
  params: { name: pathText, upload: pathUpload },
  ...TUS,
  replies: { 200: Upload },
  async handle({ params, request }, parts: TakingParts) {
    refuseOtherVersion(request.headers, false);
    const state = await readUpload(parts, params.name, params.upload, request);
    const headers = { ...progressHeaders(state), 'upload-length': String(state.size) };
    return reply(200, answerOf(state), headers);
  },
});

interface Continued {
  readonly params: { readonly name: string; readonly upload: UploadId };
  readonly body: AsyncIterable<Uint8Array>;
  readonly request: RouteRequest;
}

async function append({ params, body, request }: Continued, parts: TakingParts) {
  refuseOtherMediaType(request.headers);
  const at = { workspace: params.name, id: params.upload, offset: offsetOf(request.headers) };
  const state = await continueUpload(parts, at, body, request);
  return reply(204, undefined, progressHeaders(state));
}

async function end({ params, request }: Omit<Continued, 'body'>, parts: TakingParts) {
  await removeUpload(parts, params.name, params.upload, request);
  return reply(204);
}

const patch = defineUpload({
  method: 'PATCH',
  path: UPLOAD,
  summary: 'Continue an upload',
  description:
    'Appends the body. The answer comes when the whole body is on disk. With the last byte of the file, it comes ' +
    'when the file is at its path. 409 if `Upload-Offset` is not where the upload ends, or another request continues ' +
    'it.',
  mediaType: CHUNK_MEDIA_TYPE,
  params: { name: pathText, upload: pathUpload },
  headers: { 'Tus-Resumable': VERSION, 'Upload-Offset': OFFSET },
  ...TUS,
  replies: { 204: NO_BODY },
  handle(input, parts: TakingParts) {
    refuseOtherVersion(input.request.headers, true);
    return append(input, parts);
  },
});

const remove = defineRoute({
  method: 'DELETE',
  path: UPLOAD,
  summary: 'End an upload',
  description: 'Removes what was sent. A file that is already stored stays.',
  params: { name: pathText, upload: pathUpload },
  headers: { 'Tus-Resumable': VERSION },
  ...TUS,
  replies: { 204: NO_BODY },
  handle(input, parts: TakingParts) {
    refuseOtherVersion(input.request.headers, true);
    return end(input, parts);
  },
});

const override = defineUpload({
  method: 'POST',
  path: UPLOAD,
  summary: 'Continue or end an upload through a proxy that lets only POST pass',
  description: 'As PATCH or DELETE, whichever `X-HTTP-Method-Override` names.',
  repeats: {
    reason: 'A repeat of a PATCH has an offset that is no longer right; a repeat of a DELETE finds nothing.',
  },
  mediaType: CHUNK_MEDIA_TYPE,
  params: { name: pathText, upload: pathUpload },
  headers: {
    'Tus-Resumable': VERSION,
    'X-HTTP-Method-Override': {
      description: 'The method.',
      schema: Type.Unsafe({ type: 'string', enum: ['PATCH', 'DELETE'] }),
      isRequired: true,
    },
    'Upload-Offset': { ...OFFSET, isRequired: false },
  },
  ...TUS,
  replies: { 204: NO_BODY },
  handle(input, parts: TakingParts) {
    const { headers } = input.request;
    refuseOtherVersion(headers, true);
    const method = headers.get('x-http-method-override');
    if (method === 'PATCH') return append(input, parts);
    if (method === 'DELETE') return end(input, parts);
    throw new AppError('METHOD_NOT_ALLOWED', 'POST is allowed here only with X-HTTP-Method-Override', {
      allow: 'GET, HEAD, PATCH, DELETE, OPTIONS',
    });
  },
});

export const uploadRoutes = [create, read, patch, remove, override];

function answerOf(state: UploadState) {
  return {
    path: state.path,
    file_size: state.size,
    offset: state.offset,
    expires: new Date(state.expiresMs).toISOString(),
    is_stored: state.isStored,
    sha256: state.sha256,
    file_id: state.fileId,
  };
}
