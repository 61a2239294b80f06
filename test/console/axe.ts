/** Findings of axe-core in a page of any browser, from a run during which the page stood still. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { until } from '../e2e/harness/until.ts';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Resolves with findings, or with nothing when they can't be trusted: axe-core reads the page once and looks at it
 * again later, and elements that were moved or replaced meanwhile make it throw, or blame what is gone.
 */
const run = (rules: readonly string[]) => `(async () => {
  let moved = false;
  const note = (changes) => {
    moved ||= changes.some(({ addedNodes, removedNodes }) =>
      [...addedNodes, ...removedNodes].some(({ nodeType }) => nodeType === Node.ELEMENT_NODE));
  };
  const observer = new MutationObserver(note);
  observer.observe(document, { childList: true, subtree: true });
  try {
    const { violations } = await axe.run(document, ${JSON.stringify(optionsFor(rules))});
    note(observer.takeRecords());
    const found = violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + (failureSummary ?? '')));
    return moved && found.length > 0 ? undefined : found;
  } catch (error) {
    note(observer.takeRecords());
    if (moved) return undefined;
    throw error;
  } finally {
    observer.disconnect();
  }
})()`;

/** Without the nodes that passed a rule, which take a fourth of the time. */
function optionsFor(rules: readonly string[]): object {
  return { resultTypes: ['violations'], ...(rules.length === 0 ? {} : { runOnly: rules }) };
}

/** The rules that ask what colours things have: all that can differ where only the theme does. */
export const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** `evaluate`: the browser's, which is not bound by the policy of the page. `rules`: those of axe-core; none is all. */
export async function axeFindings(
  page: { evaluate(source: string): Promise<unknown> },
  rules: readonly string[] = [],
): Promise<readonly string[]> {
  // Once a document: to read the source takes a third of the time.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(SOURCE);
  const found = await until('axe-core has read a page that stood still', async () => {
    const answer = await page.evaluate(run(rules));
    return Array.isArray(answer) && { answer };
  });
  return found.answer;
}
