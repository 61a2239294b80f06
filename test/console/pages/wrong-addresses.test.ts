/** Every page that the console routes, at an address whose values are none of the choices: it leaves them out. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { needsBrowser } from '../../support/browser.ts';
import { openPage, SETTLED, startConsole } from '../console-world.ts';
import { filledPages } from './addresses-of-pages.ts';

const WRONG = 'NOPE';

/** All names that some route reads of an address. */
function searchNames(): readonly string[] {
  const sources = join(import.meta.dirname, '../../../src/console');
  const texts = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((name) => /(route\.tsx|search\.ts)$/.test(name))
    .map((name) => readFileSync(join(sources, name), 'utf8'));
  return [
    ...new Set(texts.flatMap((text) => [...text.matchAll(/\bsearch\.(\w+)/g)].map(([, one = '']) => one))),
  ];
}

t.test('console: every page works at an address with wrong values', needsBrowser(), async (t) => {
  const world = await startConsole(t);
  const { lists, objects } = await filledPages(t, world);
  const names = searchNames();
  for (const name of ['status', 'order', 'range', 'tab', 'choice', 'revision'])
    t.ok(names.includes(name), name);
  const search = new URLSearchParams([...names, 'unknown'].map((name): [string, string] => [name, WRONG]));
  const { page, troubles } = await openPage(t, world);
  for (const address of [...lists, ...objects]) {
    await page.goto(new URL(`${address}?${search}`, world.url).href);
    await page.locator('.connection.live').waitFor();
    await page.locator(SETTLED).waitFor({ state: 'attached' });
    t.strictSame(troubles.splice(0), [], address);
    const kept = [...new URL(page.url()).searchParams.keys()];
    for (const name of ['status', 'order', 'range', 'tab', 'after', 'unknown']) {
      t.notOk(kept.includes(name), `${address} does not keep ${name}`);
    }
  }
});
