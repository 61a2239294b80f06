/**
 * `npm run bench -- <name> [arguments of the bench]` runs one benchmark; without a name it lists them with the
 * first sentence of what each says of itself.
 */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SUFFIX = '.bench.ts';
const folder = import.meta.dirname;
const names = globSync(`*${SUFFIX}`, { cwd: folder })
  .map((file) => file.slice(0, -SUFFIX.length))
  .sort();

function firstSentence(name: string): string {
  const text = readFileSync(join(folder, name + SUFFIX), 'utf8');
  const comment = /^\/\*\*(.*?)\*\//s.exec(text)?.[1] ?? '';
  const plain = comment.replace(/\s*\n \*\s*/g, ' ').trim();
  return /^.*?[.:](?= |$)/.exec(plain)?.[0] ?? plain;
}

const [name, ...rest] = process.argv.slice(2);
if (name !== undefined && names.includes(name)) {
  const { status } = spawnSync(process.execPath, [join(folder, name + SUFFIX), ...rest], {
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
} else {
  const width = Math.max(...names.map((each) => each.length));
  const list = names.map((each) => `  ${each.padEnd(width)}  ${firstSentence(each)}`);
  const problem = name === undefined ? [] : [`There is no bench ${name}.`];
  process.stdout.write(`${[...problem, 'npm run bench -- <name>', ...list].join('\n')}\n`);
  if (name !== undefined) process.exitCode = 1;
}
