/** `npm run tidy`: prints each breach of the house rules as path:line and ends with 1 when there is one. */
import { join } from 'node:path';
import { tidy } from './tidy/tidy.ts';

const root = process.argv[2] ?? join(import.meta.dirname, '..');
const findings = tidy(root);
for (const { path, line, rule, message } of findings)
  process.stderr.write(`${path}:${line}: ${rule}: ${message}\n`);
process.stdout.write(findings.length === 0 ? 'tidy\n' : `${findings.length} breaches of the house rules\n`);
process.exitCode = findings.length === 0 ? 0 : 1;
