/** Going from page to page as links do, in a console that is loaded: to load it takes most of the time of a page. */
import { until } from '../../e2e/harness/until.ts';

/** A page of any browser's driver. */
interface Visitor {
  url(): string;
  goto(url: string): Promise<unknown>;
  evaluate(source: string): Promise<unknown>;
}

const LEAVE = `for (const heading of document.querySelectorAll('main h1')) heading.dataset.isLeft = '';`;
const IS_THERE = `document.querySelector('main h1:not([data-is-left])') !== null`;

/** Resolves when the heading of the page at `path` is shown. `wrong-addresses.test.ts` loads every page. */
export async function visit(page: Visitor, path: string): Promise<void> {
  const { href, pathname } = new URL(path, page.url());
  // Pages of one kind follow each other without a new heading, by which a page is known here.
  if (kindOf(pathname) === kindOf(new URL(page.url()).pathname)) {
    await page.goto(href);
    return;
  }
  await page.evaluate(`${LEAVE} history.pushState(null, '', ${JSON.stringify(path)});`);
  await until(`the page ${path} is shown`, async () => (await page.evaluate(IS_THERE)) === true);
}

/** The list that a page belongs to, and whether it is the list or one of its objects. */
function kindOf(pathname: string): string {
  const [, , list, ...object] = pathname.split('/');
  return `${list} ${object.length}`;
}
