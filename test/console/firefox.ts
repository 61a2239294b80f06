/** A second real browser, Debian's Firefox, driven by WebDriver BiDi: what works in one browser may not in another. */
import type { Browser, Page } from 'puppeteer-core';
import { findProgram } from '../support/services/find-program.ts';
import { type ConsoleService, PASSWORD, SETTLED } from './console-world.ts';

const PROGRAM = 'firefox-esr';
const LIVE = '.connection.live';
/** Loaded machines are slow; nothing is waited for but what is to come. */
const WAIT_MS = 60_000;

/** Options for a test that needs it: see `needs` of the services. */
export function needsFirefox(): { skip?: string } {
  return findProgram(PROGRAM) === undefined ? { skip: 'no firefox-esr: apt-get install -y firefox-esr' } : {};
}

interface Teardown {
  teardown(call: () => Promise<void>): void;
}

export interface WatchedPage {
  readonly page: Page;
  /** Errors of the browser, and requests that failed. */
  readonly troubles: string[];
}

/** A page of `admin`, watched from its first address in the console on. */
export async function logInWithFirefox(t: Teardown, service: ConsoleService): Promise<WatchedPage> {
  const page = await startFirefox(t);
  await logIn(page, service);
  return { page, troubles: watch(page) };
}

/** Waits until the page is live, and all of it is there. */
export async function open(page: Page, { url }: ConsoleService, path: string): Promise<void> {
  await page.goto(new URL(path, url).href);
  for (const selector of [LIVE, SETTLED]) await page.waitForSelector(selector);
}

/**
 * Waits until an element contains the text. The driver's own selectors by text keep the texts of elements, and may miss
 * the last change of one.
 */
export async function untilText(page: Page, selector: string, text: string): Promise<void> {
  const wanted = JSON.stringify([selector, text]);
  await page.waitForFunction(`(([selector, text]) => [...document.querySelectorAll(selector)]
    .some((one) => one.textContent.includes(text)))(${wanted})`);
}

/** A page of somebody whom no site knows. */
async function startFirefox(t: Teardown): Promise<Page> {
  const { launch } = await import('puppeteer-core');
  const browser: Browser = await launch({
    ...{ browser: 'firefox', executablePath: findProgram(PROGRAM) ?? PROGRAM, headless: true },
    ...{ timeout: WAIT_MS, protocolTimeout: WAIT_MS },
  });
  t.teardown(() => browser.close());
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS);
  return page;
}

async function logIn(page: Page, { url }: ConsoleService): Promise<void> {
  await page.goto(new URL('/login/', url).href);
  await page.type('#username', 'admin');
  await page.type('#password', PASSWORD);
  await page.click('#enter');
  await page.waitForSelector(LIVE);
}

function watch(page: Page): string[] {
  const troubles: string[] = [];
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warn') return;
    // The text of a logged error is not its message, which is read from the page, if that is still there.
    const at = troubles.push(`${page.url()} ${message.text()} ${JSON.stringify(message.stackTrace())}`) - 1;
    for (const arg of message.args()) {
      arg.evaluate(String).then(
        (text) => {
          troubles[at] += ` ${text}`;
        },
        () => undefined,
      );
    }
  });
  page.on('pageerror', (error) => troubles.push(String(error)));
  page.on('response', (response) => {
    if (response.status() >= 400) troubles.push(`${response.status()} ${response.url()}`);
  });
  return troubles;
}
