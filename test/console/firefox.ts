/** A second real browser, Debian's Firefox, driven by WebDriver BiDi: what works in one browser may not in another. */
import type { Browser, Page } from 'puppeteer-core';
import { findProgram } from '../support/services/find-program.ts';

const PROGRAM = 'firefox-esr';
/** Loaded machines are slow; nothing is waited for but what is to come. */
const WAIT_MS = 60_000;

/** Options for a test that needs it: see `needs` of the services. */
export function needsFirefox(): { skip?: string } {
  return findProgram(PROGRAM) === undefined ? { skip: 'no firefox-esr: apt-get install -y firefox-esr' } : {};
}

export interface Firefox {
  /** A page of somebody whom no site knows. */
  newPage(): Promise<Page>;
}

export async function startFirefox(t: { teardown(call: () => Promise<void>): void }): Promise<Firefox> {
  const { launch } = await import('puppeteer-core');
  const browser: Browser = await launch({
    ...{ browser: 'firefox', executablePath: findProgram(PROGRAM) ?? PROGRAM, headless: true },
    ...{ timeout: WAIT_MS, protocolTimeout: WAIT_MS },
  });
  t.teardown(() => browser.close());
  return {
    async newPage() {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      page.setDefaultTimeout(WAIT_MS);
      return page;
    },
  };
}
