/**
 * One compiled file name expression that runs in linear time: V8's own where V8 proves that it can, otherwise re2js's
 * (about 20 times slower), otherwise none. The only file that knows re2js.
 */
import { RE2JS } from 're2js';
import { translatePattern } from '../domain/pattern/pattern.ts';
import { isLinear } from './linear-expressions.ts';

export interface Expression {
  /** Whether it runs on V8's own engine, which is fast enough for the calling thread. */
  readonly isNative: boolean;
  /** Whether the text matches from its start; it need not match to its end. */
  matches(text: string): boolean;
}

/** Steps of a re2js program. Its time is steps times characters: 1,000 by 255 take about 7 ms at worst. */
const PROGRAM_STEPS_MAX = 1_000;

/** Compiles a pattern, or returns why not, as the end of a sentence ("the expression …"). Never throws. */
export function compileExpression(pattern: string): Expression | string {
  const translated = translatePattern(pattern);
  if (typeof translated === 'string') return translated;
  const { source, flags } = translated;
  let syntaxProblem: string | undefined;
  try {
    // `y`: only at the start of the text, whatever the flag m does to `^`.
    if (isLinear(source, `${flags}y`)) return nativeExpression(new RegExp(source, `${flags}y`));
  } catch (error) {
    syntaxProblem = reasonOf(error);
  }
  return compileLinear(source, flags, syntaxProblem);
}

/** The pattern on V8's own engine; undefined when V8 cannot run it in linear time. Fast; never throws. */
export function compileNativeExpression(pattern: string): Expression | undefined {
  const translated = translatePattern(pattern);
  if (typeof translated === 'string') return undefined;
  const flags = `${translated.flags}y`;
  try {
    return isLinear(translated.source, flags)
      ? nativeExpression(new RegExp(translated.source, flags))
      : undefined;
  } catch {
    // Not valid in V8; re2js may still accept it, which is not checked here.
    return undefined;
  }
}

function nativeExpression(regex: RegExp): Expression {
  return {
    isNative: true,
    matches: (text) => {
      regex.lastIndex = 0;
      return regex.test(text);
    },
  };
}

function compileLinear(
  source: string,
  flags: string,
  syntaxProblem: string | undefined,
): Expression | string {
  let bits = 0;
  if (flags.includes('i')) bits |= RE2JS.CASE_INSENSITIVE;
  if (flags.includes('m')) bits |= RE2JS.MULTILINE;
  if (flags.includes('s')) bits |= RE2JS.DOTALL;
  try {
    const program = RE2JS.compile(source, bits);
    if (program.programSize() > PROGRAM_STEPS_MAX) return 'is too large: use smaller counted repeats';
    return { isNative: false, matches: (text) => program.matcher(text).lookingAt() };
  } catch (error) {
    if (syntaxProblem !== undefined) return `is invalid: ${syntaxProblem}`;
    return `cannot be run in linear time (lookaround and backreferences never can): ${reasonOf(error)}`;
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 300) : 'unknown reason';
}
