/** Version strings in Seed (semantic versioning): form, order, and a sort key. */

const IDENTIFIER = '(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)';
const VERSION = new RegExp(
  `^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-(${IDENTIFIER}(?:\\.${IDENTIFIER})*))?` +
    '(?:\\+([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?$',
);

/** The longest version that a job type may have. */
const VERSION_CHARS_MAX = 50;

/** Whether the text is major.minor.patch with optional -prerelease and +build, of at most 50 characters. */
export function isVersion(text: string): boolean {
  return text.length <= VERSION_CHARS_MAX && VERSION.test(text);
}

/**
 * A text whose byte order is the order of versions, to be stored in a column and indexed. Numbers are prefixed with
 * their length; a release sorts above its pre-releases, fewer parts below more. An invalid version sorts below all
 * versions.
 */
export function versionSortKey(version: string): string {
  const match = version.length <= VERSION_CHARS_MAX ? VERSION.exec(version) : null;
  if (match === null) return ` ${version}`;
  const [, major = '', minor = '', patch = '', prerelease, build = ''] = match;
  const release = [major, minor, patch].map(numberKey).join('.');
  if (prerelease === undefined) return `${release}~ ${build}`;
  const parts = prerelease
    .split('.')
    .map((part) => (/^\d+$/.test(part) ? `0${numberKey(part)}` : `1${part}`));
  return `${release}-${parts.map((part) => `!${part}`).join('')} ${build}`;
}

function numberKey(digits: string): string {
  return String(digits.length).padStart(2, '0') + digits;
}
