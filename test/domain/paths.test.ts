import fc from 'fast-check';
import t from 'tap';
import {
  baseName,
  directoryOf,
  executionOfPath,
  joinWithin,
  nameFromBytes,
  nameToBytes,
  needsBytes,
  normalisePath,
  productPath,
  relativePathProblem,
  safeSegment,
} from '../../src/domain/paths.ts';

t.test('paths: relative paths inside a workspace are accepted and normalised', async (t) => {
  for (const path of ['a', 'a/b.txt', 'a//b/./c', './a', '..a/b..', '...', 'ä ö/日本', 'a/']) {
    t.equal(relativePathProblem(path), undefined, path);
  }
  t.equal(normalisePath('a//b/./c/'), 'a/b/c');
});

t.test('paths: a path that leaves the workspace or cannot be stored is refused', async (t) => {
  const refused = [
    '',
    '.',
    './/.',
    '/',
    '/etc/passwd',
    '..',
    'a/../b',
    'a/..',
    '../a',
    'a\u0000b',
    'a\ud800',
    'x/'.repeat(501),
    'y'.repeat(256),
    'ä'.repeat(128),
  ];
  for (const path of refused) t.type(relativePathProblem(path), 'string', JSON.stringify(path.slice(0, 20)));
});

t.test('paths: joined paths stay below the base', async (t) => {
  t.equal(joinWithin('', 'a', 'b/./c'), 'a/b/c');
  t.equal(joinWithin('/data/root/', 'a//b'), '/data/root/a/b');
  t.equal(joinWithin('base', '', 'x'), 'base/x');
  for (const part of ['..', 'a/../../b', '/abs', 'a\u0000', 'z'.repeat(300)]) {
    t.equal(joinWithin('/data', part), undefined, part.slice(0, 10));
  }
  t.equal(joinWithin('/data/../etc', 'a'), undefined);
  t.equal(joinWithin('b'.repeat(200), 'c'.repeat(200), 'd'.repeat(200), `${'e/'.repeat(250)}f`), undefined);
});

t.test('paths: a path is split into its last segment and the directory before it', async (t) => {
  t.strictSame([baseName('a/b/c.txt'), directoryOf('a/b/c.txt')], ['c.txt', 'a/b']);
  t.strictSame([baseName('c.txt'), directoryOf('c.txt')], ['c.txt', '']);
});

t.test('paths: products lie below their recipe, job type and day', async (t) => {
  const place = {
    jobTypeName: 'my-job',
    jobTypeVersion: '1.0.0+b/1',
    sourceStartedMs: Date.UTC(2020, 1, 3),
    nowMs: Date.UTC(2024, 0, 1),
    jobExeId: 7,
    outputPath: 'sub/out.tif',
  };
  t.equal(productPath(place), 'jobs/my-job/1.0.0+b_1/2020/02/03/job_exe_7/sub/out.tif');
  t.equal(
    productPath({ ...place, sourceStartedMs: undefined, recipe: { typeName: 'a b', revision: 3 } }),
    'recipes/a_b/revision_3/jobs/my-job/1.0.0+b_1/unknown_source_data_time/2024/01/01/job_exe_7/sub/out.tif',
  );
  for (const path of [
    productPath(place),
    productPath({ ...place, sourceStartedMs: undefined, recipe: { typeName: 'a b', revision: 3 } }),
  ])
    t.equal(executionOfPath(path ?? ''), 7);
  for (const path of ['job_exe_7/x', 'in/jobs/a/1/2020/02/03/job_exe_7/x', 'jobs/a/1/2020/02/03/job_exe_7'])
    t.equal(executionOfPath(path), undefined, path);
  t.equal(productPath({ ...place, outputPath: '../x' }), undefined);
  t.equal(productPath({ ...place, outputPath: '/x' }), undefined);
  t.equal(safeSegment('..'), '_');
  t.equal(safeSegment(''), '_');
});

t.test(
  'paths: the bytes of any name on disk have one storable text, and can be restored from it',
  async (t) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.boolean(), (random, biased) => {
        // Half of the runs draw from bytes that begin, continue or break sequences, and escapes themselves.
        const pieces = [
          0xef, 0x9e, 0x9f, 0x80, 0xbf, 0xc3, 0xa9, 0x41, 0xed, 0xa0, 0xf0, 0x9f, 0x98, 0xff, 0xf4, 0xe0,
        ];
        const bytes = biased ? random.map((byte) => pieces[byte % pieces.length] ?? 0) : random;
        const name = nameFromBytes(bytes);
        return !/\p{Surrogate}/u.test(name) && Buffer.compare(nameToBytes(name), bytes) === 0;
      }),
      { numRuns: 5_000 },
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const name = nameFromBytes(new TextEncoder().encode(text));
        return needsBytes(text) || name === text;
      }),
    );
    t.equal(nameFromBytes(Uint8Array.from([0x61, 0xff])), 'a\uf7ff');
    t.ok(needsBytes('a\uf7ff'));
    t.notOk(needsBytes('aé'));
  },
);
