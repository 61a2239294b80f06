/** Uploads by tus: the client that others have written, and requests by hand. */
import { type HttpRequest, Upload, type UploadOptions } from 'tus-js-client';

interface Sent {
  readonly endpoint: URL;
  readonly bytes: Buffer;
  readonly options?: UploadOptions;
}

export const base64 = (text: string) => Buffer.from(text).toString('base64');
export const uploadsAt = (base: URL | string, workspace: string) =>
  new URL(`/v6/workspaces/${workspace}/uploads/`, base);

/** Resolves when the client says that the upload has succeeded, with its address. */
export function upload({ endpoint, bytes, options = {} }: Sent): Promise<string> {
  return new Promise((resolve, reject) => {
    const sending: Upload = new Upload(bytes, {
      endpoint: endpoint.href,
      retryDelays: Array.from({ length: 60 }, () => 500),
      ...options,
      onSuccess: () => resolve(sending.url ?? ''),
      onError: reject,
    });
    sending.start();
  });
}

/** The methods of the requests that a client makes, in their order: give its `onBeforeRequest`. */
export function requestLog() {
  const methods: string[] = [];
  const onBeforeRequest = (request: HttpRequest) => {
    methods.push(request.getMethod());
  };
  return { methods, onBeforeRequest };
}

export interface Asked {
  readonly headers?: Record<string, string>;
  readonly body?: RequestInit['body'];
}

/** One request of the protocol. A header that is '' is left out. */
export async function tus(method: string, at: URL | string, { headers = {}, body }: Asked = {}) {
  const isChunk = body !== undefined;
  const usual = {
    'tus-resumable': '1.0.0',
    ...(isChunk ? { 'content-type': 'application/offset+octet-stream' } : {}),
  };
  const sent = Object.entries({ ...usual, ...headers }).filter(([, value]) => value !== '');
  const init = { method, headers: sent, ...(isChunk ? { body, duplex: 'half' } : {}) } as RequestInit;
  const answer = await fetch(at, init);
  const text = await answer.text();
  return {
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
    json: (text === '' ? null : JSON.parse(text)) as any,
  };
}

/** Begins an upload by hand. */
export function create(
  endpoint: URL | string,
  path: string,
  size: number,
  more: { readonly metadata?: string; readonly headers?: Record<string, string> } = {},
) {
  const metadata = `path ${base64(path)}${more.metadata === undefined ? '' : `,${more.metadata}`}`;
  const headers = { 'upload-length': String(size), 'upload-metadata': metadata, ...more.headers };
  return tus('POST', endpoint, { headers });
}

/** The address of an upload that is begun by hand. */
export async function begun(endpoint: URL | string, path: string, size: number): Promise<string> {
  const { status, headers } = await create(endpoint, path, size);
  if (status !== 201) throw new Error(`not created: ${status}`);
  return headers.location ?? '';
}

export const patch = (at: string, offset: number, body: RequestInit['body'], headers = {}) =>
  tus('PATCH', at, { headers: { 'upload-offset': String(offset), ...headers }, body });
