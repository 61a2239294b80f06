/**
 * Requirements for passwords: long enough, and different from the account's name. There are no rules about kinds of
 * characters.
 */
import type { Problem } from './validation.ts';

export const PASSWORD_CHARS_MIN = 8;
export const PASSWORD_CHARS_MAX = 1_000;

/** The problems of a password for an account, other than its length. */
export function passwordProblems(password: string, username: string, path: string): readonly Problem[] {
  const plain = password.toLowerCase();
  if (plain === username.toLowerCase()) {
    return [{ name: 'PASSWORD_IS_NAME', description: 'must not be the name of the account', path }];
  }
  if (new Set(plain).size === 1) {
    return [{ name: 'PASSWORD_TOO_SIMPLE', description: 'must not be one character again and again', path }];
  }
  return [];
}
