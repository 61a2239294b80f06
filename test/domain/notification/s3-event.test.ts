import fc from 'fast-check';
import t from 'tap';
import {
  filesSeenIn,
  NOTIFICATION_BYTES_MAX,
  readNotification,
  readNotificationDocument,
  type SeenObject,
} from '../../../src/domain/notification/s3-event.ts';

type Document = Record<string, unknown>;

function record(
  over: { readonly object?: Document; readonly bucket?: string; readonly top?: Document } = {},
) {
  const object = { key: 'in/a.json', size: 5, eTag: 'abc', sequencer: '0A', ...over.object };
  const s3 = { bucket: { name: over.bucket ?? 'inbox' }, object };
  const eventTime = '2026-11-21T10:00:00.000Z';
  return { eventVersion: '2.1', eventName: 'ObjectCreated:Put', eventTime, s3, ...over.top };
}

const read = (...records: unknown[]) => readNotification(JSON.stringify({ Records: records }));
const paths = (objects: readonly SeenObject[]) => objects.map(({ path }) => path);

t.test('s3 event: the names of AWS, MinIO and Ceph for a new object are understood', async (t) => {
  for (const eventName of [
    'ObjectCreated:Put',
    's3:ObjectCreated:Put',
    's3:ObjectCreated:CompleteMultipartUpload',
    'ObjectCreated:Copy',
    's3:ObjectCreated:Post',
  ]) {
    const found = read(record({ top: { eventName } }));
    t.strictSame(found, {
      objects: [
        {
          ...{ bucket: 'inbox', path: 'in/a.json', size: 5, etag: 'abc', sequencer: '0A' },
          eventMs: Date.UTC(2026, 10, 21, 10),
        },
      ],
      skippedCount: 0,
      problems: [],
    });
  }
});

t.test('s3 event: all valid records of a message count, and each other is skipped or reported', async (t) => {
  const found = read(
    record({ object: { key: 'one' } }),
    record({ top: { eventName: 's3:ObjectRemoved:Delete' } }),
    record({ object: { key: '..' } }),
    record({ object: { key: 'two' } }),
    'rubbish',
  );
  t.strictSame(paths(found.objects), ['one', 'two']);
  t.equal(found.skippedCount, 1);
  t.strictSame(found.problems, [`record 2: the key has a '..' segment`, 'record 4: is no JSON object']);
});

t.test('s3 event: keys are decoded like form fields', async (t) => {
  for (const [key, path] of [
    ['a+b.txt', 'a b.txt'],
    ['a%2Bb.txt', 'a+b.txt'],
    ['%C3%BC/%E2%82%AC.txt', 'ü/€.txt'],
    ['100%25.txt', '100%.txt'],
  ] as const) {
    t.strictSame(paths(read(record({ object: { key } })).objects), [path]);
  }
});

t.test('s3 event: keys from Ceph are not decoded, and its ETag may be spelled in lower case', async (t) => {
  const top = { eventSource: 'ceph:s3' };
  for (const key of ['a+b.txt', 'in/ü 100%.txt', 'a%20b'])
    t.strictSame(paths(read(record({ object: { key }, top })).objects), [key]);
  const [object] = read(record({ object: { eTag: undefined, etag: 'small' }, top })).objects;
  t.equal(object?.etag, 'small');
  t.match(read(record({ object: { key: '../up' }, top })).problems, [/'\.\.' segment/]);
});

t.test(
  's3 event: a key that cannot be a path is refused with its reason, and other records count',
  async (t) => {
    for (const [key, reason] of [
      ['../up', /'\.\.' segment/],
      ['a/../../up', /'\.\.' segment/],
      ['%2e%2e/up', /'\.\.' segment/],
      ['/etc/passwd', /absolute/],
      ['a//b', /empty segment/],
      ['./a', /empty segment, or '\.'/],
      ['a%00b', /NUL/],
      ['a%ZZ', /URL-encoded/],
      ['a%FF', /URL-encoded/],
      ['', /names no key/],
      ['x'.repeat(1_001), /more than 1000 characters/],
      ['x'.repeat(251), /name of more than 250/],
      [7, /URL-encoded/],
      [undefined, /URL-encoded/],
    ] as const) {
      const found = read(record({ object: { key } }), record({ object: { key: 'good' } }));
      t.strictSame(paths(found.objects), ['good'], String(key).slice(0, 40));
      t.equal(found.problems.length, 1);
      t.match(found.problems[0], reason);
    }
  },
);

t.test('s3 event: records without a required field are refused, each with its reason', async (t) => {
  for (const [bad, reason] of [
    [record({ top: { eventName: 5 } }), /eventName/],
    [record({ top: { eventVersion: '3.0' } }), /eventVersion/],
    [record({ top: { eventVersion: undefined } }), /eventVersion/],
    [record({ top: { s3: null } }), /s3\.bucket/],
    [record({ top: { s3: { bucket: {}, object: { key: 'a', size: 1, eTag: 'a' } } } }), /names no bucket/],
    [record({ object: { size: -1 } }), /no size/],
    [record({ object: { size: 1.5 } }), /no size/],
    [record({ object: { size: '5' } }), /no size/],
    [record({ object: { size: undefined } }), /no size/],
    [record({ object: { size: 2 ** 60 } }), /no size/],
    [record({ object: { eTag: undefined } }), /no ETag/],
    [record({ object: { eTag: 'a b' } }), /no ETag/],
  ] as const) {
    const { objects, problems } = read(bad);
    t.strictSame(objects, []);
    t.match(problems[0], reason);
  }
});

