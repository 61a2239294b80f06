/** What pages read at once: no call waits for the answer of another that it does not need. */
import t from 'tap';
import { needsBrowser } from '../../support/browser.ts';
import { openPage, startConsole } from '../console-world.ts';

t.test('console: a page reads all its data at once', needsBrowser(), async (t) => {
  const world = await startConsole(t);
  const [{ id }] = (await world.call('GET', '/v6/nodes/')).json.results;
  const CASES = [
    {
      ...{ path: `/console/nodes/${id}/`, held: new RegExp(`/v6/nodes/${id}/$`) },
      meanwhile: [/\/v6\/jobs\/\?.*running_node_id=/, /\/v6\/nodes\/use\//, /\/v6\/status\//],
    },
    { path: '/console/nodes/', held: /\/v6\/status\//, meanwhile: [/\/v6\/nodes\/\?/] },
  ];
  for (const { path, held, meanwhile } of CASES) {
    const { page, troubles } = await openPage(t, world, '/console/tokens/');
    let answer: () => void = () => undefined;
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(held, async (route) => {
      await isAnswered;
      await route.continue();
    });
    const asked = [held, ...meanwhile].map((call) => page.waitForRequest(call));
    await page.goto(new URL(path, world.url).href);
    await Promise.all(asked);
    answer();
    await page.locator('main h1').waitFor();
    t.strictSame(troubles, [], path);
  }
});
