/**
 * `npm run tidy`: prints each breach of the house rules as path:line and ends with 1 when there is one.
 * `npm run tidy -- --graph` draws the rooms and their imports into `docs/rooms.svg` first.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawing, tidy } from './tidy/tidy.ts';

const root = join(import.meta.dirname, '..');
const PICTURE = 'docs/rooms.svg';
const picture = join(root, PICTURE);
const drawn = drawing(root);
if (process.argv.includes('--graph')) writeFileSync(picture, drawn);
const findings = tidy(root);
const isCurrent = readFileSync(picture, 'utf8') === drawn;
for (const { path, line, rule, message } of findings)
  process.stderr.write(`${path}:${line}: ${rule}: ${message}\n`);
if (!isCurrent) process.stderr.write(`${PICTURE} shows other imports: npm run tidy -- --graph\n`);
const count = findings.length + (isCurrent ? 0 : 1);
process.stdout.write(count === 0 ? 'tidy\n' : `${count} breaches of the house rules\n`);
process.exitCode = count === 0 ? 0 : 1;
