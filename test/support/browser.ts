/** A real browser (Debian's Chromium), for tests of what pages may do, and what they send. */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { findProgram } from './services/find-program.ts';

/**
 * Chromium as a program for tests alone, without what a browser has for people: a new page takes half of the processor
 * time. Where it is not packaged, Chromium itself has no screen either.
 */
const FOR_TESTS: readonly string[] = ['chromium-headless-shell', 'chromium'];
/** For what measures how long pages take people. */
export const FOR_PEOPLE: readonly string[] = FOR_TESTS.toReversed();
/** Long, because loaded machines are slow; every wait is for a condition. */
const WAIT_MS = 60_000;

/** Options for a test that needs it: see `needs` of the services. */
export function needsBrowser(): { skip?: string } {
  return findBrowser(FOR_TESTS) === undefined
    ? { skip: 'no chromium: apt-get install -y chromium-headless-shell' }
    : {};
}

function findBrowser(programs: readonly string[]): string | undefined {
  for (const name of programs) {
    const path = findProgram(name);
    if (path !== undefined) return path;
  }
  return undefined;
}

export interface Tabs {
  /** A page without cookies. */
  newPage(options?: BrowserContextOptions): Promise<Page>;
}

export async function startBrowser(
  t: { teardown(call: () => Promise<void>): void },
  programs = FOR_TESTS,
): Promise<Tabs> {
  const { chromium } = await import('playwright-core');
  const program = findBrowser(programs);
  if (program === undefined) throw new Error(`none of these is installed: ${programs.join(', ')}`);
  const browser: Browser = await chromium.launch({
    executablePath: program,
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
