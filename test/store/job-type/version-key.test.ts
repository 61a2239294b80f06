import t from 'tap';
import { versionSortKey } from '../../../src/domain/version.ts';
import { versionKey } from '../../../src/store/job-type/version-key.ts';
import { storeWorld } from '../store-world.ts';

const VERSIONS = [
  ...['0.0.0', '1.2.3', '1.10.0', '10.0.0', '1.0.0-0', '1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta'],
  ...['1.0.0-beta.2', '1.0.0-beta.11', '1.0.0-rc-1.x', '1.0.0', '1.0.0+5', '1.0.0+build-7.8', '1.0.0-a+b-c'],
  ...['2.0.0--', '2.0.0-1.2.3-4', '99999999999.1.2', '1.0.0-0A.is.legal'],
];

t.test('version key: SQL and the domain make the same texts', async (t) => {
  const { rows } = await storeWorld(t);
  const found = await rows<{ version: string; key: string }>(
    `select version, ${versionKey('version')} as key from unnest($1::text[]) as version order by key`,
    [VERSIONS],
  );
  t.equal(found.length, VERSIONS.length);
  for (const { version, key } of found) t.equal(key, versionSortKey(version), version);
  const inOrder = [...found].sort((one, other) => (one.key < other.key ? -1 : 1));
  t.strictSame(found, inOrder, 'the database sorts them by bytes');
});
