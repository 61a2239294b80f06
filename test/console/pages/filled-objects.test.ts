/** The page of an object of each kind, with objects: in both themes and on a phone. */
import t from 'tap';
import { needsBrowser } from '../../support/browser.ts';
import { checkPages } from '../checked-pages.ts';
import { startConsole } from '../console-world.ts';
import { filledPages } from './addresses-of-pages.ts';

t.test('console: the page of an object works for each kind', needsBrowser(), async (t) => {
  const world = await startConsole(t);
  const { objects } = await filledPages(t, world);
  await checkPages(t, world, objects);
});
