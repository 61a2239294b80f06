/** Presigned URLs: with one of them anybody may read one object for a limited time. No server is called. */
import { clientOf, type S3Options } from './connection.ts';

export interface Presigned {
  readonly key: string;
  readonly seconds: number;
  /** The Content-Type of the answer. */
  readonly contentType: string;
  readonly contentDisposition: string;
}

/** `options` must have keys: a role's keys would have to be requested. */
export async function presignedUrl(options: S3Options, presigned: Presigned): Promise<string> {
  const { key, seconds, contentType, contentDisposition } = presigned;
  const client = await clientOf(options);
  return client.presignedGetObject(options.bucket, key, seconds, {
    'response-content-type': contentType,
    'response-content-disposition': contentDisposition,
  });
}