t.test('s3 event: folders, empty objects, hidden names and other events are skipped', async (t) => {
  const found = read(
    record({ object: { key: 'folder/', size: 0 } }),
    record({ object: { key: 'folder/', size: undefined } }),
    record({ object: { key: 'empty', size: 0 } }),
    record({ object: { key: 'a/.hidden/b' } }),
    record({ top: { eventName: 'ObjectRemoved:Delete' } }),
    record({ top: { eventName: 's3:ObjectAccessed:Get' } }),
    record({ top: { eventName: 'ObjectCreatedNot' } }),
  );
  t.strictSame(found, { objects: [], skippedCount: 7, problems: [] });
});

t.test('s3 event: up to three nested envelopes are opened', async (t) => {
  const wrap = (text: string) => JSON.stringify({ Type: 'Notification', Message: text });
  let text = JSON.stringify({ Records: [record()] });
  for (let depth = 0; depth < 3; depth += 1) {
    text = wrap(text);
    t.strictSame(paths(readNotification(text).objects), ['in/a.json']);
  }
  t.match(readNotification(wrap(text)).problems, [/envelopes/]);
  t.match(readNotification(wrap('rubbish')).problems, [/no JSON object/]);
});

t.test('s3 event: events of EventBridge are understood, and their keys are not decoded', async (t) => {
  const detail = {
    bucket: { name: 'inbox' },
    object: { key: 'a+b %41', size: 3, etag: 'e', sequencer: '01' },
  };
  const event = { source: 'aws.s3', 'detail-type': 'Object Created', time: '2026-11-21T10:00:00Z', detail };
  t.strictSame(paths(readNotificationDocument(event).objects), ['a+b %41']);
  t.equal(readNotificationDocument({ ...event, 'detail-type': 'Object Deleted' }).skippedCount, 1);
  t.match(readNotificationDocument({ ...event, detail: 5 }).problems, [/detail/]);
});

t.test(
  's3 event: the test event of a store is skipped, and other texts are refused with a reason',
  async (t) => {
    t.strictSame(readNotification('{"Service":"Amazon S3","Event":"s3:TestEvent"}').skippedCount, 1);
    for (const [text, reason] of [
      ['', /not JSON/],
      ['{', /not JSON/],
      ['[]', /no JSON object/],
      ['null', /no JSON object/],
      ['7', /no JSON object/],
      ['{}', /Records/],
      ['{"Records":{}}', /Records/],
      [JSON.stringify({ Records: Array(1_001).fill(1) }), /records/],
      [`"${'x'.repeat(NOTIFICATION_BYTES_MAX)}"`, /bytes/],
    ] as const) {
      const { objects, problems } = readNotification(text);
      t.strictSame(objects, []);
      t.match(problems, [reason]);
    }
  },
);

t.test('s3 event: only objects of the watched bucket count, and of each key only the newest', async (t) => {
  const at = (etag: string, sequencer: string, eventMs: number | null, bucket = 'inbox'): SeenObject => {
    return { bucket, path: 'a', size: 1, etag, eventMs, sequencer };
  };
  const etagOf = (...objects: SeenObject[]) => filesSeenIn(objects, 'inbox', 99).files[0]?.identity;
  t.equal(etagOf(at('new', 'FF', 1), at('old', 'F', 2)), 'new.0.0.1', 'sequencers of different length');
  t.equal(etagOf(at('old', '0f', 2), at('new', 'FF', 1)), 'new.0.0.1', 'in any case');
  t.equal(etagOf(at('new', '', 2), at('old', '', 1)), 'new.0.0.1', 'by time where there is none');
  t.equal(etagOf(at('first', '', null), at('second', '', null)), 'second.0.0.1', 'the last one otherwise');
  const found = filesSeenIn([at('a', '', null), at('b', '', 5, 'other')], 'inbox', 99);
  t.equal(found.foreignCount, 1);
  t.strictSame(found.files, [
    {
      ...{ path: 'a', size: 1, arrival: 'complete', mtimeMs: 99, firstSeenMs: 99 },
      identity: 'a.0.0.1',
    },
  ]);
});

t.test('s3 event: no damaged notification yields an unsafe path or makes reading throw', async (t) => {
  const good = { Records: [record(), record({ object: { key: 'b' } })] };
  const places: (readonly (string | number)[])[] = [];
  const walk = (value: unknown, at: readonly (string | number)[]): void => {
    places.push(at);
    if (typeof value !== 'object' || value === null) return;
    for (const key of Object.keys(value)) walk((value as Document)[key], [...at, key]);
  };
  walk(good, []);
  const anything = fc.oneof(
    fc.jsonValue(),
    fc.string(),
    fc.constantFrom('..', '%', '\u0000', '\ud800', '__proto__'),
  );
  const property = fc.property(fc.constantFrom(...places), anything, (at, value) => {
    const found = readNotificationDocument(replaced(good, at, value));
    for (const { path, size, bucket } of found.objects) {
      if (path === '' || path.startsWith('/') || path.split('/').includes('..') || path.includes('\0'))
        return false;
      if (!Number.isSafeInteger(size) || size <= 0 || bucket === '') return false;
    }
    return found.objects.length + found.skippedCount + found.problems.length >= 1 || at.length <= 1;
  });
  fc.assert(property, { numRuns: 2_000 });
  fc.assert(
    fc.property(fc.string(), (text) => readNotification(text).objects.length === 0),
    { numRuns: 500 },
  );
  t.pass();
});

function replaced(document: unknown, [key, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(document)) {
    return document.map((item, index) => (String(index) === key ? replaced(item, rest, value) : item));
  }
  const map = document as Document;
  return { ...map, [key]: replaced(map[key], rest, value) };
}
