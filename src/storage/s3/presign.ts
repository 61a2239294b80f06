/** Addresses under which anybody may read one object for a while. Signs; asks no server. */
import { clientOf, type S3Options } from './connection.ts';

export interface Presigned {
  readonly key: string;
  readonly seconds: number;
  /** What the answer will say of itself. */
  readonly contentType: string;
  readonly contentDisposition: string;
}

/** `options` with keys: a role's would have to be asked for. */
export async function presignedUrl(options: S3Options, presigned: Presigned): Promise<string> {
  const { key, seconds, contentType, contentDisposition } = presigned;
  const client = await clientOf(options);
  return client.presignedGetObject(options.bucket, key, seconds, {
    'response-content-type': contentType,
    'response-content-disposition': contentDisposition,
  });
}
