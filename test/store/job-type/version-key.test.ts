import fc from 'fast-check';
import semver from 'semver';
import t, { type Test } from 'tap';
import { isVersion } from '../../../src/domain/version.ts';
import { versionKey } from '../../../src/store/job-type/version-key.ts';
import { storeWorld } from '../store-world.ts';

const ORDERED = [
  '0.0.0',
  '0.0.1',
  '1.0.0-0',
  '1.0.0-alpha',
  '1.0.0-alpha.1',
  '1.0.0-alpha.beta',
  '1.0.0-alpha-1',
  '1.0.0-beta.2',
  '1.0.0-beta.11',
  '1.0.0-rc.1',
  '1.0.0',
  '1.0.0+5',
  '1.0.0+build-7.8',
  '1.9.0',
  '1.10.0',
  '2.0.0--',
  '2.0.0',
  '10.0.0-1',
  '99999999999.1.2',
];

const number = fc.oneof(fc.nat(12), fc.nat());
const part = fc.oneof(number.map(String), fc.stringMatching(/^[a-zA-Z-]{1,3}$/));
const versions = fc
  .tuple(number, number, number, fc.array(part, { maxLength: 3 }))
  .map(([a, b, c, parts]) => `${a}.${b}.${c}${parts.length > 0 ? `-${parts.join('.')}` : ''}`)
  .filter(isVersion);

/** Sorts versions by their keys, as lists do. */
async function makeSorter(t: Test) {
  const { rows } = await storeWorld(t);
  return async (unsorted: readonly string[]): Promise<readonly string[]> => {
    const sorted = await rows<{ version: string }>(
      `select version from unnest($1::text[]) as version order by ${versionKey('version')}`,
      [unsorted],
    );
    return sorted.map(({ version }) => version);
  };
}

t.test('version key: numbers, pre-releases and builds are in order', async (t) => {
  const sorted = await makeSorter(t);
  t.strictSame(await sorted(ORDERED.toReversed()), ORDERED);
});

t.test('version key: the order is that of semantic versioning', async (t) => {
  const sorted = await makeSorter(t);
  const drawn = await sorted([...ORDERED, ...fc.sample(versions, 2_000)]);
  t.equal(drawn.length, ORDERED.length + 2_000);
  for (const [index, version] of drawn.slice(1).entries()) {
    const before = drawn[index] ?? '';
    if (semver.compare(before, version) > 0) t.fail(`${before} stands before ${version}`);
  }
});
