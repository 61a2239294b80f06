import t from 'tap';
import { isVersion } from '../../src/domain/version.ts';

const VERSIONS = [
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
  for (const text of VERSIONS) t.ok(isVersion(text), text);
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
