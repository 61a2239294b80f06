/** Every page that the console routes, before there are objects: each says what to do first. */
import t from 'tap';
import { needsBrowser } from '../../support/browser.ts';
import { checkPages } from '../checked-pages.ts';
import { startConsole } from '../console-world.ts';
import { emptyPages } from './addresses-of-pages.ts';

t.test('console: every page works without objects', needsBrowser(), async (t) => {
  const world = await startConsole(t);
  await checkPages(t, world, await emptyPages(world));
});
