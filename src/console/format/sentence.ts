/**
 * A text of the service as a sentence of a page. The service begins its texts with a small letter, since programs put
 * them behind a name or a path.
 */
export function sentence(text: string): string;
export function sentence(text: string | null | undefined): string | undefined;
export function sentence(text: string | null | undefined): string | undefined {
  if (text === null || text === undefined) return undefined;
  return BEGINS_WITH_WORD.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

/** The reason of a failed job for a line of a list: what standard error said comes sooner. */
export function shortReason(text: string | null): string | undefined {
  return sentence(text)?.replace(STANDARD_ERROR, (_, said?: string) =>
    said === undefined ? '' : `: ${said}`,
  );
}

const STANDARD_ERROR = /; standard error (?:shows nothing|ends with:\s(.*))$/s;

/** A word, and no name of a field, host or file: these have digits, signs, or a colon behind them. */
const BEGINS_WITH_WORD = /^[a-z]+(?:-[a-z]+)?(?:[ ,]|$)/;
