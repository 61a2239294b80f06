/**
 * `npm run docs`: writes docs/settings.md from the list of settings, docs/interface-tests.md from routes and tests,
 * docs/cli.md from the definitions of commands, docs/clients-differences.md from the table of what other clients send
 * and read otherwise, and src/client/generated from the routes.
 * `npm run docs:verify` fails when they are not current, when no test holds a row of the interface, and when
 * docs/interface.md misses a call that is served.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiRoutes } from '../src/api/resources.ts';
import type { Setting } from '../src/config/setting.ts';
import { flagOf, SETTINGS } from '../src/config/settings.ts';
import { openApi } from '../src/http/openapi.ts';
import { clientsPage } from './contract/clients-page.ts';
import { commandsPage } from './contract/commands-page.ts';
import { servedCalls } from './contract/contract.ts';
import { contractPage, holdRows, unheld, wronglyMissed } from './contract/page.ts';
import { readTests } from './contract/tests.ts';
import { interfaceTypes } from './interface-types/interface-types.ts';

const ROOT = join(import.meta.dirname, '..');

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
    '<!-- Written by `npm run docs` from src/config/settings.ts. -->',
    '',
    'Each setting is an environment variable, and a flag of `millrace up`, `coordinator` and `agent`; the',
    'flag wins. An empty value counts as none. Everything wrong is reported at once; nothing starts then.',
    '',
    ...sections,
  ].join('\n');
}

async function run(isVerifying: boolean): Promise<string[]> {
  const calls = servedCalls();
  const rows = holdRows(calls, readTests(ROOT));
  const described = readFileSync(join(ROOT, 'docs/interface.md'), 'utf8');
  const complaints = [...unheld(rows), ...wronglyMissed(calls, described)];
  const pages = {
    'docs/settings.md': settingsPage(SETTINGS),
    'docs/interface-tests.md': contractPage(rows),
    'docs/clients-differences.md': clientsPage(),
    'docs/cli.md': commandsPage(),
    ...(await interfaceTypes(openApi(apiRoutes('any'), 'any'))),
  };
  for (const [path, page] of Object.entries(pages)) {
    if (!isVerifying) writeFileSync(join(ROOT, path), page);
    else if (!existsSync(join(ROOT, path)) || readFileSync(join(ROOT, path), 'utf8') !== page) {
      complaints.push(`${path} is not what the code says: run \`npm run docs\``);
    }
  }
  return complaints;
}

if (process.argv[1] === import.meta.filename) {
  const complaints = await run(process.argv.includes('--verify'));
  process.stderr.write(complaints.map((line) => `${line}\n`).join(''));
  if (complaints.length > 0) process.exitCode = 1;
}
