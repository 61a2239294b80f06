/**
 * The script of `millrace watch --run`. It runs once for each file, in a shell, and finds the file's values in
 * variables. They are never inserted into its text, so no file name can change what it does.
 *
 *     $in    the path of the file, a copy that it may not change
 *     $out   the directory for its products
 *     $name  the file's name: notes.txt     $stem  without its ending: notes     $ext  the ending: txt
 */
import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import type { Problem } from '../../domain/validation.ts';
import { scriptCommand } from '../apply/short/command.ts';

/** limit: the time for a syntax check. */
const SYNTAX_MS = 5_000;
export const INPUT = 'INPUT_FILE';
export const PRODUCTS = 'PRODUCTS';

/** One line, so that the shell's messages name the script's own lines. */
const VARIABLES = [
  `in=$${INPUT} out=$OUTPUT_DIR`,
  `name=\${in##*/}`,
  `case $name in ?*.*) stem=\${name%.*} ext=\${name##*.} ;; *) stem=$name ext= ;; esac`,
  'export in out name stem ext; ',
].join('; ');

/** The `command` of the manifest. */
export function commandOf(script: string): string {
  return scriptCommand(`${VARIABLES}${script}`);
}

/** `$in` or `${in...}`, not `$input`. */
function uses(script: string, variable: string): boolean {
  return new RegExp(`\\$(?:${variable}(?![A-Za-z0-9_])|\\{#?${variable}[^A-Za-z0-9_])`).test(script);
}

/** A path below the root that a redirection writes to, other than devices and the task's own /tmp. */
const WRITES_TO_ROOT = />\|?\s*["']?(\/(?!dev\/|proc\/|tmp\/|var\/tmp\/)[^\s"';|&<>]*)/;

/** Signs in a script that it cannot do what was meant. `hasInput`: it has to read the file. */
export function checkScript(script: string, { hasInput }: { hasInput: boolean }): Problem[] {
  const problem = (description: string): Problem => ({ name: 'INVALID_SCRIPT', description, path: '--run' });
  if (script.trim() === '') return [problem('is empty')];
  if (script.includes('\0')) return [problem('holds a NUL character')];
  const problems: Problem[] = [];
  if (hasInput && !uses(script, 'in') && !uses(script, INPUT)) {
    problems.push(
      problem(
        'does not use $in, the path of the file. Use single quotes: inside double quotes your shell has already ' +
          'replaced it. With --no-input a script needs no $in',
      ),
    );
  }
  const root = WRITES_TO_ROOT.exec(script)?.[1];
  if (root !== undefined && !usesOutput(script)) {
    problems.push(
      problem(
        `writes to ${root}, and does not use $out. Use single quotes: inside double quotes your shell has already ` +
          'replaced it',
      ),
    );
  }
  return problems;
}

/** The syntax error that the shell of the script reports. The shell reads the script and runs nothing of it. */
export async function checkSyntax(script: string, shell: string): Promise<Problem[]> {
  if (script.includes('\0')) return [];
  const said = await new Promise<string>((resolve) => {
    execFile(shell, ['-n', '-c', script], { timeout: SYNTAX_MS }, (error, _stdout, stderr) =>
      resolve(error === null ? '' : stderr || error.message),
    );
  });
  const [first = ''] = said.split('\n');
  if (first === '') return [];
  const description = `is no script that ${basename(shell)} can read: ${first.replace(/^[^:]*: (?:-c: )?/, '')}`;
  return [{ name: 'INVALID_SCRIPT', description, path: '--run' }];
}

function usesOutput(script: string): boolean {
  return uses(script, 'out') || uses(script, 'OUTPUT_DIR');
}

/** Warnings about parts that work but may be mistakes. `hasBash`: the script runs in bash, not in sh. */
export function warningsOf(script: string, { hasBash }: { hasBash: boolean }): string[] {
  const warnings: string[] = [];
  if (!usesOutput(script))
    warnings.push('the script does not use $out: what it does not write there is not kept');
  if (!hasBash && /(^|[^|])\|([^|]|$)/.test(script)) {
    warnings.push('this host has no bash: in sh, a pipe fails only if its last command does');
  }
  return warnings;
}
