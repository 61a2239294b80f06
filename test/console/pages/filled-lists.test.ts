/** Every page of a list, and every form, with objects: in both themes and on a phone. */
import t from 'tap';
import { needsBrowser } from '../../support/browser.ts';
import { checkPages } from '../checked-pages.ts';
import { startConsole } from '../console-world.ts';
import { filledPages } from './addresses-of-pages.ts';

t.test('console: every filled list and every form work', needsBrowser(), async (t) => {
  const world = await startConsole(t);
  const { lists } = await filledPages(t, world);
  await checkPages(t, world, lists);
});
