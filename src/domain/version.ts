/** Version strings in Seed manifests: semantic versions. */

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
