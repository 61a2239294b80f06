/** Notifications of object stores as texts. */

export interface EventOf {
  readonly bucket?: string;
  readonly key: string;
  readonly size?: number;
  readonly etag?: string;
  readonly sequencer?: string;
}

/** One message with a record for each object. */
export function s3Event(...objects: readonly EventOf[]): string {
  const records = objects.map(({ bucket = 'inbox', key, size = 5, etag = 'abc', sequencer = '0A' }) => ({
    eventVersion: '2.1',
    eventName: 's3:ObjectCreated:Put',
    eventTime: '2026-11-21T10:00:00.000Z',
    s3: {
      bucket: { name: bucket },
      object: { key: encodeURIComponent(key), size, eTag: etag, sequencer },
    },
  }));
  return JSON.stringify({ Records: records });
}
