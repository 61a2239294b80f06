import fc from 'fast-check';
import semver from 'semver';
import t from 'tap';
import { isVersion, versionSortKey } from '../../src/domain/version.ts';

const compare = (one: string, other: string) =>
  Buffer.compare(Buffer.from(versionSortKey(one)), Buffer.from(versionSortKey(other)));

const ORDERED = [
  'not a version',
  '0.0.1',
  '1.0.0-alpha',
  '1.0.0-alpha.1',
  '1.0.0-alpha.beta',
  '1.0.0-alpha-1',
  '1.0.0-beta.2',
  '1.0.0-beta.11',
  '1.0.0-rc.1',
  '1.0.0',
  '1.0.0+build.1',
  '1.9.0',
  '1.10.0',
  '10.0.0-1',
];

t.test('versions: semantic versions are accepted, with pre-release and build', async (t) => {
  for (const text of ORDERED.slice(1)) t.ok(isVersion(text), text);
});

t.test('versions: a text that is not a semantic version is refused', async (t) => {
  for (const text of [
    '',
    '1',
    '1.0',
    'v1.0.0',
    '1.0.0.0',
    '01.0.0',
    '1.0.0-',
    '1.0.0-01',
    '1.0.0+',
    '1.0.0-a..b',
    '1.0.0 ',
    '1.0.0\n',
    `1.0.0-${'a'.repeat(50)}`,
    '1.0.0-ä',
  ]) {
    t.notOk(isVersion(text), JSON.stringify(text));
  }
});

t.test('versions: sort keys, compared by bytes, have the order of semantic versioning', async (t) => {
  t.strictSame(ORDERED.toReversed().toSorted(compare), ORDERED);
  const number = fc.oneof(fc.nat(12), fc.nat());
  const part = fc.oneof(number.map(String), fc.stringMatching(/^[a-zA-Z-]{1,3}$/));
  const version = fc
    .tuple(number, number, number, fc.array(part, { maxLength: 3 }))
    .map(([a, b, c, parts]) => `${a}.${b}.${c}${parts.length > 0 ? `-${parts.join('.')}` : ''}`);
  fc.assert(
    fc.property(version, version, (one, other) => {
      fc.pre(isVersion(one) && isVersion(other));
      return Math.sign(compare(one, other)) === semver.compare(one, other);
    }),
    { numRuns: 2_000 },
  );
});
