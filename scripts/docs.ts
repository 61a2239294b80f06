/**
 * `npm run docs`: writes docs/settings.md from the list of settings. `npm run docs:verify` fails when it is
 * not current.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { flagOf, SETTINGS, type Setting } from '../src/settings.ts';

const PATH = 'docs/settings.md';

export function settingsPage(settings: readonly Setting[]): string {
  const sections = settings.map((setting) => {
    const readers = setting.readers.length === 2 ? 'coordinator, agent' : setting.readers[0];
    const flag = setting.isSecret ? 'none: a secret, environment only' : `\`${flagOf(setting.name)}\``;
    const facts = [`flag: ${flag}`, `read by: ${readers}`, `default: ${setting.defaultText}`];
    return `## ${setting.name}\n\n${setting.description}\n\n${facts.map((fact) => `- ${fact}`).join('\n')}\n`;
  });
  return [
    '# Settings',
    '',
    '<!-- Written by `npm run docs` from src/settings.ts. -->',
    '',
    'Each setting is an environment variable, and a flag of `millrace up`, `coordinator` and `agent`; the',
    'flag wins. An empty value counts as none. Everything wrong is reported at once; nothing starts then.',
    '',
    ...sections,
  ].join('\n');
}

if (process.argv[1] === import.meta.filename) {
  const path = join(import.meta.dirname, '..', PATH);
  const page = settingsPage(SETTINGS);
  if (!process.argv.includes('--verify')) writeFileSync(path, page);
  else if (readFileSync(path, 'utf8') !== page) {
    process.stderr.write(`${PATH} is not what src/settings.ts says: run \`npm run docs\`\n`);
    process.exitCode = 1;
  }
}
