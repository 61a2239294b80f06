/** A real browser (Debian's Chromium), for tests of what pages may do, and what they send. */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { findProgram } from './services/find-program.ts';

const PROGRAM = 'chromium';
/** Long, because loaded machines are slow; every wait is for a condition. */
const WAIT_MS = 60_000;

/** Options for a test that needs it: see `needs` of the services. */
export function needsBrowser(): { skip?: string } {
  return findProgram(PROGRAM) === undefined ? { skip: 'no chromium: apt-get install -y chromium' } : {};
}

export interface Tabs {
  /** A page without cookies. */
  newPage(options?: BrowserContextOptions): Promise<Page>;
}

export async function startBrowser(t: { teardown(call: () => Promise<void>): void }): Promise<Tabs> {
  const { chromium } = await import('playwright-core');
  const browser: Browser = await chromium.launch({
    executablePath: findProgram(PROGRAM) ?? PROGRAM,
    // Chromium's sandbox does not run as root, and build machines have little shared memory.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
    timeout: WAIT_MS,
  });
  t.teardown(() => browser.close());
  return {
    async newPage(options) {
      const context: BrowserContext = await browser.newContext(options);
      context.setDefaultTimeout(WAIT_MS);
      return context.newPage();
    },
  };
}
