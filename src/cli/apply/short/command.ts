/** The command of a manifest that runs a shell script. The service starts no shell: the command names one. */
import { shellWord } from '../../../domain/manifest/shell-word.ts';

/**
 * Runs the script in bash where there is one, so that a failed command of a pipe fails the job; else in sh. The script
 * is `$1` here. Without `--norc`, bash reads a startup file where its standard input is a socket.
 */
const START = [
  'if command -v bash >/dev/null 2>&1; then exec bash --norc -euo pipefail -c "$1" run',
  'else exec sh -eu -c "$1" run; fi',
].join('; ');

/** Placeholders of commands mean nothing inside single quotes, so the shell gets the script as it stands. */
export function scriptCommand(script: string): string {
  return `sh -c ${shellWord(START)} run ${shellWord(script)}`;
}
