/** The page of the interface in a real browser. */
import t from 'tap';
import { docsPage } from '../../../src/api/pages/docs.ts';
import { apiRoutes } from '../../../src/api/resources.ts';
import { openApi } from '../../../src/http/openapi.ts';
import { needsBrowser, startBrowser } from '../../support/browser.ts';

t.test(
  'docs in a browser: nothing is wider than the window, with all calls open',
  needsBrowser(),
  async (t) => {
    const page = await (await startBrowser(t)).newPage();
    const { html } = docsPage(openApi(apiRoutes('1.0.0'), '1.0.0'));
    for (const width of [1_100, 700]) {
      await page.setViewportSize({ width, height: 900 });
      await page.setContent(html);
      const calls = page.locator('details');
      await calls.evaluateAll((all) => {
        for (const one of all as unknown as { open: boolean }[]) one.open = true;
      });
      t.ok((await calls.count()) > 100);
      const wide = await page.evaluate('document.documentElement.scrollWidth');
      t.ok(Number(wide) <= width, `${wide} of ${width} pixels`);
    }
  },
);
