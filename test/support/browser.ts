/** A real browser, Debian's Chromium, for what only a browser shows: what pages of ours may do, and what they send. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { findProgram } from './services/find-program.ts';

const PROGRAM = 'chromium';
/** Loaded machines are slow; nothing is waited for but what is to come. */
const WAIT_MS = 60_000;

/** Options for a test that needs it: see `needs` of the services. */
export function needsBrowser(): { skip?: string } {
  return findProgram(PROGRAM) === undefined ? { skip: 'no chromium: apt-get install -y chromium' } : {};
}

export interface Tabs {
  /** A page of somebody whom no site knows. */
  newPage(): Promise<Page>;
}

export async function startBrowser(t: { teardown(call: () => Promise<void>): void }): Promise<Tabs> {
  const { chromium } = await import('playwright-core');
  const browser: Browser = await chromium.launch({
    executablePath: findProgram(PROGRAM) ?? PROGRAM,
    // Its own sandbox is not for root, and build machines give shared memory sparingly.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
    timeout: WAIT_MS,
  });
  t.teardown(() => browser.close());
  return {
    async newPage() {
      const context: BrowserContext = await browser.newContext();
      context.setDefaultTimeout(WAIT_MS);
      return context.newPage();
    },
  };
}
