/** `releases.json` agrees with package.json, the list of changes, and the history of the repository. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import semver from 'semver';
import t from 'tap';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();

interface Release {
  readonly version: string;
  readonly commit: string;
}

const releases = JSON.parse(read('releases.json')) as readonly Release[];
const headings = [...read('CHANGELOG.md').matchAll(/^## (\S+)$/gm)].map(([, version = '']) => version);
const { version } = JSON.parse(read('package.json')) as { version: string };

t.test(
  'releases: each is in the list of changes, newest first, and none is newer than the package',
  async (t) => {
    const versions = releases.map((release) => release.version);
    t.ok(versions.length > 0);
    t.strictSame(versions, semver.rsort([...versions]), 'the newest is first');
    t.equal(new Set(versions).size, versions.length, 'each once');
    t.strictSame(headings.slice(-versions.length), versions, 'the list of changes has each');
    // The version of the package is a release, or the next one, which is described while it is made.
    t.equal(headings[0], version, 'the list of changes begins with the version of the package');
    t.ok(semver.gte(version, versions[0] ?? ''), 'the package is not older than the newest release');
    const lock = JSON.parse(read('package-lock.json')) as { version: string; packages: { '': Release } };
    t.strictSame([lock.version, lock.packages[''].version], [version, version], 'package-lock.json');
  },
);

t.test('releases: pages name the version of the package', async (t) => {
  for (const path of ['README.md', 'docs/operations.md']) {
    const named = [...read(path).matchAll(/millrace-(\d+\.\d+\.\d+)\.tgz/g)].map(([, found]) => found);
    t.ok(named.length > 0, path);
    t.strictSame([...new Set(named)], [version], path);
  }
  t.match(read('README.md'), `Version ${version} `);
});

const isHistoryHere =
  existsSync(join(ROOT, '.git')) && git('rev-parse', '--is-shallow-repository') === 'false';

t.test('releases: the commit of each release has its version', async (t) => {
  for (const { version, commit } of releases) {
    t.match(commit, /^[0-9a-f]{40}$/, version);
    // A shallow clone or an archive does not have the commit.
    if (!isHistoryHere) continue;
    t.doesNotThrow(() => git('merge-base', '--is-ancestor', commit, 'HEAD'), `${version} is in the history`);
    const manifest = JSON.parse(git('show', `${commit}:package.json`)) as { version: string };
    t.equal(manifest.version, version, commit);
  }
});
